// @module-tag slow: drives Chromium.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { root } from '../support/run.js';
import { bet, NO_ANSWER } from './bet-page.js';
import { test as base } from './browser-test.js';
import { grantGeolocation } from './geolocation.js';
import { logIn } from './outbox-in-page.js';
import { serveRelay } from './relay-world.js';
import { readScript } from './script-file.js';

declare const LocationSDK: typeof import('../../src/entries/script-tag-outbox.js').LocationSDK;

/** The page that the guide names: it tells its backend about quarantined reports, and reports without storage too. */
const GUIDE = readFileSync(join(root, 'examples/stored-reports.html'), 'utf8');

const location = { latitude: 6.4474, longitude: 7.5139, source: 'gps' };
const patient = { timeout: 20_000 };
const STORED = 'This went through.';

const test = base.extend('shop', async ({ context }, { onCleanup }) => {
  const shop = await serveRelay({ relay: { complete: () => ({ amount: 1500 }) } });
  onCleanup(shop.close);
  await logIn(context, shop.url, 'ada');
  await grantGeolocation(context);
  return shop;
});

/** Opens the page of the guide. Returns what it tells its backend. */
async function openGuide(page: Page, url: string): Promise<unknown[]> {
  const told: unknown[] = [];
  await page.route(`${url}/`, (route) => route.fulfill({ contentType: 'text/html', body: GUIDE }));
  await page.route('**/bets', (route) => route.fulfill({ json: { bet_id: 'B-1' } }));
  await page.route('**/quarantined', (route) => {
    told.push(route.request().postDataJSON());
    return route.fulfill({ status: 204 });
  });
  await page.goto(`${url}/`);
  return told;
}

const says = (page: Page) => page.evaluate(() => document.querySelector('output')?.value);

test('the backend is told about a report that is quarantined, and about those of earlier visits', async ({
  page,
  shop,
}) => {
  shop.gateway.faults.add({ kind: 'status', status: 422 });
  const told = await openGuide(page, shop.url);
  await bet(page);
  // The bet is placed: its report is a matter of the backend.
  await expect.poll(() => says(page), patient).toBe(STORED);
  await expect.poll(() => told, patient).toHaveLength(1);
  expect(told).toMatchObject([
    {
      report: { reference: 'B-1', operation: 'reportBetEvent', code: 'unprocessable', inDoubt: false },
    },
  ]);
  expect(JSON.stringify(told)).not.toMatch(/6\.5244|U-88412|Adaeze/);
  await page.reload();
  await expect.poll(() => told.slice(1), patient).toEqual([{ quarantined: 1 }]);
});

test('a stored report is sent once the relay can be reached, and a press without a network says what to do', async ({
  context,
  page,
  shop,
}) => {
  await openGuide(page, shop.url);
  await page.route('**/relay/*', (route) => route.abort());
  await bet(page);
  await expect.poll(() => says(page), patient).toBe(STORED);
  await page.unroute('**/bets');
  await context.setOffline(true);
  await bet(page, 200);
  await expect.poll(() => says(page), patient).toBe(NO_ANSWER);
  await page.unroute('**/relay/*');
  await context.setOffline(false);
  await expect.poll(() => shop.gateway.reports(), patient).toMatchObject([{ reference: 'B-1' }]);
});

test('with storage switched off the page reports through the client, as the error advises', async ({ page, shop }) => {
  const warnings: string[] = [];
  page.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()));
  // As browsers do that block the data of a site.
  await page.addInitScript(() =>
    Object.defineProperty(window, 'indexedDB', {
      get: () => {
        throw new DOMException('denied', 'SecurityError');
      },
    }),
  );
  await openGuide(page, shop.url);
  await bet(page);
  await expect.poll(() => says(page), patient).toBe('This went through.');
  expect(shop.gateway.reports()).toMatchObject([{ reference: 'B-1' }]);
  expect(warnings.join()).toContain('Use client.reportBetEvent instead.');
});

test('a page that the browser gives no storage has an error with advice, and words that fit for the player', async ({
  page,
  shop,
}) => {
  const html = '<!doctype html><title>Operator</title>';
  const headers = { 'content-security-policy': 'sandbox allow-scripts' };
  await page.route(`${shop.url}/`, (route) => route.fulfill({ contentType: 'text/html', headers, body: html }));
  await page.goto(`${shop.url}/`);
  await page.addScriptTag({ content: readScript('location-sdk.outbox.global.js') });
  const seen = await page.evaluate(() =>
    LocationSDK.indexedDbStore({ player: 'U-88412' }).then(
      () => undefined,
      (error) => ({ code: error.code, message: error.message, ...LocationSDK.playerMessage(error) }),
    ),
  );
  expect(seen).toEqual({
    code: 'unavailable',
    message: expect.stringMatching(/Nothing was stored\. Use client.reportBetEvent instead/),
    situation: 'not-stored',
    text: 'Your browser could not save this. Allow this site to store data, and try again.',
    action: 'wait',
    isOver: false,
  });
});

test('a player without a network reads it, also in a language whose file the page loads', async ({
  context,
  page,
  shop,
}) => {
  const hausa = JSON.parse(readFileSync(join(root, 'dist/player-messages/ha.json'), 'utf8'));
  await page.route('**/ha.json', (route) => route.fulfill({ json: hausa }));
  await page.goto(shop.url);
  await page.evaluate(async () => Object.assign(window, { hausa: await (await fetch('/ha.json')).json() }));
  await context.setOffline(true);
  const texts = await page.evaluate(
    (location) =>
      LocationSDK.createClient({ relayUrl: '/relay', retry: { limit: 0 } })
        .reportBetEvent({ bet_id: 'B-1', amount: 1500 }, { location })
        .then(
          () => [],
          (error) => {
            const { hausa: messages } = window as unknown as { hausa: object };
            return [LocationSDK.playerMessage(error).text, LocationSDK.playerMessage(error, { messages }).text];
          },
        ),
    location,
  );
  expect(texts).toEqual([
    'You are offline. Connect to the internet, and ask again: it cannot count twice.',
    hausa.offline,
  ]);
});

test('a page whose clock is three years behind is told so, and nothing is recorded', async ({ page, shop }) => {
  await page.goto(shop.url);
  const said = await page.evaluate((location) => {
    const { now } = Date;
    Date.now = () => now() - 3 * 365 * 86_400_000;
    return LocationSDK.createClient({ relayUrl: '/relay' })
      .reportBetEvent({ bet_id: 'B-1', amount: 1500 }, { location })
      .then(
        () => ['recorded'],
        (error) => [error.code, error.message, LocationSDK.playerMessage(error).situation],
      );
  }, location);
  expect(said).toEqual(['validation', expect.stringContaining('set the clock of this device'), 'entries']);
  expect(shop.gateway.reports()).toEqual([]);
});
