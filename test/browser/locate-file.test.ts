// @module-tag slow: drives Chromium.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test as base } from './browser-test.js';
import { countPrompts, denyGeolocation, grantGeolocation, leavePromptOpen, POSITION } from './geolocation.js';
import { readScript } from './script-file.js';

declare const LocationSDK: typeof import('../../src/entries/script-tag.js').LocationSDK;

/** The file for pages that only locate, in a page that has nothing else of the package. */
const test = base.extend('open', ({ page, site }) => async (): Promise<Page> => {
  await page.goto(`${site.url}/empty`);
  return page;
});

const load = (page: Page, name = 'location-sdk.locate.global.js') => page.addScriptTag({ content: readScript(name) });
const names = (page: Page) => page.evaluate(() => Object.getOwnPropertyNames(window));
const locate = (page: Page) =>
  page.evaluate(() =>
    LocationSDK.locate().catch((error) => ({ known: LocationSDK.isReportingError(error), ...error.toJSON() })),
  );

test('it adds one name, gives the position, and asks no other host', { tags: 'slice' }, async ({
  context,
  open,
  complaints,
}) => {
  await grantGeolocation(context);
  const page = await open();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  const before = await names(page);
  await load(page);
  const step = { step: 'browser-geolocation', durationMs: expect.any(Number) };
  expect(await locate(page)).toEqual({ ...POSITION, source: 'gps', ageMs: expect.any(Number), steps: [step] });
  expect((await names(page)).filter((name) => !before.includes(name))).toEqual(['LocationSDK']);
  expect(await page.evaluate(() => Object.keys(LocationSDK).sort())).toEqual([
    'isReportingError',
    'locate',
    'locationPermission',
    'postOnce',
    'unsupported',
    'version',
  ]);
  expect([asked, complaints]).toEqual([[], []]);
});

test('it says why there is no position', async ({ context, open }) => {
  await denyGeolocation(context);
  const page = await open();
  await load(page);
  expect(await locate(page)).toMatchObject({
    known: true,
    name: 'LocationError',
    code: 'location',
    steps: [{ step: 'browser-geolocation', reason: 'denied' }],
  });
  expect(await page.evaluate(() => LocationSDK.locationPermission())).toBe('denied');
});

test('a prompt that stays open ends the wait after 10 s, and the next call does not wait', async ({ open, page }) => {
  await leavePromptOpen(page);
  await load(await open());
  const times = await page.evaluate(async () => {
    const timed = async () => {
      const began = performance.now();
      await LocationSDK.locate().catch(() => undefined);
      return performance.now() - began;
    };
    return [await timed(), await timed()];
  });
  expect(times[0]).toBeGreaterThan(9_900);
  expect(times[0]).toBeLessThan(13_000);
  expect(times[1]).toBeLessThan(2_000);
});

test('a second load keeps the first, whose position is remembered', async ({ context, page, open }) => {
  await grantGeolocation(context);
  const prompts = await countPrompts(page);
  await open();
  for (let loads = 0; loads < 2; loads += 1) {
    await load(page);
    expect(await locate(page)).toMatchObject(POSITION);
  }
  expect(await prompts()).toBe(1);
});

test('beside a file that reports, that file counts, in both orders', async ({ context, open }) => {
  await grantGeolocation(context);
  for (const first of ['locate', 'relay']) {
    const page = await open();
    for (const name of [first, first === 'relay' ? 'locate' : 'relay'])
      await load(page, `location-sdk.${name}.global.js`);
    expect(await page.evaluate(() => typeof LocationSDK.createClient)).toBe('function');
    // Without configure, too.
    expect(await locate(page)).toMatchObject({ ...POSITION, source: 'gps' });
  }
});

test('a call before the file has loaded is made when it has; one that this file does not have fails', async ({
  context,
  open,
}) => {
  await grantGeolocation(context);
  const page = await open();
  await load(page, 'location-sdk.stub.global.js');
  const early = page.evaluate(async () => {
    const [found, failed] = await Promise.allSettled([
      LocationSDK.locate(),
      LocationSDK.createClient({ relayUrl: '/relay' }).reportBetEvent({ bet_id: 'B-1' }),
    ]);
    return [found.status === 'fulfilled' && found.value.source, failed.status];
  });
  await load(page);
  expect(await early).toEqual(['gps', 'rejected']);
});
