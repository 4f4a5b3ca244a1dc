// @module-tag slow: waits for the time limits of a browser.
import type { Page } from 'playwright-core';
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
import { type LookupAnswer, notKnowing, refusal } from './lookup-services.js';
import { servePages } from './page-server.js';
import { readScript } from './script-file.js';

declare const LocationSDK: typeof import('../../src/entries/script-tag.js').LocationSDK;

/** The page's view of its permission. */
const permissionOf = (page: Page) => page.evaluate(() => LocationSDK.locationPermission());

const GPS = { ...POSITION, source: 'gps' };
const GEOJS = {
  latitude: 6.4474,
  longitude: 3.3903,
  city: 'Lagos',
  region: 'Lagos',
  country: 'NG',
  accuracy: 20_000,
  source: 'ip',
};
const IPAPI_CO = { latitude: 9.0579, longitude: 7.4951, city: 'Abuja', region: 'FCT', country: 'NG', source: 'ip' };
const FREEIPAPI = { latitude: 12.0022, longitude: 8.592, city: 'Kano', region: 'Kano', country: 'NG', source: 'ip' };

test('a position that the player allows is sent as gps, with a bet and a withdrawal, and no service is asked', {
  tags: 'slice',
}, async ({ context, page, site, gateway, lookups, options }) => {
  await grantGeolocation(context);
  const prompts = await countPrompts(page);
  await page.goto(site.url);
  expect(await permissionOf(page)).toBe('granted');
  expect(await prompts()).toBe(0);
  // Before the first bet, and without a report.
  expect(await locate(page, options)).toEqual({
    result: {
      ...GPS,
      ageMs: expect.any(Number),
      steps: [{ step: 'browser-geolocation', durationMs: expect.any(Number) }],
    },
  });
  expect(gateway.requests).toEqual([]);

  const bet = await call(page, 'reportBetEvent', options, betEvent());
  expect(bet.result).toMatchObject({
    outcome: 'recorded',
    operation: 'reportBetEvent',
    reference: 'BET-1',
    environment: 'staging',
    attempts: 1,
  });
  expect(bet.result?.location).toEqual(GPS);
  const withdrawal = await call(page, 'reportWithdrawalEvent', options, withdrawalEvent());
  expect(withdrawal.result).toMatchObject({ outcome: 'recorded', reference: 'WR-1', location: GPS });
  const timestamp = expect.stringMatching(/^\d{10}$/);
  expect(gateway.recorded()).toEqual([
    { ...betEvent(), timestamp, location: GPS },
    { ...withdrawalEvent(), timestamp, location: GPS },
  ]);
  expect(lookups.requests).toEqual([]);
});

test('the page of the guide that asks early has the position when the player bets, and asks no more', async ({
  context,
  page,
  site,
  lookups,
}) => {
  const [, section = ''] = readGuides('how-to/location').split('## In a page');
  const code = codeBlocks(section).find(({ language }) => language === 'js')?.code ?? '';
  const body = `<button id="continue">Continue</button><p id="how-to-allow" hidden>How to allow it</p><button id="bet">Bet</button>
    <script src="/early.js"></script><script type="module">${code}
      document.querySelector('#bet').addEventListener('click', async () => {
        const location = await client.locate();
        await fetch('/bets', { method: 'POST', body: JSON.stringify({ stake: 1500, location }) });
      });
    </script>`;
  await page.route(`${site.url}/early`, (route) =>
    route.fulfill({ contentType: 'text/html', body: `<!doctype html><body>${body}</body>` }),
  );
  await page.route(`${site.url}/early.js`, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: readScript() }),
  );
  await page.route(`${site.url}/bets`, (route) => route.fulfill({ body: '' }));
  await grantGeolocation(context);
  const prompts = await countPrompts(page);
  await page.goto(`${site.url}/early`);
  expect(await prompts()).toBe(0);
  expect(await page.isHidden('#how-to-allow')).toBe(true);

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

test('after a denied position the address is looked up, by a request with neither the key nor the address of the page', async ({
  context,
  page,
  site,
  gateway,
  lookups,
  options,
}) => {
  await denyGeolocation(context);
  // The policy of the second page would send its address everywhere.
  for (const [path, bet_id] of [
    ['/', 'BET-1'],
    ['/with-loose-referrer', 'BET-2'],
  ] as const) {
    await page.goto(`${site.url}${path}?player=U-88412`);
    expect(await permissionOf(page)).toBe('denied');
    const { result } = await call(page, 'reportBetEvent', options, betEvent({ bet_id }));
    expect(result?.location).toEqual(GEOJS);
    expect(gateway.recorded().at(-1)).toMatchObject({ bet_id, location: GEOJS });
  }
  expect(lookups.requests).toMatchObject(Array(2).fill({ method: 'GET', url: 'https://get.geojs.io/v1/ip/geo.json' }));
  expect(JSON.stringify(lookups.requests)).not.toMatch(/U-88412|mock-api-key/);
});

test('if a service gives no location the next one is asked, and if all fail the error lists the steps', async ({
  context,
  page,
  site,
  gateway,
  lookups,
  options,
}) => {
  await denyGeolocation(context);
  await page.goto(site.url);
  const ways: readonly LookupAnswer[] = ['unreachable', refusal(429), refusal(429, {}), refusal(500), notKnowing()];
  for (const [index, answer] of [...ways, 'silent' as const].entries()) {
    lookups.answers['get.geojs.io'] = answer;
    lookups.requests.length = 0;
    const location = { ip: { timeoutMs: answer === 'silent' ? 600 : 10_000 } };
    const bet = betEvent({ bet_id: `BET-${index}` });
    const { result } = await call(page, 'reportBetEvent', { ...options, location }, bet);
    expect(result?.location, JSON.stringify(answer)).toEqual(IPAPI_CO);
    expect(lookups.requests.map(({ url }) => url)).toEqual([
      'https://get.geojs.io/v1/ip/geo.json',
      'https://ipapi.co/json/',
    ]);
  }
  expect(gateway.recorded()).toMatchObject(Array(6).fill({ location: IPAPI_CO }));

  lookups.answers['get.geojs.io'] = 'unreachable';
  lookups.answers['ipapi.co'] = refusal(429);
  const third = await call(page, 'reportBetEvent', options, betEvent({ bet_id: 'BET-third' }));
  expect(third.result?.location).toEqual(FREEIPAPI);

  lookups.answers['free.freeipapi.com'] = refusal(500);
  gateway.requests.length = 0;
  const { error } = await call(page, 'reportBetEvent', options, betEvent({ bet_id: 'BET-none' }));
  expect(error).toMatchObject({ name: 'LocationError', code: 'location', outcome: 'not-sent', attempts: 0 });
  expect(error?.steps).toEqual([
    { step: 'browser-geolocation', reason: 'denied', message: expect.any(String), durationMs: expect.any(Number) },
    { step: 'geojs', reason: 'unreachable', message: expect.any(String), durationMs: expect.any(Number) },
    { step: 'ipapi.co', reason: 'refused', message: expect.any(String), durationMs: expect.any(Number) },
    { step: 'freeipapi', reason: 'bad-answer', message: expect.any(String), durationMs: expect.any(Number) },
  ]);
  expect(gateway.requests).toEqual([]);
});

test('if a device has no position, the address is looked up', async ({ context, page, site, lookups, options }) => {
  await loseGeolocation(context);
  await page.goto(site.url);

  const { result } = await call(page, 'reportBetEvent', options, betEvent());

  expect(result?.location).toEqual(GEOJS);
  expect(lookups.requests).toHaveLength(1);
});

test('a prompt without a decision ends with the time limit of its step or of all steps, and leaves the lookup its share', async ({
  page,
  site,
  gateway,
  lookups,
  options,
}) => {
  await leavePromptOpen(page);
  const report = async (location: object, bet_id: string) => {
    await page.goto(site.url);
    return call(page, 'reportBetEvent', { ...options, location }, betEvent({ bet_id }));
  };
  const { error } = await report({ timeoutMs: 200, ip: { enabled: false } }, 'BET-none');
  expect(error).toMatchObject({ code: 'location', outcome: 'not-sent' });
  expect(error?.steps).toMatchObject([{ step: 'browser-geolocation', reason: 'timeout' }]);
  expect([lookups.requests, gateway.requests]).toEqual([[], []]);

  expect((await report({ browser: { timeoutMs: 200 } }, 'BET-1')).result?.location).toEqual(GEOJS);
  expect((await report({ timeoutMs: 1_500 }, 'BET-2')).result?.location).toEqual(GEOJS);
  expect(gateway.recorded()).toMatchObject([{ location: GEOJS }, { location: GEOJS }]);
  expect(lookups.requests).toHaveLength(2);
});

test('a page over plain http is not asked for a position; the address is looked up, and a failure says why', async ({
  context,
  page,
  site,
  gateway,
  lookups,
  options,
}) => {
  await grantGeolocation(context);
  const prompts = await countPrompts(page);
  await page.goto(site.insecureUrl);
  expect(await permissionOf(page)).toBe('unavailable');

  const { result } = await call(page, 'reportBetEvent', options, betEvent());
  expect(result?.location).toEqual(GEOJS);
  expect(gateway.recorded()).toMatchObject([{ location: GEOJS }]);
  expect(lookups.requests).toHaveLength(1);

  for (const host of ['get.geojs.io', 'ipapi.co', 'free.freeipapi.com'] as const) lookups.answers[host] = 'unreachable';
  const { error } = await call(page, 'reportBetEvent', options, betEvent());
  expect(error?.steps?.map(({ reason }) => reason)).toEqual([
    'insecure-context',
    'unreachable',
    'unreachable',
    'unreachable',
  ]);
  expect(await prompts()).toBe(0);
});

test("if the page's policy forbids geolocation, the address is looked up, and an error gives the right advice", async ({
  context,
  page,
  site,
  lookups,
  options,
}) => {
  await grantGeolocation(context);
  await page.goto(`${site.url}/without-geolocation`);
  expect(await permissionOf(page)).toBe('unavailable');
  const { result } = await call(page, 'reportBetEvent', options, betEvent());
  expect(result?.location).toEqual(GEOJS);
  expect(lookups.requests).toHaveLength(1);

  // It is distinguished from a denial by the player.
  const client = await keepClient(page, { ...options, location: { ip: { enabled: false } } });
  const { steps, message } = await client.locate();
  expect(steps).toMatchObject([{ step: 'browser-geolocation', reason: 'blocked-by-policy' }]);
  expect(message).toContain('allow="geolocation"');
});

test('neither the player nor a service is asked for a wrong payload, or for a report with a location', async ({
  context,
  page,
  site,
  gateway,
  lookups,
  options,
}) => {
  await denyGeolocation(context);
  const prompts = await countPrompts(page);
  await page.goto(site.url);

  const { error } = await call(page, 'reportBetEvent', options, betEvent({ amount: Number.NaN }));
  expect(error).toMatchObject({ code: 'validation', outcome: 'not-sent', issues: [{ path: 'amount' }] });
  expect(gateway.requests).toEqual([]);
  await call(page, 'reportBetEvent', options, betEvent(), { location: { latitude: 0, longitude: 0 } });
  expect(gateway.recorded()).toMatchObject([{ location: { latitude: 0, longitude: 0, source: 'provided' } }]);
  expect(await prompts()).toBe(0);
  expect(lookups.requests).toEqual([]);

  await call(page, 'reportBetEvent', options, betEvent({ bet_id: 'BET-2' }));
  expect(await prompts()).toBe(1);
  expect(lookups.requests).toHaveLength(1);
});

test('ten reports at the same time ask the player once, and have the same position', async ({
  context,
  page,
  site,
  gateway,
  lookups,
  options,
}) => {
  await grantGeolocation(context);
  await delayGeolocation(page, 200);
  const prompts = await countPrompts(page);
  await page.goto(site.url);

  const client = await keepClient(page, options);
  const receipts = await client.reportBetEvents(
    Array.from({ length: 10 }, (_, index) => betEvent({ bet_id: `BET-${index}` })),
  );

  expect(receipts.map(({ location }) => location)).toEqual(Array(10).fill(GPS));
  expect(gateway.recorded()).toHaveLength(10);
  expect(await prompts()).toBe(1);
  await client.reportBetEvents([betEvent({ bet_id: 'BET-10' })]);
  expect(await prompts()).toBe(1);
  expect(lookups.requests).toEqual([]);
});

test('a player who denies is not asked for every bet; a later permission is used at once, and so is its end', async ({
  context,
  page,
  site,
  lookups,
  options,
}) => {
  await denyGeolocation(context);
  const prompts = await countPrompts(page);
  await page.goto(site.url);
  const client = await keepClient(page, { ...options, location: { browser: { maximumAgeMs: 0 } } });
  const lookedUp = { ...GEOJS, steps: [{ reason: 'denied' }, { step: 'geojs' }] };

  expect(await client.locate()).toMatchObject(lookedUp);
  expect(await client.locate()).toMatchObject(lookedUp);
  expect(await prompts()).toBe(1);

  await grantGeolocation(context);
  expect(await client.locate()).toMatchObject(GPS);
  expect(await prompts()).toBe(2);

  await revokeGeolocation(context);
  expect(await client.locate()).toMatchObject(lookedUp);
  expect(lookups.requests.length).toBeGreaterThan(0);
});

test('if a permission is taken back while the browser is asked, the address is looked up', async ({
  context,
  page,
  site,
  lookups,
  options,
}) => {
  await grantGeolocation(context);
  await delayGeolocation(page, 300);
  const prompts = await countPrompts(page);
  await page.goto(site.url);
  const client = await keepClient(page, options);

  const location = client.locate();
  await expect.poll(prompts).toBe(1);
  await revokeGeolocation(context);
  expect(await location).toMatchObject({ ...GEOJS, steps: [{ reason: 'denied' }, { step: 'geojs' }] });
  expect(lookups.requests).toHaveLength(1);
});

test('a position that comes after the limit changes nothing, and is used by the next call', async ({
  context,
  page,
  site,
  lookups,
  options,
}) => {
  await grantGeolocation(context);
  await delayGeolocation(page, 600);
  const prompts = await countPrompts(page);
  await page.goto(site.url);
  const client = await keepClient(page, { ...options, location: { browser: { timeoutMs: 200, highAccuracy: false } } });

  expect(await client.locate()).toMatchObject({ ...GEOJS, steps: [{ reason: 'timeout' }, { step: 'geojs' }] });
  await expect.poll(client.locate, { timeout: 10_000 }).toMatchObject(GPS);
  expect(await prompts()).toBe(1);
  expect(lookups.requests.length).toBeGreaterThan(0);
});

test('a frame of another origin has the position only with allow="geolocation"', async ({
  context,
  page,
  site,
  lookups,
  options,
  onTestFinished,
}) => {
  const other = await servePages([]);
  onTestFinished(() => other.close());
  await grantGeolocation(context);
  await page.goto(`${site.url}/empty`);
  const located = async (allow: string) => {
    await page.evaluate(
      ([src, allow]) =>
        new Promise((resolve) => {
          const frame = Object.assign(document.createElement('iframe'), { src, allow, onload: resolve });
          document.body.append(frame);
        }),
      [other.url, allow] as const,
    );
    const frame = page
      .frames()
      .filter((frame) => frame.url().startsWith(other.url))
      .at(-1);
    if (!frame) throw new Error('the frame was not loaded');
    return (await keepClient(frame, options)).locate();
  };
  expect(await located('geolocation')).toMatchObject(GPS);
  expect(lookups.requests).toEqual([]);
  expect(await located('')).toMatchObject({ ...GEOJS, steps: [{ reason: 'blocked-by-policy' }, { step: 'geojs' }] });
  expect(lookups.requests).toHaveLength(1);
});

test('a page gets events when the browser is asked and when it answers', async ({ context, page, site }) => {
  await grantGeolocation(context);
  await page.goto(site.url);
  const events = await page.evaluate(async () => {
    const heard: ClientEvent[] = [];
    await LocationSDK.createClient({
      location: { ip: { enabled: false } },
      onEvent: (event) => void heard.push(event),
    }).locate();
    for (let tries = 0; tries < 100 && heard.length < 3; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 20));
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
  /** A browser that only tells the page that it is hidden would give it the position: this one waits, too. */
  const WITHHELD = `{
    const ask = Geolocation.prototype.getCurrentPosition;
    Geolocation.prototype.getCurrentPosition = function (...request) {
      const askIfSeen = () => {
        if (document.visibilityState !== 'visible') return;
        document.removeEventListener('visibilitychange', askIfSeen);
        ask.apply(this, request);
      };
      document.addEventListener('visibilitychange', askIfSeen);
      askIfSeen();
    };
  }`;

  test('is not asked without permission: the answer would wait for the player to come back', async ({
    browser,
    site,
  }) => {
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
    if (!isHidden) await tab.evaluate(WITHHELD);
    await tab.evaluate('void (globalThis.client = LocationSDK.createClient({ location: { ip: { enabled: false } } }))');
    const locate = () =>
      tab.evaluate<{ steps: { durationMs: number }[] }>('client.locate().catch((error) => error.toJSON())');

    const held = { steps: [{ reason: 'page-hidden' }] };
    const first = await locate();
    expect(first).toMatchObject(held);
    expect(first.steps[0]?.durationMs).toBeGreaterThan(900);
    expect(first.steps[0]?.durationMs).toBeLessThan(5_000);
    const again = await locate();
    expect(again).toMatchObject(held);
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
