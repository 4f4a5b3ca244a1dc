// @module-tag slow: drives Chromium.
import { createServer } from 'node:http';
import { expect } from 'vitest';
import { listen } from '../support/listen.js';
import { betEvent } from './bet.js';
import { test } from './browser-test.js';
import { grantGeolocation, leavePromptOpen } from './geolocation.js';
import { call } from './in-page.js';
import { bundleModules } from './script-file.js';

declare const LocationSDK: typeof import('../../src/entries/script-tag.js').LocationSDK;

const ONCE = { retry: { limit: 0 } };

test('a report crosses origins: the browser sends a preflight and then the report, without cookies or referrer', async ({
  context,
  page,
  site,
  gateway,
  options,
}) => {
  await grantGeolocation(context);
  await context.addCookies([{ name: 'session', value: 'secret', url: gateway.url }]);
  await page.goto(site.url);

  await call(page, 'reportBetEvent', options, betEvent());

  expect(gateway.requests.map(({ method, url }) => `${method} ${new URL(url).pathname}`)).toEqual([
    'OPTIONS /integration-gateway/external/report-bet-event',
    'POST /integration-gateway/external/report-bet-event',
  ]);
  const headers = gateway.requests.map((request) => Object.fromEntries(request.headers));
  expect(headers[0]).toMatchObject({ origin: site.url, 'access-control-request-headers': 'content-type,x-api-key' });
  expect(headers[1]).toMatchObject({
    origin: site.url,
    'content-type': 'application/json',
    'x-api-key': 'mock-api-key',
  });
  for (const name of ['cookie', 'referer']) expect(headers.map((sent) => sent[name])).toEqual([undefined, undefined]);
});

test.for([
  ['the script-tag file', undefined],
  ['the modules in a bundle', 'index.js'],
] as const)(
  'no referrer is sent by %s even if the policy of the page would send it everywhere',
  async ([, file], { context, page, site, gateway, options }) => {
    await grantGeolocation(context);
    await page.goto(`${site.url}/with-loose-referrer?session=S-1`);
    if (file) await page.addScriptTag({ content: await bundleModules(file) });

    const { result } = await call(
      page,
      'reportBetEvent',
      options,
      betEvent({ user: { ...betEvent().user, last_name: 'Ọláńrewájú' } }),
    );

    expect(result?.outcome).toBe('recorded');
    expect(gateway.recorded()).toMatchObject([{ user: { last_name: 'Ọláńrewájú' } }]);
    expect(gateway.requests.map(({ method, headers }) => [method, headers.get('referer')])).toEqual([
      ['OPTIONS', null],
      ['POST', null],
    ]);
  },
);

test('after a lost answer the outcome is unknown, and resend finds that the report is recorded', async ({
  context,
  page,
  site,
  gateway,
  options,
}) => {
  gateway.endConnectionsAfterPreflight();
  await grantGeolocation(context);
  await page.goto(site.url);

  gateway.gateway.faults.add({ kind: 'connection-reset', when: 'after' });
  const [error, receipt] = await page.evaluate(
    async ([options, bet]) => {
      const client = LocationSDK.createClient(options);
      const thrown = await client.reportBetEvent(bet).catch((error) => error);
      return [thrown.toJSON(), await client.resend(thrown)];
    },
    [{ ...options, ...ONCE }, betEvent()] as const,
  );
  expect(error).toMatchObject({ name: 'NetworkError', code: 'network', outcome: 'unknown', attempts: 1 });
  expect(receipt).toMatchObject({
    outcome: 'already-recorded',
    reference: 'BET-1',
    attempts: 1,
    location: { source: 'gps' },
  });
  expect(gateway.recorded()).toHaveLength(1);
});

test('after a lost answer the next attempt finds that the report is recorded', async ({
  context,
  page,
  site,
  gateway,
  options,
}) => {
  gateway.endConnectionsAfterPreflight();
  gateway.gateway.faults.add({ kind: 'connection-reset', when: 'after' });
  await grantGeolocation(context);
  await page.goto(site.url);

  const { result } = await call(page, 'reportBetEvent', options, betEvent());

  expect(result).toMatchObject({ outcome: 'already-recorded', attempts: 2 });
  expect(gateway.recorded()).toHaveLength(1);
});

// If a kept-alive connection breaks without an answer, a browser repeats the request by itself, and the page does not
// see it.
test('a report that the browser itself sent twice is a duplicate that may be its own, and a second duplicate answer does not change that', async ({
  context,
  page,
  site,
  gateway,
  options,
}) => {
  gateway.gateway.faults.add({ kind: 'connection-reset', when: 'after' });
  await grantGeolocation(context);
  await page.goto(site.url);

  const errors = await page.evaluate(
    async ([options, bet]) => {
      const client = LocationSDK.createClient(options);
      const thrown = await client.reportBetEvent(bet).catch((error) => error);
      const again = await client.resend(thrown).catch((error) => error);
      return [thrown, again].map(({ code, conflict, outcome }) => ({ code, conflict, outcome }));
    },
    [{ ...options, ...ONCE }, betEvent()] as const,
  );

  expect(gateway.requests.map(({ method }) => method).slice(0, 3)).toEqual(['OPTIONS', 'POST', 'POST']);
  expect(gateway.recorded()).toHaveLength(1);
  const mayBeOurs = { code: 'duplicate', conflict: false, outcome: 'unknown' };
  expect(errors).toEqual([mayBeOurs, mayBeOurs]);
});

test('the answers of a gateway can be read across origins, and the key reaches no other host', async ({
  context,
  page,
  site,
  gateway,
  options,
}) => {
  await grantGeolocation(context);
  await page.goto(site.url);
  const errorOf = async (more: object) =>
    (await call(page, 'reportBetEvent', { ...options, ...more }, betEvent())).error;

  const wrongKey = await errorOf({ gateways: { staging: { baseUrl: gateway.url, apiKey: 'not-the-key' } } });
  expect(wrongKey).toMatchObject({ code: 'authentication', outcome: 'rejected', status: 401 });
  expect(wrongKey?.message).not.toContain('not-the-key');

  gateway.gateway.faults.add({ kind: 'status', status: 429, retryAfter: 120 });
  const busy = { code: 'rate-limited', outcome: 'rejected', status: 429, retryAfterMs: 120_000, attempts: 1 };
  expect(await errorOf({})).toMatchObject(busy);

  gateway.gateway.faults.add({ kind: 'status', status: 307, headers: { location: `${gateway.url}/moved` } });
  expect(await errorOf(ONCE)).toMatchObject({ code: 'gateway', outcome: 'unknown' });
  expect(gateway.requests.map(({ url }) => new URL(url).pathname)).not.toContain('/moved');
  expect(gateway.recorded()).toEqual([]);

  const { result } = await call(page, 'reportBetEvent', options, betEvent(), { environment: 'production' });
  expect(result?.environment).toBe('production');
  expect([gateway.recorded().length, gateway.gateway.reports('production').length]).toEqual([0, 1]);
});

test('a gateway that does not allow the page gets no report, and one that cannot be reached leaves the outcome unknown: a browser gives no cause', async ({
  context,
  page,
  site,
  gateway,
  options,
  onTestFinished,
}) => {
  await grantGeolocation(context);
  await page.goto(site.url);
  const asked: string[] = [];
  const silent = await listen(
    createServer(({ method }, response) => {
      asked.push(method ?? '');
      response.writeHead(204).end();
    }),
  );
  onTestFinished(silent.close);
  const elsewhere = { staging: { baseUrl: silent.url, apiKey: 'mock-api-key' } };
  const refused = await call(page, 'reportBetEvent', { ...options, ...ONCE, gateways: elsewhere }, betEvent());
  expect(refused.error).toMatchObject({ code: 'network', outcome: 'unknown' });
  expect(asked).toEqual(['OPTIONS']);
  expect(gateway.requests).toEqual([]);

  await gateway.close();
  const { error } = await call(page, 'reportBetEvent', { ...options, ...ONCE }, betEvent());
  expect(error).toMatchObject({ code: 'network', outcome: 'unknown', attempts: 1 });
});

test("the page's signal ends a call while the prompt is open, and nothing is sent", async ({
  page,
  site,
  gateway,
  lookups,
  options,
}) => {
  await leavePromptOpen(page);
  await page.goto(site.url);
  // Longer than the test may last: only the signal can end the call.
  const patient = { ...options, timeoutMs: 120_000, location: { timeoutMs: 120_000, browser: { timeoutMs: 120_000 } } };

  const error = await page.evaluate(
    async ([options, bet]) => {
      const controller = new AbortController();
      const call = LocationSDK.createClient(options).reportBetEvent(bet, { signal: controller.signal });
      controller.abort();
      return call.catch((error) => error.toJSON());
    },
    [patient, betEvent()] as const,
  );

  expect(error).toMatchObject({ code: 'aborted', outcome: 'not-sent', attempts: 0 });
  expect(lookups.requests).toEqual([]);
  expect(gateway.requests).toEqual([]);
});
