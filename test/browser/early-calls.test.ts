// @module-tag slow: drives Chromium.
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { test } from './browser-test.js';
import { grantGeolocation } from './geolocation.js';
import { readScript } from './script-file.js';

declare const LocationSDK: typeof import('../../src/entries/script-tag.js').LocationSDK;

/** The limit of a test: machines may be slow. */
const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read, { timeout: 15_000 });

type Ended = [name: string, how: string | undefined][];

const ended = () => (window as unknown as { ended: Ended }).ended;

test('the stub is a small file', { tags: 'slice' }, () => {
  expect(gzipSync(readScript('location-sdk.stub.global.js')).byteLength).toBeLessThan(2_000);
});

test('the stub adds one name to the page, offers the calls and isReportingError, no part of an outbox, and ends a call after 30 s unless the tag says otherwise', async ({
  page,
  operator,
}) => {
  await page.addInitScript(() => {
    const waits: number[] = [];
    const { setTimeout } = window;
    Object.assign(window, {
      waits,
      setTimeout: (work: () => void, milliseconds: number) => {
        waits.push(milliseconds);
        return setTimeout(work, milliseconds);
      },
    });
  });
  const names = () => page.evaluate(() => Object.getOwnPropertyNames(window));
  await page.goto(`${operator.url}/elsewhere`);
  const before = await names();
  await page.goto(`${operator.url}/stub-alone`);
  expect((await names()).filter((name) => !before.includes(name))).toEqual(['LocationSDK']);
  const { offered, waits } = await page.evaluate(() => {
    void LocationSDK.locate();
    const { waits } = window as unknown as { waits: number[] };
    return { offered: Object.keys(LocationSDK).sort(), waits };
  });
  const calls = [
    'configure',
    'createClient',
    'locate',
    'locationPermission',
    'postOnce',
    'reportBetEvent',
    'reportWithdrawalEvent',
    'resend',
  ];
  const backend = ['reportSettledBet', 'reportSettledWithdrawal', 'verifyNin'];
  expect(offered).toEqual([...calls, ...backend, 'isReportingError', 'queue'].sort());
  expect(waits).toEqual([30_000]);
});

test.for(['async', 'defer'])(
  'calls before a script with %s has loaded are made in their order, and settle',
  async (how, { context, page, operator, violations, complaints }) => {
    await grantGeolocation(context);
    await page.goto(`${operator.url}/${how}`);

    await eventually(() => page.evaluate(ended)).toHaveLength(7);

    const settled = Object.fromEntries(await page.evaluate(ended));
    expect(settled).toEqual({
      ...{ configure: undefined, bet: 'recorded', withdrawal: 'recorded', wrong: 'validation' },
      ...{ 'bet of a client': 'recorded', settlement: 'configuration', 'wrong options': 'configuration' },
    });
    // Sent at the same time they may arrive in any order. Before configure they would not have been sent.
    expect(operator.requests.map(({ path }) => path).sort()).toEqual([
      '/location-sdk/report-bet-event',
      '/location-sdk/report-bet-event',
      '/location-sdk/report-withdrawal-event',
    ]);
    expect([violations, complaints]).toEqual([[], []]);
  },
);

test('a stub that a loader of scripts runs last changes nothing', async ({ context, page, operator }) => {
  await grantGeolocation(context);
  await page.goto(`${operator.url}/stub-last`);
  const outcome = page.evaluate(async () => {
    const client = LocationSDK.createClient({ relayUrl: '/location-sdk' });
    return (await client.reportBetEvent({ bet_id: 'B-1', amount: 1500 })).outcome;
  });
  expect(await outcome).toBe('recorded');
});

test('a kept function of the stub still works when the script has loaded', { tags: 'slice' }, async ({
  context,
  page,
  operator,
}) => {
  await grantGeolocation(context);
  await page.goto(`${operator.url}/stub-alone`);
  const names = await page.evaluate(() => Object.getOwnPropertyNames(window));

  const outcome = await page.evaluate(async () => {
    const { configure, reportBetEvent } = LocationSDK;
    const early = configure({ relayUrl: '/location-sdk' });
    const script = Object.assign(document.createElement('script'), { src: '/location-sdk.global.js' });
    const come = new Promise((resolve) => script.addEventListener('load', resolve));
    document.head.append(script);
    await Promise.all([come, early]);
    const { outcome } = await (reportBetEvent as (bet: object) => Promise<{ outcome: string }>)({ bet_id: 'B-1' });
    return outcome;
  });

  expect(outcome).toBe('recorded');
  expect(
    await page.evaluate(() => Object.getOwnPropertyNames(window).filter((name) => name !== '__zod_globalConfig')),
  ).toEqual(names);
});

test('a kept client of the stub is one client when the script has loaded, and resends reports in doubt', async ({
  context,
  page,
  operator,
}) => {
  await grantGeolocation(context);
  operator.script.push({
    status: 502,
    body: { error: { code: 'gateway', message: 'x', outcome: 'unknown', reference: 'B-1' } },
  });
  await page.goto(`${operator.url}/stub-alone`);

  const ended = await page.evaluate(async () => {
    const client = LocationSDK.createClient({ relayUrl: '/location-sdk', retry: { limit: 0 } });
    const { isReportingError } = LocationSDK;
    const failure = client.reportBetEvent({ bet_id: 'B-1' }).then(
      () => 'recorded',
      (error: unknown) => error,
    );
    document.head.append(Object.assign(document.createElement('script'), { src: '/location-sdk.global.js' }));
    const error = await failure;
    const { outcome } = await client.resend(error);
    return [isReportingError(error), LocationSDK.isReportingError(error) && error.code, outcome];
  });

  expect(ended).toEqual([true, 'gateway', 'recorded']);
  expect(operator.requests.map(({ body }) => body)).toEqual(Array(2).fill(operator.requests[0]?.body));
});

test('a script that does not load ends each call in time, with an error that isReportingError recognises', async ({
  page,
  operator,
}) => {
  await page.goto(`${operator.url}/never`);

  const { told, message, ms } = await page.evaluate(async () => {
    const { isReportingError } = LocationSDK;
    const began = performance.now();
    const client = LocationSDK.createClient({ relayUrl: '/location-sdk' });
    const calls = [client.reportBetEvent({ bet_id: 'B-1' }), LocationSDK.locate(), LocationSDK.locationPermission()];
    const ended = await Promise.allSettled([...calls, LocationSDK.configure({ relayUrl: '/location-sdk' })]);
    const errors = ended.map((one) => (one.status === 'rejected' ? one.reason : undefined));
    const told = errors.map((error) => [
      isReportingError(error),
      error.code,
      error.outcome,
      error.operation,
      error.retryable,
    ]);
    return { told, message: errors[0].message, ms: performance.now() - began };
  });

  expect(told).toEqual(
    ['reportBetEvent', 'locate', 'locationPermission', 'configure'].map((operation) => [
      true,
      'timeout',
      'not-sent',
      operation,
      true,
    ]),
  );
  expect(message).toContain(
    'reportBetEvent: the script of location-sdk did not load within 300 ms (data-timeout-ms). Nothing was sent.',
  );
  expect(ms).toBeGreaterThan(290);

  // A call that timed out is not made when the script loads later. The settings of configure are used.
  const outcomes = await page.evaluate(async () => {
    const script = Object.assign(document.createElement('script'), { src: '/location-sdk.global.js' });
    const come = new Promise((resolve) => script.addEventListener('load', resolve));
    document.head.append(script);
    await come;
    const client = LocationSDK.createClient({ relayUrl: '/location-sdk' });
    return [
      (await client.reportBetEvent({ bet_id: 'B-2' })).outcome,
      (await LocationSDK.reportBetEvent({ bet_id: 'B-3' } as never)).outcome,
    ];
  });
  expect(outcomes).toEqual(['recorded', 'recorded']);
  expect(operator.requests.map(({ body }) => JSON.parse(body).bet_id)).toEqual(['B-2', 'B-3']);
});

test('a time longer than any timer of a browser does not end the calls at once', async ({ page, operator }) => {
  await page.goto(`${operator.url}/for-weeks`);
  const ended = await page.evaluate(() => {
    const call = LocationSDK.locate().then(
      () => 'found',
      () => 'ended',
    );
    return Promise.race([call, new Promise((resolve) => setTimeout(resolve, 500, 'waits'))]);
  });
  expect(ended).toBe('waits');
});

type Spoiled = { LocationSDK?: unknown };

test.for([
  ['an element with its name', '<form id="LocationSDK"><input name="queue"><input name="createClient"></form>'],
  ['an invalid queue', ''],
] as const)('%s does not keep the script from its place', async ([, markup], { context, page, operator }) => {
  await grantGeolocation(context);
  await page.goto(`${operator.url}/stub-alone`);

  const outcome = await page.evaluate(async (markup) => {
    const page = window as Spoiled;
    if (markup) {
      delete page.LocationSDK;
      document.body.innerHTML = markup;
    } else page.LocationSDK = { queue: 'x' };
    const script = Object.assign(document.createElement('script'), { src: '/location-sdk.global.js' });
    const come = new Promise((resolve) => script.addEventListener('load', resolve));
    document.head.append(script);
    await come;
    LocationSDK.configure({ relayUrl: '/location-sdk' });
    const { outcome } = await LocationSDK.reportBetEvent({ bet_id: 'B-1' } as never);
    return outcome;
  }, markup);

  expect(outcome).toBe('recorded');
});

test('an invalid entry of the queue affects no later one, and is reported', async ({
  context,
  page,
  operator,
  uncaught,
}) => {
  await grantGeolocation(context);
  await page.goto(`${operator.url}/stub-alone`);

  const outcome = await page.evaluate(async () => {
    const { queue } = LocationSDK as unknown as { queue: unknown[] };
    queue.push(null, {}, ['configure'], ['no such call', [], 1, 2]);
    const early = [
      LocationSDK.configure({ relayUrl: '/location-sdk' }),
      LocationSDK.reportBetEvent({ bet_id: 'B-1' } as never),
    ] as const;
    const script = Object.assign(document.createElement('script'), { src: '/location-sdk.global.js' });
    document.head.append(script);
    await early[0];
    const { outcome } = await early[1];
    return outcome;
  });

  expect(outcome).toBe('recorded');
  await eventually(() => uncaught.length).toBe(4);
  uncaught.length = 0;
});

test('the stub may be inline, and the script may be named by its hash in the policy', async ({
  context,
  page,
  operator,
  violations,
  complaints,
}) => {
  await grantGeolocation(context);
  await page.goto(`${operator.url}/inline-stub`);
  await eventually(() => page.evaluate(() => typeof LocationSDK.createClient)).toBe('function');
  await page.goto(`${operator.url}/by-hash`);

  const outcome = await page.evaluate(async () => {
    await new Promise((resolve) => setTimeout(resolve));
    const { outcome } = await LocationSDK.createClient({ relayUrl: '/location-sdk' }).reportBetEvent({ bet_id: 'B-1' });
    return outcome;
  });

  expect(outcome).toBe('recorded');
  expect([violations, complaints]).toEqual([[], []]);
});
