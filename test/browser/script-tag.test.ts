// @module-tag slow: drives Chromium.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import * as sdk from '../../src/entries/index.js';
import { betEvent } from './bet.js';
import { test } from './browser-test.js';
import { grantGeolocation } from './geolocation.js';
import { call } from './in-page.js';

declare const LocationSDK: typeof import('../../src/entries/script-tag.js').LocationSDK;

const SCRIPT = '/location-sdk.global.js';

const namesOnWindow = (page: Page): Promise<string[]> => page.evaluate(() => Object.getOwnPropertyNames(window));

/** Exports that only a server needs: a service with a secret token, and functions for requests and players. */
const FOR_SERVERS = ['amount', 'clientIpFrom', 'ipinfo', 'pageLocation'];

test("the script exports the package's API and that of pages, except the error classes and the functions for servers", {
  tags: 'slice',
}, async ({ page, site }) => {
  await page.goto(site.url);

  const offered = Object.keys(sdk).filter((name) => !FOR_SERVERS.includes(name) && !/^[A-Z]/.test(name));
  expect(await page.evaluate(() => Object.keys(LocationSDK).sort())).toEqual(
    [...offered, 'postOnce', 'unsupported'].sort(),
  );
  expect(await page.evaluate(() => LocationSDK.unsupported)).toBeUndefined();
  expect(await page.evaluate(() => LocationSDK.version)).toBe(JSON.parse(readFileSync('package.json', 'utf8')).version);
});

test('a browser that is too old is named in the console and in unsupported, and nothing can be set up', async ({
  page,
  site,
  complaints,
}) => {
  await page.addInitScript(() => Reflect.deleteProperty(globalThis, 'BigInt'));
  await page.goto(site.url);
  const { unsupported, code, message } = await page.evaluate(() => {
    const { unsupported } = LocationSDK;
    try {
      LocationSDK.createClient({ relayUrl: '/relay' });
    } catch (error) {
      if (LocationSDK.isReportingError(error)) return { unsupported, code: error.code, message: error.message };
    }
    return { unsupported };
  });
  expect(complaints).toEqual([unsupported]);
  expect(unsupported).toContain('too old');
  expect({ code, message }).toEqual({ code: 'configuration', message: unsupported });
});

test('the script adds its name to the page, and zod one of its settings, also after use', async ({
  context,
  page,
  site,
  gateway,
  options,
}) => {
  await grantGeolocation(context);
  await page.goto(`${site.url}/empty`);
  const before = await namesOnWindow(page);

  await page.addScriptTag({ url: SCRIPT });
  await page.evaluate((options) => LocationSDK.configure(options as never), options);
  await page.evaluate((bet) => LocationSDK.reportBetEvent(bet), betEvent());

  expect(gateway.recorded()).toHaveLength(1);
  expect((await namesOnWindow(page)).filter((name) => !before.includes(name))).toEqual([
    '__zod_globalConfig',
    'LocationSDK',
  ]);
});

test('the default client is set by configure, and leaves no cookie, nothing stored and no error in the page', {
  tags: 'slice',
}, async ({ context, page, site, gateway, complaints, options }) => {
  await grantGeolocation(context);
  await page.goto(site.url);
  const report = () =>
    page.evaluate(
      (bet) => LocationSDK.reportBetEvent(bet).catch((error) => ({ message: error.message, outcome: error.outcome })),
      betEvent(),
    );
  expect(await report()).toMatchObject({ message: expect.stringContaining("configure({ relayUrl: '/relay' })") });
  await page.evaluate((options) => LocationSDK.configure(options as never), options);
  expect(await report()).toMatchObject({ outcome: 'recorded', reference: 'BET-1', location: { source: 'gps' } });

  expect(gateway.recorded()).toMatchObject([{ bet_id: 'BET-1' }]);
  expect(await context.cookies()).toEqual([]);
  const stored = await page.evaluate(async () => ({
    local: localStorage.length,
    session: sessionStorage.length,
    databases: (await indexedDB.databases()).length,
    caches: (await caches.keys()).length,
  }));
  expect(stored).toEqual({ local: 0, session: 0, databases: 0, caches: 0 });
  expect(complaints).toEqual([]);
});

test('a page with a strict policy reports bets, located by gps and by its address, without a violation', {
  tags: 'slice',
}, async ({ context, page, site, lookups, complaints, violations, options }) => {
  for (const [bet_id, source] of [
    ['BET-1', 'ip'],
    ['BET-2', 'gps'],
  ] as const) {
    if (source === 'gps') await grantGeolocation(context);
    await page.goto(`${site.url}/strict-policy`);
    const { result } = await call(page, 'reportBetEvent', options, betEvent({ bet_id }));
    expect(result).toMatchObject({ outcome: 'recorded', location: { source } });
  }
  expect(lookups.requests).toHaveLength(1);
  expect([violations, complaints]).toEqual([[], []]);
});

test('the strict policy is in force: it blocks code made from text, and addresses that it does not name', async ({
  page,
  site,
  violations,
}) => {
  await page.goto(`${site.url}/strict-policy`);

  const stopped = await page.evaluate(async () => {
    await new Promise((resolve) => setTimeout(resolve));
    const name = (error: Error) => error.name;
    const made = new Promise((resolve) => resolve(new Function('return 1'))).catch(name);
    return Promise.all([made, fetch('http://127.0.0.1:9/').catch(name)]);
  });

  expect(stopped).toEqual(['EvalError', 'TypeError']);
  await expect.poll(() => violations).toEqual(expect.arrayContaining(['script-src', 'connect-src']));
});

test('loading the script again keeps the first copy, and the configured client', async ({
  context,
  page,
  site,
  gateway,
  complaints,
  options,
}) => {
  await grantGeolocation(context);
  await page.goto(`${site.url}/twice`);
  const first = await page.evaluateHandle(() => LocationSDK);
  await page.evaluate((options) => LocationSDK.configure(options as never), options);

  await page.addScriptTag({ url: SCRIPT });

  expect(await page.evaluate((first) => first === LocationSDK, first)).toBe(true);
  const receipt = await page.evaluate((bet) => LocationSDK.reportBetEvent(bet), betEvent());
  expect(receipt.outcome).toBe('recorded');
  expect(gateway.recorded()).toHaveLength(1);
  expect(complaints).toEqual([]);
});
