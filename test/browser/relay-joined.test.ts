// @module-tag slow: drives Chromium.
import type { BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { MockGateway } from '../../src/entries/mock.js';
import { withdrawalEvent } from '../support/factories.js';
import { test as base } from './browser-test.js';
import { denyGeolocation, grantGeolocation, POSITION } from './geolocation.js';
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
  test(`a report whose answer is lost is already recorded when it is retried (${source})`, async ({ context, page, join }) => {
    await (source === 'gps' ? grantGeolocation : denyGeolocation)(context);
    await behindProxy(context);
    const { gateway, answers } = await join();
    answers.lost = 1;

    expect(await report(page, bet, { retry: { limit: 1, baseMs: 0 } })).toMatchObject({ outcome: 'already-recorded', attempts: 2 });
    expect(gateway.reports()).toMatchObject([{ reference: 'B-1', body: { location: { source } } }]);
    expect(gateway.requests().map(({ status }) => status)).toEqual([200, 409]);
  });
}

test('a withdrawal works the same way', async ({ context, page, join }) => {
  await grantGeolocation(context);
  const { gateway } = await join();
  const { user, userId: _userId, ...withdrawal } = withdrawalEvent();
  expect(await report(page, withdrawal)).toMatchObject({ outcome: 'recorded', operation: 'reportWithdrawalEvent', location: { ...POSITION, source: 'gps' } });
  expect(gateway.reports()).toMatchObject([{ body: { user, userId: user.user_id } }]);
});

interface Case extends Joined {
  of: string;
  fault?: Parameters<MockGateway['faults']['add']>[0];
  is: object;
}

const CASES: readonly Case[] = [
  { of: '400', fault: { kind: 'status', status: 400 }, is: { name: 'BadRequestError', outcome: 'rejected', status: 400 } },
  { of: '401', fault: { kind: 'status', status: 401 }, is: { name: 'AuthenticationError', outcome: 'rejected', status: 502 } },
  { of: '404', fault: { kind: 'status', status: 404 }, is: { name: 'NotFoundError', outcome: 'rejected', status: 404 } },
  { of: '422', fault: { kind: 'status', status: 422 }, is: { name: 'UnprocessableError', outcome: 'rejected', status: 422 } },
  { of: '429', fault: { kind: 'status', status: 429, retryAfter: 60 }, is: { name: 'RateLimitError', outcome: 'rejected', status: 429, retryAfterMs: 60_000 } },
  { of: '503', fault: { kind: 'status', status: 503 }, is: { name: 'GatewayError', outcome: 'unknown', status: 502 } },
  { of: 'a broken connection', fault: { kind: 'connection-reset' }, is: { name: 'NetworkError', outcome: 'unknown', status: 502 } },
  { of: 'no answer', fault: { kind: 'hang' }, is: { name: 'TimeoutError', outcome: 'unknown', status: 502 } },
  {
    of: 'no location',
    client: { location: { ip: { enabled: false } } },
    is: { name: 'LocationError', outcome: 'not-sent', status: 503, steps: [expect.objectContaining({ step: 'ip-lookup' })] },
  },
  {
    of: 'a key function that throws',
    client: { gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: () => Promise.reject(new Error('vault')) } } },
    is: { name: 'ConfigurationError', outcome: 'not-sent', status: 503 },
  },
  {
    of: 'a limit of the operator’s',
    relay: { limit: () => ({ retryAfterMs: 5_000 }) },
    is: { name: 'RateLimitError', outcome: 'not-sent', retryAfterMs: 5_000 },
  },
  { of: 'a bet of another player', relay: { complete: () => null }, is: { name: 'BadRequestError', outcome: 'not-sent', status: 403 } },
];

for (const { of, fault, is, ...joined } of CASES) {
  test(`an error has the same class in the page: ${of}`, async ({ context, page, join }) => {
    await denyGeolocation(context);
    await behindProxy(context);
    const { gateway } = await join(joined);
    if (fault) gateway.faults.add(fault);
    const error = await report(page);
    expect(error).toMatchObject(is);
    expect(JSON.stringify(error)).not.toMatch(/gateway\.example|vault|mock-api-key|atlas|102\.89/);
    expect(gateway.reports()).toEqual([]);
  });
}

test('a report in doubt is resent through the relay with the same bytes', async ({ context, page, join }) => {
  await grantGeolocation(context);
  const { gateway } = await join();
  gateway.faults.add({ kind: 'connection-reset', when: 'after' });
  const outcome = await page.evaluate(async (bet) => {
    const client = LocationSDK.createClient({ relayUrl: '/relay', retry: { limit: 0 } });
    return client.reportBetEvent(bet).then(
      () => 'no doubt',
      (error) => client.resend(error).then(({ outcome }) => outcome),
    );
  }, bet);
  expect(outcome).toBe('already-recorded');
  expect(gateway.reports()).toHaveLength(1);
});

test('a used number is a conflict if the page has its own location', async ({ context, page, join }) => {
  await grantGeolocation(context);
  const { gateway } = await join();
  expect(await report(page)).toMatchObject({ outcome: 'recorded' });
  expect(await report(page, { ...bet, amount: 9 })).toMatchObject({ name: 'DuplicateReportError', outcome: 'rejected', status: 409, conflict: true });
  expect(gateway.reports()).toMatchObject([{ body: { amount: 1500 } }]);
});

test('the session decides the player: another player’s data is refused, and a visitor who is not logged in gets 401', async ({ context, page, join }) => {
  await grantGeolocation(context);
  const { gateway, url } = await join({}, 'bola');
  const forged = await report(page, { ...bet, user: { user_id: 'U-88412' } });
  expect(forged).toMatchObject({ name: 'ValidationError', outcome: 'not-sent', issues: [{ path: 'user.user_id', code: 'conflict' }] });
  expect(gateway.requests()).toEqual([]);

  expect(await report(page)).toMatchObject({ outcome: 'recorded' });
  expect(gateway.reports()).toMatchObject([{ body: { user: { user_id: 'U-2', nin: '99087654321' } } }]);

  await context.clearCookies();
  await page.goto(url);
  expect(await report(page, { ...bet, bet_id: 'B-2' })).toMatchObject({ name: 'AuthenticationError', outcome: 'not-sent', status: 401 });
});

test('the environment is the relay’s, and a page cannot choose it', async ({ context, page, join }) => {
  await grantGeolocation(context);
  const { gateway } = await join({ relay: { environment: 'production' } });
  expect(await report(page)).toMatchObject({ outcome: 'recorded', environment: 'production' });
  expect(await report(page, { ...bet, bet_id: 'B-2' }, {}, { environment: 'staging' })).toMatchObject({ code: 'validation', outcome: 'not-sent' });
  expect([gateway.reports('production').length, gateway.reports('staging').length]).toEqual([1, 0]);
});

test('a page’s position is sent unchanged, and no address is looked up', async ({ context, page, join }) => {
  await grantGeolocation(context);
  await behindProxy(context);
  const { gateway, lookedUp } = await join();
  expect(await report(page)).toMatchObject({ location: { ...POSITION, source: 'gps' } });
  expect(gateway.reports()).toMatchObject([{ body: { location: { ...POSITION, source: 'gps' } } }]);
  expect(lookedUp).toEqual([]);
});

test('without a position the address that the trusted proxy saw is looked up, not the one that a visitor wrote', async ({ context, page, join }) => {
  await denyGeolocation(context);
  await behindProxy(context);
  const { lookedUp } = await join();
  expect(await report(page)).toMatchObject({ location: { source: 'client_ip', city: 'Lagos' } });
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
