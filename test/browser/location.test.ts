import { expect } from 'vitest';
import { betEvent, withdrawalEvent } from './bet.js';
import { test } from './browser-test.js';
import { countPrompts, denyGeolocation, grantGeolocation, leavePromptOpen, loseGeolocation, POSITION } from './geolocation.js';
import { call, locate } from './in-page.js';
import { notKnowing, refusal } from './lookup-services.js';

const GPS = { ...POSITION, source: 'gps' };
const GEOJS = { latitude: 6.4474, longitude: 3.3903, city: 'Lagos', region: 'Lagos', country: 'NG', accuracy: 20_000, source: 'ip' };
const IPAPI_CO = { latitude: 9.0579, longitude: 7.4951, city: 'Abuja', region: 'FCT', country: 'NG', source: 'ip' };
const FREEIPAPI = { latitude: 12.0022, longitude: 8.592, city: 'Kano', region: 'Kano', country: 'NG', source: 'ip' };

test('a position that the player grants is sent as gps, and no service is asked', async ({ context, page, site, gateway, lookups, options }) => {
  await grantGeolocation(context);
  await page.goto(site.url);

  const { result } = await call(page, 'reportBetEvent', options, betEvent());

  expect(result).toMatchObject({ outcome: 'recorded', operation: 'reportBetEvent', reference: 'BET-1', environment: 'staging', attempts: 1 });
  expect(result?.location).toEqual(GPS);
  expect(gateway.recorded()).toEqual([{ ...betEvent(), timestamp: expect.stringMatching(/^\d{10}$/), location: GPS }]);
  expect(lookups.requests).toEqual([]);
});

test('a withdrawal is located as a bet is', async ({ context, page, site, gateway, options }) => {
  await grantGeolocation(context);
  await page.goto(site.url);

  const { result } = await call(page, 'reportWithdrawalEvent', options, withdrawalEvent());

  expect(result).toMatchObject({ outcome: 'recorded', reference: 'WR-1', location: GPS });
  expect(gateway.recorded()).toEqual([{ ...withdrawalEvent(), timestamp: expect.any(String), location: GPS }]);
});

test('locate asks for the position ahead of the first bet and reports nothing', async ({ context, page, site, gateway, options }) => {
  await grantGeolocation(context);
  await page.goto(site.url);

  expect(await locate(page, options)).toEqual({ result: GPS });
  expect(gateway.requests).toEqual([]);
});

test('a denied position falls to the lookup of the address', async ({ context, page, site, gateway, lookups, options }) => {
  await denyGeolocation(context);
  await page.goto(site.url);

  const { result } = await call(page, 'reportBetEvent', options, betEvent());

  expect(result?.location).toEqual(GEOJS);
  expect(gateway.recorded()).toMatchObject([{ bet_id: 'BET-1', location: GEOJS }]);
  expect(lookups.requests).toMatchObject([{ method: 'GET', url: 'https://get.geojs.io/v1/ip/geo.json' }]);
});

test('a lookup carries neither the key nor the address of the page', async ({ context, page, site, lookups, options }) => {
  await denyGeolocation(context);
  await page.goto(`${site.url}/?player=U-88412`);

  await call(page, 'reportBetEvent', options, betEvent());

  expect(lookups.requests).toHaveLength(1);
  expect(JSON.stringify(lookups.requests)).not.toMatch(/U-88412|mock-api-key/);
});

test('a lookup does not carry the address of the page where the page would tell everybody', async ({ context, page, site, lookups, options }) => {
  await denyGeolocation(context);
  await page.goto(`${site.url}/with-loose-referrer?player=U-88412`);

  await call(page, 'reportBetEvent', options, betEvent());

  expect(lookups.requests).toHaveLength(1);
  expect(JSON.stringify(lookups.requests)).not.toContain('U-88412');
});

test.for([
  ['cannot be reached', 'unreachable'],
  ['refuses more requests', refusal(429)],
  ['answers without leave for the page to read it', refusal(429, {})],
  ['fails', refusal(500)],
  ['does not know', notKnowing()],
  ['does not answer in time', 'silent'],
] as const)('where the first service %s, the second is asked', async ([, answer], { context, page, site, gateway, lookups, options }) => {
  lookups.answers['get.geojs.io'] = answer;
  await denyGeolocation(context);
  await page.goto(site.url);

  const { result } = await call(page, 'reportBetEvent', { ...options, location: { ip: { timeoutMs: 300 } } }, betEvent());

  expect(result?.location).toEqual(IPAPI_CO);
  expect(gateway.recorded()).toMatchObject([{ location: IPAPI_CO }]);
  expect(lookups.requests.map(({ url }) => url)).toEqual(['https://get.geojs.io/v1/ip/geo.json', 'https://ipapi.co/json/']);
});

test('where two services fail, the third is asked', async ({ context, page, site, lookups, options }) => {
  lookups.answers['get.geojs.io'] = 'unreachable';
  lookups.answers['ipapi.co'] = refusal(429);
  await denyGeolocation(context);
  await page.goto(site.url);

  const { result } = await call(page, 'reportBetEvent', options, betEvent());

  expect(result?.location).toEqual(FREEIPAPI);
});

test('a device that does not know where it is falls to the lookup', async ({ context, page, site, lookups, options }) => {
  await loseGeolocation(context);
  await page.goto(site.url);

  const { result } = await call(page, 'reportBetEvent', options, betEvent());

  expect(result?.location).toEqual(GEOJS);
  expect(lookups.requests).toHaveLength(1);
});

test('a prompt that is never answered ends with the time limit of its step, and the lookup follows', async ({ page, site, gateway, lookups, options }) => {
  await leavePromptOpen(page);
  await page.goto(site.url);

  const { result } = await call(page, 'reportBetEvent', { ...options, location: { browser: { timeoutMs: 200 } } }, betEvent());

  expect(result?.location).toEqual(GEOJS);
  expect(gateway.recorded()).toMatchObject([{ location: GEOJS }]);
  expect(lookups.requests).toHaveLength(1);
});

test('a prompt that is never answered cannot outlast the time for finding a location', async ({ page, site, gateway, lookups, options }) => {
  await leavePromptOpen(page);
  await page.goto(site.url);

  const { error } = await call(page, 'reportBetEvent', { ...options, location: { timeoutMs: 200 } }, betEvent());

  expect(error).toMatchObject({ code: 'location', outcome: 'not-sent' });
  expect(error?.steps).toMatchObject([{ step: 'browser-geolocation', reason: 'timeout' }, { reason: 'timeout' }, { reason: 'timeout' }, { reason: 'timeout' }]);
  expect(lookups.requests).toEqual([]);
  expect(gateway.requests).toEqual([]);
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

test('a page whose policy forbids geolocation falls to the lookup', async ({ context, page, site, lookups, options }) => {
  await grantGeolocation(context);
  await page.goto(`${site.url}/without-geolocation`);

  const { result } = await call(page, 'reportBetEvent', options, betEvent());

  expect(result?.location).toEqual(GEOJS);
  expect(lookups.requests).toHaveLength(1);
});

test('where every source fails, the error lists the steps and nothing reaches the gateway', async ({ context, page, site, gateway, lookups, options }) => {
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

test('where every source fails on a page over plain http, the first step says why the browser was not asked', async ({ page, site, lookups, options }) => {
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

test('a location that the page passes asks nobody', async ({ context, page, site, gateway, lookups, options }) => {
  await grantGeolocation(context);
  const prompts = await countPrompts(page);
  await page.goto(site.url);

  await call(page, 'reportBetEvent', options, betEvent(), { location: { latitude: 0, longitude: 0 } });

  expect(gateway.recorded()).toMatchObject([{ location: { latitude: 0, longitude: 0, source: 'provided' } }]);
  expect(await prompts()).toBe(0);
  expect(lookups.requests).toEqual([]);
});
