// @module-tag slow: drives the pages that people copy.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { codeBlocks } from '../support/code-blocks.js';
import { root } from '../support/run.js';
import { test as base } from './browser-test.js';
import { INSECURE_HOST } from './chromium.js';
import { grantGeolocation } from './geolocation.js';
import { serveRelay } from './relay-world.js';

/** Exactly the code of the documents. */
const pageOf = (document: string): string => {
  const { code } =
    codeBlocks(readFileSync(join(root, document), 'utf8')).find(({ language }) => language === 'html') ?? {};
  if (!code) throw new Error(`${document} has no page.`);
  return `<!doctype html><html lang="en"><head><title>Operator</title></head><body>${code}</body></html>`;
};
const TAG = '<script src="/location-sdk.relay.global.js">';
const UNFIT_HASH = `${TAG.slice(0, -1)} integrity="sha384-${Buffer.alloc(48).toString('base64')}">`;

const test = base.extend('shop', async ({ context }, { onCleanup }) => {
  const shop = await serveRelay();
  onCleanup(shop.close);
  await context.addCookies([{ name: 'session', value: 'ada', url: shop.url }]);
  await grantGeolocation(context);
  return shop;
});

/** Serves the page and the operator's own route for a bet. The script and the relay come from the site itself. */
async function openPage(page: Page, url: string, html: string): Promise<Page> {
  await page.route(/^http:\/\/[^/]+\/$/, (route) => route.fulfill({ contentType: 'text/html', body: html }));
  await page.route('**/bets', (route) => route.fulfill({ json: { bet_id: 'B-1', amount: 1500 } }));
  await page.goto(`${url}/`);
  return page;
}

const seen = (page: Page) =>
  page.evaluate(() => ({
    text: document.querySelector('output')?.innerText,
    disabled: document.querySelector('button')?.disabled,
  }));

describe.for(['docs/start/page-with-relay.md'])('the page of %s', (document) => {
  test('reports a bet, and shows an error in the words for a player', async ({ page, shop }) => {
    await openPage(page, shop.url, pageOf(document));
    await expect.poll(() => seen(page)).toEqual({ text: '', disabled: false });
    await page.getByRole('button').click();
    await expect.poll(() => seen(page)).toMatchObject({ text: expect.stringContaining('Your bet is recorded') });
    expect(shop.gateway.reports()).toMatchObject([{ reference: 'B-1', body: { location: { source: 'gps' } } }]);

    await page.unroute('**/bets');
    await page.route('**/bets', (route) => route.abort('internetdisconnected'));
    await page.getByRole('button').click();
    await expect
      .poll(() => seen(page))
      .toMatchObject({
        text: expect.stringContaining('does not work at the moment'),
        disabled: false,
      });
  });

  test('a bet keeps its key over a reload until the gateway has its report', async ({ page, shop }) => {
    const keys: (string | undefined)[] = [];
    page.on('request', (sent) => sent.url().endsWith('/bets') && keys.push(sent.headers()['idempotency-key']));
    const press = async (says: RegExp) => {
      await page.getByRole('button').click();
      await expect
        .poll(() => seen(page), { timeout: 15_000 })
        .toEqual({ text: expect.stringMatching(says), disabled: false });
    };
    await openPage(page, shop.url, pageOf(document));
    shop.gateway.faults.add({ kind: 'status', status: 422 });
    await press(/This was refused/);
    await page.reload();
    await press(/Your bet is recorded/);
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    // The route gives the same id for another bet. To the relay that is the same report.
    await press(/Your bet is recorded/);
    expect(new Set(keys).size).toBe(2);
  });

  test('a route that never answers gives the button back', async ({ page, shop }) => {
    await openPage(page, shop.url, pageOf(document).replace('20_000', '200'));
    await page.unroute('**/bets');
    await page.route('**/bets', () => {});
    await page.getByRole('button').click();
    await expect
      .poll(() => seen(page))
      .toMatchObject({ text: expect.stringContaining('does not work at the moment'), disabled: false });
  });

  for (const [what, change, host] of [
    ['the script is blocked', (html: string) => html, undefined],
    ['the script has another hash', (html: string) => html.replace(TAG, UNFIT_HASH), undefined],
    ['an option is wrong', (html: string) => html.replace("'/relay'", "'ftp://relay'"), undefined],
    ['the page came over plain HTTP', (html: string) => html, INSECURE_HOST],
  ] as const)
    test(`if ${what}, its button cannot be pressed, and a text says what the player can do`, async ({
      page,
      shop,
      uncaught,
    }) => {
      if (what === 'the script is blocked')
        await page.route('**/location-sdk.relay.global.js', (route) => route.abort());
      const html = pageOf(document);
      expect(html).toContain(TAG);
      const failed = page.waitForEvent('pageerror');
      await openPage(page, host ? shop.url.replace('127.0.0.1', host) : shop.url, change(html));
      // For the developer, in the console.
      expect((await failed).message).toMatch(/LocationSDK|relayUrl/);
      expect(await seen(page)).toEqual({
        text: 'One moment. If this text stays, contact support.',
        disabled: true,
      });
      uncaught.splice(0);
    });
});
