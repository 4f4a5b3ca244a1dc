// @module-tag slow: drives Chromium.

import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { listen } from '../support/listen.js';
import { test as base } from './browser-test.js';
import { serveRelay } from './relay-world.js';
import { bundleModules } from './script-file.js';

declare const LocationSDK: typeof import('../../src/entries/script-tag.js').LocationSDK;

const MIB = 1024 * 1024;

const test = base
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the empty pattern as "needs no fixture".
  .extend('shop', async ({}, { onCleanup }) => {
    const shop = await serveRelay({ scripts: { '/modules.js': await bundleModules('index.js') } });
    onCleanup(shop.close);
    return shop;
  })
  /** A page whose relay answers without end: pieces of 1 MiB, or one letter and no more. */
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  .extend('endless', async ({}, { onCleanup }) => {
    const seen = { mebibytes: 0, open: 0 };
    const server = createServer((request, response) => {
      if (request.method !== 'POST') return response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Bet</p>');
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
      seen.open += 1;
      response.once('close', () => {
        seen.open -= 1;
      });
      if (request.url?.startsWith('/slow/')) return response.write('{');
      const piece = Buffer.alloc(MIB, 32);
      const more = () => {
        if (response.destroyed) return;
        seen.mebibytes += 1;
        if (response.write(piece)) setImmediate(more);
        else response.once('drain', more);
      };
      more();
    });
    const { url, close } = await listen(server);
    onCleanup(close);
    return { seen, url };
  });

/** The requests to the relay, as the browser's list of the network shows them at their end. */
function watchNetwork(page: Page) {
  const seen = { finished: 0, failed: [] as (string | undefined)[] };
  page.on('requestfinished', (request) => {
    if (request.method() === 'POST') seen.finished += 1;
  });
  page.on('requestfailed', (request) => seen.failed.push(request.failure()?.errorText));
  return seen;
}

/** In the page: reports bets, one after the other, and returns the outcomes, or the outcome and text of each error. */
const report = (page: Page, relayUrl: string, names: readonly string[], more: object = {}): Promise<string[]> =>
  page.evaluate(
    async ([relayUrl, names, more]) => {
      const client = LocationSDK.createClient({ relayUrl, retry: { limit: 0 }, ...more });
      const location = { latitude: 6.4474, longitude: 7.5139, source: 'gps' };
      const outcomes: string[] = [];
      for (const bet_id of names)
        outcomes.push(
          await client.reportBetEvent({ bet_id, amount: 1500 }, { location }).then(
            ({ outcome }) => outcome,
            ({ code, outcome }) => `${code} ${outcome}`,
          ),
        );
      return outcomes;
    },
    [relayUrl, names, more] as const,
  );

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

test.for([
  ['the script-tag file', undefined],
  ['the modules in a bundle', '/modules.js'],
] as const)(
  'the requests of successful reports are shown as finished, none as failed, with %s',
  { tags: 'slice' },
  async ([, url], { context, page, shop }) => {
    await context.addCookies([{ name: 'session', value: 'ada', url: shop.url }]);
    await page.goto(shop.url);
    if (url) await page.addScriptTag({ url });
    const network = watchNetwork(page);

    expect(await report(page, '/relay', names('B', 20))).toEqual(Array(20).fill('recorded'));
    // A refusal is an answer too.
    await context.clearCookies();
    expect(await report(page, '/relay', ['B-REFUSED'])).toEqual(['authentication not-sent']);

    await expect.poll(() => network.finished + network.failed.length).toBe(21);
    expect(network).toEqual({ finished: 21, failed: [] });
  },
);

test('an answer without end is read for 16 MiB, and one that stops for the time of an attempt; then the connection is closed', async ({
  page,
  endless,
}) => {
  await page.goto(endless.url);
  await page.addScriptTag({ content: await bundleModules('page.js') });

  expect(await report(page, '/large', ['B-1'])).toEqual(['gateway unknown']);
  await expect.poll(() => endless.seen.open).toBe(0);
  // The rest is in the buffers of sockets and of the browser.
  expect(endless.seen.mebibytes).toBeLessThan(64);

  const started = Date.now();
  expect(await report(page, '/slow', ['B-2'], { attemptTimeoutMs: 500 })).toEqual(['timeout unknown']);
  expect(Date.now() - started).toBeLessThan(10_000);
  await expect.poll(() => endless.seen.open).toBe(0);
});
