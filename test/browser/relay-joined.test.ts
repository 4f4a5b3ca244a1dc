// @module-tag slow: drives Chromium.
import type { BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { MockGateway } from '../../src/entries/mock.js';
import { withdrawalEvent } from '../support/factories.js';
import { test as base } from './browser-test.js';
import { denyGeolocation, grantGeolocation, POSITION, revokeGeolocation } from './geolocation.js';
import { type Joined, serveRelay } from './relay-world.js';

/** The page's client, the relay on Node.js's server and a gateway that keeps its reports: all of them are real. */
const test = base.extend('join', async ({ context, page }, { onCleanup }) => {
  const closing: (() => Promise<void>)[] = [];
  onCleanup(async () => void (await Promise.all(closing.map((close) => close()))));
  return async (options?: Joined, session = 'ada') => {
    const world = await serveRelay(options);
    closing.push(world.close);
    await context.addCookies([{ name: 'session', value: session, url: world.url, httpOnly: true, sameSite: 'Strict' }]);
    await page.goto(world.url);
    return world;
  };
});

const FORWARDED = { 'x-forwarded-for': '41.58.10.20, 102.89.23.47' };
/** As an operator's proxy forwards it: the last entry is the proxy's own, the first one the visitor's. */
const behindProxy = (context: BrowserContext) => context.setExtraHTTPHeaders(FORWARDED);

const bet = { bet_id: 'B-1', amount: 1500 };

/** In the page: reports, and returns the result. */
const report = (page: Page, event: object = bet, options: object = {}, call: object = {}) =>
  page.evaluate(
    async ([event, options, call]) => {
      const client = LocationSDK.createClient({ relayUrl: '/relay', retry: { limit: 0 }, ...options });
      const method = 'request_id' in event ? client.reportWithdrawalEvent : client.reportBetEvent;
      return method(event as never, call).catch((error: unknown) => {
        if (!LocationSDK.isReportingError(error)) throw error;
        return error.toJSON();
      }) as Promise<object>;
    },
    [event, options, call] as const,
  );

for (const source of ['gps', 'client_ip'] as const) {
  test(`a report whose answer is lost is already recorded when it is retried (${source})`, async ({
    context,
    page,
    join,
  }) => {
    await (source === 'gps' ? grantGeolocation : denyGeolocation)(context);
    await behindProxy(context);
    const { gateway, answers } = await join();
    answers.lost = 1;

    expect(await report(page, bet, { retry: { limit: 1, baseMs: 0 } })).toMatchObject({
      outcome: 'already-recorded',
      attempts: 2,
    });
    expect(gateway.reports()).toMatchObject([{ reference: 'B-1', body: { location: { source } } }]);
    expect(gateway.requests().map(({ status }) => status)).toEqual([200]);
  });
}

test('a withdrawal works the same way', async ({ context, page, join }) => {
  await grantGeolocation(context);
  const { gateway } = await join();
  const { user, userId: _userId, ...withdrawal } = withdrawalEvent();
  expect(await report(page, withdrawal)).toMatchObject({
    outcome: 'recorded',
    operation: 'reportWithdrawalEvent',
    location: { ...POSITION, source: 'gps' },
  });
  expect(gateway.reports()).toMatchObject([{ body: { user, userId: user.user_id } }]);
});

/** Faults of the gateway, each with the error in the page. */
const FAULTS: readonly [Parameters<MockGateway['faults']['add']>[0], object][] = [
  [
    { kind: 'status', status: 400 },
    { name: 'BadRequestError', outcome: 'rejected', status: 400 },
  ],
  [
    { kind: 'status', status: 401 },
    { name: 'AuthenticationError', outcome: 'rejected', status: 502 },
  ],
  [
    { kind: 'status', status: 404 },
    { name: 'NotFoundError', outcome: 'rejected', status: 404 },
  ],
  [
    { kind: 'status', status: 422 },
    { name: 'UnprocessableError', outcome: 'rejected', status: 422 },
  ],
  [
    { kind: 'status', status: 429, retryAfter: 60 },
    { name: 'RateLimitError', outcome: 'rejected', status: 429, retryAfterMs: 60_000 },
  ],
  [
    { kind: 'status', status: 503 },
    { name: 'GatewayError', outcome: 'unknown', status: 502 },
  ],
  [{ kind: 'connection-reset' }, { name: 'NetworkError', outcome: 'unknown', status: 502 }],
  [{ kind: 'hang' }, { name: 'TimeoutError', outcome: 'unknown', status: 502 }],
];

const throwingKey = () => Promise.reject(new Error('vault'));
const located = [expect.objectContaining({ step: 'ip-lookup' })];
/** The same for faults on the operator's side. */
const OPERATOR_FAULTS: readonly [Joined, object][] = [
  [
    { client: { location: { ip: { enabled: false } } } },
    { name: 'LocationError', outcome: 'not-sent', status: 503, steps: located },
  ],
  [
    { client: { gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: throwingKey } } } },
    { name: 'ConfigurationError', outcome: 'not-sent', status: 503 },
  ],
  [
    { relay: { limit: () => ({ retryAfterMs: 5_000 }) } },
    { name: 'RateLimitError', outcome: 'not-sent', retryAfterMs: 5_000 },
  ],
  // A bet of another player.
  [{ relay: { complete: () => null } }, { name: 'BadRequestError', outcome: 'not-sent', status: 403 }],
];

test('an error has the same class in the page, and tells nothing of the operator', async ({ context, page, join }) => {
  await denyGeolocation(context);
  await behindProxy(context);
  const expectError = async ({ gateway }: Awaited<ReturnType<typeof join>>, is: object) => {
    const error = await report(page);
    expect(error).toMatchObject(is);
    expect(JSON.stringify(error)).not.toMatch(/gateway\.example|vault|mock-api-key|atlas|102\.89/);
    expect(gateway.reports()).toEqual([]);
  };
  const world = await join();
  for (const [fault, is] of FAULTS) {
    world.gateway.faults.add(fault);
    await expectError(world, is);
  }
  for (const [joined, is] of OPERATOR_FAULTS) await expectError(await join(joined), is);
});

test('a used number is a conflict if the page has its own location', async ({ context, page, join }) => {
  await grantGeolocation(context);
  const { gateway } = await join();
  expect(await report(page)).toMatchObject({ outcome: 'recorded' });
  expect(await report(page, { ...bet, amount: 9 })).toMatchObject({
    name: 'DuplicateReportError',
    outcome: 'rejected',
    status: 409,
    conflict: true,
  });
  expect(gateway.reports()).toMatchObject([{ body: { amount: 1500 } }]);
});

test('the session decides the player: a user of the page is not sent, and a visitor who is not logged in gets 401', async ({
  context,
  page,
  join,
}) => {
  await grantGeolocation(context);
  const { gateway, url } = await join({}, 'bola');
  const request = page.waitForRequest(/report-bet-event$/);
  const forged = { ...bet, user: { user_id: 'U-88412', nin: '99012345678' } };
  expect(await report(page, forged)).toMatchObject({ outcome: 'recorded' });
  expect(Object.keys((await request).postDataJSON()).sort()).toEqual(['amount', 'bet_id', 'location', 'timestamp']);
  expect(gateway.reports()).toMatchObject([{ body: { user: { user_id: 'U-2', nin: '99087654321' } } }]);

  await context.clearCookies();
  await page.goto(url);
  expect(await report(page, { ...bet, bet_id: 'B-2' })).toMatchObject({
    name: 'AuthenticationError',
    outcome: 'not-sent',
    status: 401,
  });
});

test('the environment is the relay’s, and a page cannot choose it', async ({ context, page, join }) => {
  await grantGeolocation(context);
  const { gateway } = await join({ relay: { environment: 'production' } });
  expect(await report(page)).toMatchObject({ outcome: 'recorded', environment: 'production' });
  expect(await report(page, { ...bet, bet_id: 'B-2' }, {}, { environment: 'staging' })).toMatchObject({
    code: 'validation',
    outcome: 'not-sent',
  });
  expect([gateway.reports('production').length, gateway.reports('staging').length]).toEqual([1, 0]);
});

test('a page’s position is sent unchanged; without one the address that the trusted proxy saw is looked up', async ({
  context,
  page,
  join,
}) => {
  await behindProxy(context);
  const { gateway, lookedUp, url } = await join();
  await grantGeolocation(context);
  expect(await report(page)).toMatchObject({ location: { ...POSITION, source: 'gps' } });
  expect(gateway.reports()).toMatchObject([{ body: { location: { ...POSITION, source: 'gps' } } }]);
  expect(lookedUp).toEqual([]);

  await revokeGeolocation(context);
  await page.goto(url);
  const other = await report(page, { ...bet, bet_id: 'B-2' });
  expect(other).toMatchObject({ location: { source: 'client_ip', city: 'Lagos' } });
  // And not the address that a visitor wrote.
  expect(lookedUp).toEqual(['102.89.23.47']);
});

test('without trusted proxies a forwarding header is ignored', async ({ context, page, join }) => {
  await denyGeolocation(context);
  await behindProxy(context);
  const { lookedUp, lines } = await join({ relay: { trustedProxies: [] } });
  expect(await report(page)).toMatchObject({ code: 'location', outcome: 'not-sent' });
  expect(lookedUp).toEqual([]);
  expect(lines.join('\n')).not.toMatch(/102\.89|41\.58/);
});
