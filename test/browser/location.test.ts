// @module-tag slow: waits for the time limits of a browser.
import { describe, expect } from 'vitest';
import type { ClientEvent } from '../../src/entries/index.js';
import { codeBlocks } from '../support/code-blocks.js';
import { readGuides } from '../support/documents.js';
import { betEvent, withdrawalEvent } from './bet.js';
import { test } from './browser-test.js';
import {
  countPrompts,
  delayGeolocation,
  denyGeolocation,
  grantGeolocation,
  leavePromptOpen,
  loseGeolocation,
  POSITION,
  revokeGeolocation,
} from './geolocation.js';
import { openTab } from './hidden-tab.js';
import { call, keepClient, locate } from './in-page.js';
import { notKnowing, refusal } from './lookup-services.js';
import { servePages } from './page-server.js';
import { readScript } from './script-file.js';

declare const LocationSDK: typeof import('../../src/entries/script-tag.js').LocationSDK;

const GPS = { ...POSITION, source: 'gps' };
const GEOJS = { latitude: 6.4474, longitude: 3.3903, city: 'Lagos', region: 'Lagos', country: 'NG', accuracy: 20_000, source: 'ip' };
const IPAPI_CO = { latitude: 9.0579, longitude: 7.4951, city: 'Abuja', region: 'FCT', country: 'NG', source: 'ip' };
const FREEIPAPI = { latitude: 12.0022, longitude: 8.592, city: 'Kano', region: 'Kano', country: 'NG', source: 'ip' };

test('a position that the player allows is sent as gps, and no service is asked', { tags: 'slice' }, async ({
  context,
  page,
  site,
  gateway,
  lookups,
  options,
}) => {
  await grantGeolocation(context);
  await page.goto(site.url);

  const { result } = await call(page, 'reportBetEvent', options, betEvent());

  expect(result).toMatchObject({ outcome: 'recorded', operation: 'reportBetEvent', reference: 'BET-1', environment: 'staging', attempts: 1 });
  expect(result?.location).toEqual(GPS);
  expect(gateway.recorded()).toEqual([{ ...betEvent(), timestamp: expect.stringMatching(/^\d{10}$/), location: GPS }]);
  expect(lookups.requests).toEqual([]);
});

test('a withdrawal is located like a bet', async ({ context, page, site, gateway, options }) => {
  await grantGeolocation(context);
  await page.goto(site.url);

  const { result } = await call(page, 'reportWithdrawalEvent', options, withdrawalEvent());

  expect(result).toMatchObject({ outcome: 'recorded', reference: 'WR-1', location: GPS });
  expect(gateway.recorded()).toEqual([{ ...withdrawalEvent(), timestamp: expect.any(String), location: GPS }]);
});

test('locate asks for the position before the first bet and reports nothing', async ({ context, page, site, gateway, options }) => {
  await grantGeolocation(context);
  await page.goto(site.url);

  expect(await locate(page, options)).toEqual({
    result: { ...GPS, ageMs: expect.any(Number), steps: [{ step: 'browser-geolocation', durationMs: expect.any(Number) }] },
  });
  expect(gateway.requests).toEqual([]);
});

test('the page of the guide that asks early has the position when the player bets, and asks no more', async ({ context, page, site, lookups }) => {
  const [, section = ''] = readGuides('how-to/location-in-a-page').split('## Ask early');
  const body = codeBlocks(section).find(({ language }) => language === 'html')?.code ?? '';
  const [, script = ''] = /<script src="([^"]+)">/.exec(body) ?? [];
  await page.route(`${site.url}/early`, (route) => route.fulfill({ contentType: 'text/html', body: `<!doctype html><body>${body}</body>` }));
  await page.route(`${site.url}${script}`, (route) => route.fulfill({ contentType: 'text/javascript', body: readScript() }));
  await page.route(`${site.url}/bets`, (route) => route.fulfill({ body: '' }));
  await grantGeolocation(context);
  const prompts = await countPrompts(page);
  await page.goto(`${site.url}/early`);
  expect(await prompts()).toBe(0);

  await page.click('#continue');
  await expect.poll(prompts).toBe(1);
  for (let bet = 0; bet < 2; bet += 1) {
    const posted = page.waitForRequest(`${site.url}/bets`);
    await page.click('#bet');
    expect((await posted).postDataJSON()).toMatchObject({ stake: 1500, location: GPS });
  }
  expect(await prompts()).toBe(1);
  expect(lookups.requests).toEqual([]);
});

test('after a denied position the address is looked up', async ({ context, page, site, gateway, lookups, options }) => {
  await denyGeolocation(context);
  await page.goto(site.url);

  const { result } = await call(page, 'reportBetEvent', options, betEvent());

  expect(result?.location).toEqual(GEOJS);
  expect(gateway.recorded()).toMatchObject([{ bet_id: 'BET-1', location: GEOJS }]);
  expect(lookups.requests).toMatchObject([{ method: 'GET', url: 'https://get.geojs.io/v1/ip/geo.json' }]);
});

test('a lookup contains neither the key nor the address of the page', async ({ context, page, site, lookups, options }) => {
  await denyGeolocation(context);
  await page.goto(`${site.url}/?player=U-88412`);

  await call(page, 'reportBetEvent', options, betEvent());

  expect(lookups.requests).toHaveLength(1);
  expect(JSON.stringify(lookups.requests)).not.toMatch(/U-88412|mock-api-key/);
});

test("a lookup contains no referrer even if the page's policy would send it everywhere", async ({ context, page, site, lookups, options }) => {
  await denyGeolocation(context);
  await page.goto(`${site.url}/with-loose-referrer?player=U-88412`);

  await call(page, 'reportBetEvent', options, betEvent());

  expect(lookups.requests).toHaveLength(1);
  expect(JSON.stringify(lookups.requests)).not.toContain('U-88412');
});

test.for([
  ['cannot be reached', 'unreachable'],
  ['is rate limited', refusal(429)],
  ['answers without CORS permission for the page', refusal(429, {})],
  ['fails', refusal(500)],
  ['does not know', notKnowing()],
  ['does not answer in time', 'silent'],
] as const)('if the first service %s, the second is asked', async ([, answer], { context, page, site, gateway, lookups, options }) => {
  lookups.answers['get.geojs.io'] = answer;
  await denyGeolocation(context);
  await page.goto(site.url);

  const { result } = await call(page, 'reportBetEvent', { ...options, location: { ip: { timeoutMs: answer === 'silent' ? 1_000 : 10_000 } } }, betEvent());

  expect(result?.location).toEqual(IPAPI_CO);
  expect(gateway.recorded()).toMatchObject([{ location: IPAPI_CO }]);
  expect(lookups.requests.map(({ url }) => url)).toEqual(['https://get.geojs.io/v1/ip/geo.json', 'https://ipapi.co/json/']);
});

test('if two services fail, the third is asked', async ({ context, page, site, lookups, options }) => {
  lookups.answers['get.geojs.io'] = 'unreachable';
  lookups.answers['ipapi.co'] = refusal(429);
  await denyGeolocation(context);
  await page.goto(site.url);

  const { result } = await call(page, 'reportBetEvent', options, betEvent());

  expect(result?.location).toEqual(FREEIPAPI);
});

test('if a device has no position, the address is looked up', async ({ context, page, site, lookups, options }) => {
  await loseGeolocation(context);
  await page.goto(site.url);

  const { result } = await call(page, 'reportBetEvent', options, betEvent());

  expect(result?.location).toEqual(GEOJS);
  expect(lookups.requests).toHaveLength(1);
});

test('a prompt without a decision ends with the time limit of its step, and the lookup follows', async ({ page, site, gateway, lookups, options }) => {
  await leavePromptOpen(page);
  await page.goto(site.url);

  const { result } = await call(page, 'reportBetEvent', { ...options, location: { browser: { timeoutMs: 200 } } }, betEvent());

  expect(result?.location).toEqual(GEOJS);
  expect(gateway.recorded()).toMatchObject([{ location: GEOJS }]);
  expect(lookups.requests).toHaveLength(1);
});

test('a prompt without a decision cannot exceed the time for finding a location', async ({ page, site, gateway, lookups, options }) => {
  await leavePromptOpen(page);
  await page.goto(site.url);

  const { error } = await call(page, 'reportBetEvent', { ...options, location: { timeoutMs: 200, ip: { enabled: false } } }, betEvent());

  expect(error).toMatchObject({ code: 'location', outcome: 'not-sent' });
  expect(error?.steps).toMatchObject([{ step: 'browser-geolocation', reason: 'timeout' }]);
  expect(lookups.requests).toEqual([]);
  expect(gateway.requests).toEqual([]);
});

test('a prompt without a decision leaves the lookup its share of the time', async ({ page, site, gateway, lookups, options }) => {
  await leavePromptOpen(page);
  await page.goto(site.url);

  const { result } = await call(page, 'reportBetEvent', { ...options, location: { timeoutMs: 3_000 } }, betEvent());

  expect(result?.location).toEqual(GEOJS);
  expect(gateway.recorded()).toMatchObject([{ location: GEOJS }]);
  expect(lookups.requests).toHaveLength(1);
});

test('a page over plain http is not asked for a position; the address is looked up', async ({ context, page, site, gateway, lookups, options }) => {
  await grantGeolocation(context);
  const prompts = await countPrompts(page);
  await page.goto(site.insecureUrl);

  const { result } = await call(page, 'reportBetEvent', options, betEvent());

  expect(result?.location).toEqual(GEOJS);
  expect(gateway.recorded()).toMatchObject([{ location: GEOJS }]);
  expect(await prompts()).toBe(0);
  expect(lookups.requests).toHaveLength(1);
});

test("if the page's policy forbids geolocation, the address is looked up", async ({ context, page, site, lookups, options }) => {
  await grantGeolocation(context);
  await page.goto(`${site.url}/without-geolocation`);

  const { result } = await call(page, 'reportBetEvent', options, betEvent());

  expect(result?.location).toEqual(GEOJS);
  expect(lookups.requests).toHaveLength(1);
});

test('if every source fails, the error lists the steps and nothing reaches the gateway', async ({ context, page, site, gateway, lookups, options }) => {
  lookups.answers['get.geojs.io'] = 'unreachable';
  lookups.answers['ipapi.co'] = refusal(429);
  lookups.answers['free.freeipapi.com'] = refusal(500);
  await denyGeolocation(context);
  await page.goto(site.url);

  const { error } = await call(page, 'reportBetEvent', options, betEvent());

  expect(error).toMatchObject({ name: 'LocationError', code: 'location', outcome: 'not-sent', attempts: 0 });
  expect(error?.steps).toEqual([
    { step: 'browser-geolocation', reason: 'denied', message: expect.any(String), durationMs: expect.any(Number) },
    { step: 'geojs', reason: 'unreachable', message: expect.any(String), durationMs: expect.any(Number) },
    { step: 'ipapi.co', reason: 'refused', message: expect.any(String), durationMs: expect.any(Number) },
    { step: 'freeipapi', reason: 'bad-answer', message: expect.any(String), durationMs: expect.any(Number) },
  ]);
  expect(gateway.requests).toEqual([]);
});

test('if every source fails on a page over plain http, the first step says why the browser was not asked', async ({ page, site, lookups, options }) => {
  for (const host of ['get.geojs.io', 'ipapi.co', 'free.freeipapi.com'] as const) lookups.answers[host] = 'unreachable';
  await page.goto(site.insecureUrl);

  const { error } = await call(page, 'reportBetEvent', options, betEvent());

  expect(error?.steps?.map(({ reason }) => reason)).toEqual(['insecure-context', 'unreachable', 'unreachable', 'unreachable']);
});

test('a payload that does not validate asks neither the player nor a service', async ({ context, page, site, gateway, lookups, options }) => {
  await denyGeolocation(context);
  const prompts = await countPrompts(page);
  await page.goto(site.url);

  const { error } = await call(page, 'reportBetEvent', options, betEvent({ amount: Number.NaN }));

  expect(error).toMatchObject({ code: 'validation', outcome: 'not-sent', issues: [{ path: 'amount' }] });
  expect(await prompts()).toBe(0);
  expect(lookups.requests).toEqual([]);
  expect(gateway.requests).toEqual([]);

  await call(page, 'reportBetEvent', options, betEvent());
  expect(await prompts()).toBe(1);
  expect(lookups.requests).toHaveLength(1);
});

test('a location that the page passes causes no question and no lookup', async ({ context, page, site, gateway, lookups, options }) => {
  await grantGeolocation(context);
  const prompts = await countPrompts(page);
  await page.goto(site.url);

  await call(page, 'reportBetEvent', options, betEvent(), { location: { latitude: 0, longitude: 0 } });

  expect(gateway.recorded()).toMatchObject([{ location: { latitude: 0, longitude: 0, source: 'provided' } }]);
  expect(await prompts()).toBe(0);
  expect(lookups.requests).toEqual([]);
});

test('ten reports at the same time ask the player once, and have the same position', async ({ context, page, site, gateway, lookups, options }) => {
  await grantGeolocation(context);
  await delayGeolocation(page, 200);
  const prompts = await countPrompts(page);
  await page.goto(site.url);

  const client = await keepClient(page, options);
  const receipts = await client.reportBetEvents(Array.from({ length: 10 }, (_, index) => betEvent({ bet_id: `BET-${index}` })));

  expect(receipts.map(({ location }) => location)).toEqual(Array(10).fill(GPS));
  expect(gateway.recorded()).toHaveLength(10);
  expect(await prompts()).toBe(1);
  await client.reportBetEvents([betEvent({ bet_id: 'BET-10' })]);
  expect(await prompts()).toBe(1);
  expect(lookups.requests).toEqual([]);
});

test('a player who denies is not asked for every bet, and a later permission is used at once', async ({ context, page, site, lookups, options }) => {
  await denyGeolocation(context);
  const prompts = await countPrompts(page);
  await page.goto(site.url);
  const client = await keepClient(page, options);

  expect(await client.locate()).toMatchObject({ source: 'ip', steps: [{ reason: 'denied' }, { step: 'geojs' }] });
  expect(await client.locate()).toMatchObject({ source: 'ip', steps: [{ reason: 'denied' }, { step: 'geojs' }] });
  expect(await prompts()).toBe(1);

  await grantGeolocation(context);
  expect(await client.locate()).toMatchObject(GPS);
  expect(await prompts()).toBe(2);
  expect(lookups.requests.length).toBeGreaterThan(0);
});

test('after a permission is taken back, the address is looked up', async ({ context, page, site, lookups, options }) => {
  await grantGeolocation(context);
  await page.goto(site.url);
  const client = await keepClient(page, { ...options, location: { browser: { maximumAgeMs: 0 } } });

  expect(await client.locate()).toMatchObject(GPS);
  await revokeGeolocation(context);
  expect(await client.locate()).toMatchObject({ ...GEOJS, steps: [{ reason: 'denied' }, { step: 'geojs' }] });
  expect(lookups.requests).toHaveLength(1);
});

test('if a permission is taken back while the browser is asked, the address is looked up', async ({ context, page, site, lookups, options }) => {
  await grantGeolocation(context);
  await delayGeolocation(page, 500);
  const prompts = await countPrompts(page);
  await page.goto(site.url);
  const client = await keepClient(page, options);

  const location = client.locate();
  await expect.poll(prompts).toBe(1);
  await revokeGeolocation(context);
  expect(await location).toMatchObject({ ...GEOJS, steps: [{ reason: 'denied' }, { step: 'geojs' }] });
  expect(lookups.requests).toHaveLength(1);
});

test('a position that comes after the limit changes nothing, and is used by the next call', async ({ context, page, site, lookups, options }) => {
  await grantGeolocation(context);
  await delayGeolocation(page, 1_000);
  const prompts = await countPrompts(page);
  await page.goto(site.url);
  const client = await keepClient(page, { ...options, location: { browser: { timeoutMs: 200, highAccuracy: false } } });

  expect(await client.locate()).toMatchObject({ ...GEOJS, steps: [{ reason: 'timeout' }, { step: 'geojs' }] });
  await expect.poll(client.locate, { timeout: 10_000 }).toMatchObject(GPS);
  expect(await prompts()).toBe(1);
  expect(lookups.requests.length).toBeGreaterThan(0);
});

test.for([
  ['with', 'geolocation', GPS],
  ['without', '', { ...GEOJS, steps: [{ reason: 'blocked-by-policy' }, { step: 'geojs' }] }],
] as const)('a frame of another origin, %s allow="geolocation"', async ([, allow, location], { context, page, site, lookups, options, onTestFinished }) => {
  const other = await servePages([]);
  onTestFinished(() => other.close());
  await grantGeolocation(context);
  await page.goto(`${site.url}/empty`);
  await page.evaluate(
    ([src, allow]) =>
      new Promise((resolve) => {
        const frame = Object.assign(document.createElement('iframe'), { src, allow, onload: resolve });
        document.body.append(frame);
      }),
    [other.url, allow] as const,
  );
  const frame = page.frames().find((frame) => frame.url().startsWith(other.url));
  if (!frame) throw new Error('the frame was not loaded');

  expect(await (await keepClient(frame, options)).locate()).toMatchObject(location);
  expect(lookups.requests).toHaveLength(allow ? 0 : 1);
});

test('a policy of the page is distinguished from the player, and the error gives the right advice', async ({ context, page, site, options }) => {
  await grantGeolocation(context);
  await page.goto(`${site.url}/without-geolocation`);
  const client = await keepClient(page, { ...options, location: { ip: { enabled: false } } });

  const { steps, message } = await client.locate();
  expect(steps).toMatchObject([{ step: 'browser-geolocation', reason: 'blocked-by-policy' }]);
  expect(message).toContain('allow="geolocation"');
});

test.for([
  ['may have', grantGeolocation, '/', 'granted'],
  ['may not have', denyGeolocation, '/', 'denied'],
  ['may have, except for its policy,', grantGeolocation, '/without-geolocation', 'unavailable'],
] as const)('locationPermission says what a page %s, and asks no player', async ([, prepare, path, permission], { context, page, site }) => {
  await prepare(context);
  const prompts = await countPrompts(page);
  await page.goto(site.url + path);
  expect(await page.evaluate(() => LocationSDK.locationPermission())).toBe(permission);
  expect(await prompts()).toBe(0);
});

test('locationPermission is "unavailable" over plain http', async ({ context, page, site }) => {
  await grantGeolocation(context);
  await page.goto(site.insecureUrl);
  expect(await page.evaluate(() => LocationSDK.locationPermission())).toBe('unavailable');
});

test('a page gets events when the browser is asked and when it answers', async ({ context, page, site }) => {
  await grantGeolocation(context);
  await page.goto(site.url);
  const events = await page.evaluate(async () => {
    const heard: ClientEvent[] = [];
    await LocationSDK.createClient({ location: { ip: { enabled: false } }, onEvent: (event) => void heard.push(event) }).locate();
    for (let tries = 0; tries < 100 && heard.length < 3; tries += 1) await new Promise((resolve) => setTimeout(resolve, 20));
    return heard;
  });
  expect(events.filter(({ type }) => type !== 'location-step')).toEqual([
    { type: 'location-asked', permission: 'granted' },
    { type: 'location-answered', reason: undefined, durationMs: expect.any(Number) },
  ]);
  expect(JSON.stringify(events)).not.toContain(String(POSITION.latitude));
});

describe('a tab that the player does not see', () => {
  const LOCATE = `LocationSDK.createClient({ location: { ip: { enabled: false } } }).locate().catch((error) => error.toJSON())`;

  test('is not asked without permission: the answer would wait for the player to come back', async ({ browser, site }) => {
    const tab = await openTab(browser, site.url);
    await tab.setGeolocationPermission('prompt');
    await tab.hide();
    await tab.evaluate('void (Geolocation.prototype.getCurrentPosition = () => { globalThis.asked = true; })');

    expect(await tab.evaluate(LOCATE)).toMatchObject({ code: 'location', steps: [{ reason: 'page-hidden' }] });
    expect(await tab.evaluate('globalThis.asked')).toBeUndefined();
  });

  test('delays the first report by a second if permission was granted and the browser withholds the position, and has it when it is shown again', async ({
    browser,
    site,
  }) => {
    const tab = await openTab(browser, site.url);
    await tab.setGeolocationPermission('granted');
    const isHidden = await tab.hide();
    await tab.evaluate('void (globalThis.client = LocationSDK.createClient({ location: { ip: { enabled: false } } }))');
    const locate = () => tab.evaluate<{ steps: { durationMs: number }[] }>('client.locate().catch((error) => error.toJSON())');

    // A tab that is not really hidden gets its position at once.
    const held = { steps: [{ reason: 'page-hidden' }] };
    expect(await locate()).toMatchObject(isHidden ? held : GPS);
    const again = await locate();
    expect(again).toMatchObject(isHidden ? held : GPS);
    expect(again.steps[0]?.durationMs).toBeLessThan(900);

    await tab.show();
    await expect.poll(locate).toMatchObject(GPS);
  });

  test('is not waited for when it is left while the player decides', async ({ browser, site }) => {
    const tab = await openTab(browser, site.url);
    await tab.evaluate('void (Geolocation.prototype.getCurrentPosition = () => {})');
    await tab.evaluate(`void (globalThis.located = ${LOCATE})`);
    await tab.hide();

    expect(await tab.evaluate('located')).toMatchObject({ steps: [{ reason: 'page-hidden' }] });
  });
});
