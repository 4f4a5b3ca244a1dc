import { describe, expect, test } from 'vitest';
import {
  type BetEvent,
  type CallOptions,
  GatewayError,
  isReportingError,
  LocationError,
  type Receipt,
  type ReportingError,
} from '../../../src/entries/index.js';
import type { RelayClient, RelayReport } from '../../../src/entries/relay.js';
import { polluted } from '../../polluted.js';
import { betUser, withdrawalEvent } from '../../support/factories.js';
import { FakeClock } from '../../support/fake-clock.js';
import {
  BET,
  gps,
  PLAYER_IP,
  pageBet,
  pageRequest,
  pageWithdrawal,
  relayWorld,
  SITE,
  type TestPlayer,
  WITHDRAWAL,
} from './world.js';

const never = () => new Promise<never>(() => {});
const throws = () => {
  throw new Error('99012345678 Okonkwo 102.89.23.47');
};

/** A client that answers as given, and the arguments that it received. */
function stubClient(
  answer: (event: object, options: CallOptions) => unknown,
): RelayClient & { calls: { event: object; options: CallOptions }[] } {
  const calls: { event: object; options: CallOptions }[] = [];
  const call = async (event: object, options: CallOptions) => {
    calls.push({ event, options });
    return (await answer(event, options)) as Receipt;
  };
  return { calls, reportBetEvent: call, reportWithdrawalEvent: call };
}

describe('why a request is refused', () => {
  test.each([
    ['its origin', { headers: { origin: 'null' } }, {}, 403, 'Origin'],
    ['a missing header', { headers: { 'x-location-sdk': '' } }, {}, 403, 'x-location-sdk'],
    ['a visitor who is not logged in', { headers: { cookie: '' } }, {}, 401, 'authorize'],
    ['an event that the operator refuses', {}, { complete: () => null }, 403, 'complete'],
  ])('is logged and not sent to the page: %s', async (_, sending, options, status, words) => {
    const { send, lines } = relayWorld(options);
    const answered = await send(sending);
    expect([answered.status, answered.text.includes(words)]).toEqual([status, false]);
    expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^refused: .*${words}`)));
  });
});

describe('a bet', () => {
  test('is reported with the user of the session, and the page gets the receipt', async () => {
    const { send, gateway, lookedUp } = relayWorld();
    const { status, body, headers } = await send({ body: pageBet({ location: gps() }) });
    const receipt = {
      outcome: 'recorded',
      operation: 'reportBetEvent',
      reference: 'BET-1',
      environment: 'staging',
      attempts: 1,
      location: gps(),
    };
    expect([status, body]).toEqual([200, { ...receipt, requestId: 'abcdefab-cdef-4abc-8def-abcdef000001' }]);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(gateway.reports()[0]?.body).toEqual({ ...pageBet(), user: betUser(), location: gps() });
    expect(lookedUp).toEqual([]);
  });

  test('with a location is accepted if all objects inherit an enumerable member', async () => {
    const receipt = {
      outcome: 'recorded',
      operation: 'reportBetEvent',
      reference: 'BET-1',
      environment: 'staging',
      attempts: 1,
      location: gps(),
    };
    const client = stubClient(() => receipt);
    const { send } = relayWorld({ client });
    const { status, body } = await polluted({ each: () => {} }, () => send({ body: pageBet({ location: gps() }) }), {
      enumerable: true,
    });
    expect([status, body.outcome]).toEqual([200, 'recorded']);
    expect({ ...client.calls[0]?.options.location }).toEqual(gps());
  });

  test('without a location is located by the address of the connection', async () => {
    const { send, lookedUp } = relayWorld();
    expect((await send()).body.location).toEqual({
      latitude: 6.5,
      longitude: 3.26,
      city: 'Lagos',
      source: 'client_ip',
    });
    expect(lookedUp).toEqual([PLAYER_IP]);
  });

  test("of a page that repeats the relay's environment is accepted", async () => {
    const { send } = relayWorld({ environment: 'staging' });
    expect((await send({ body: pageBet({ environment: 'staging' }) })).status).toBe(200);
  });

  test('goes to the environment of the relay', async () => {
    const { send, gateway } = relayWorld({ environment: 'production' });
    expect((await send()).body.environment).toBe('production');
    expect([gateway.reports().length, gateway.reports('production').length]).toEqual([0, 1]);
  });

  test.each([undefined, 'gps', 'satellite'])(
    'whose location names the source %j is reported with the relay’s name for it',
    async (source) => {
      const { send, gateway } = relayWorld({ gpsSource: 'satellite' });
      expect((await send({ body: pageBet({ location: { ...gps(), source } }) })).status).toBe(200);
      expect(gateway.reports()[0]?.body).toMatchObject({ location: { source: 'satellite' } });
    },
  );

  test('without a time gets one, and the same one when it is repeated', async () => {
    const clock = new FakeClock();
    const { send, gateway } = relayWorld({ clock });
    const body = { bet_id: 'BET-1', amount: 1 };
    await send({ body });
    clock.advance(30_000);
    expect((await send({ body })).body.outcome).toBe('already-recorded');
    expect(gateway.reports()[0]?.body).toMatchObject({ timestamp: '1795161600' });
  });

  test.each([
    `${SITE}/report-bet-event`,
    `${SITE}/a/b-c/_d/report-bet-event`,
    `${SITE}/x/../report-bet-event`,
    `${SITE}/x/%2e%2e/report-bet-event`,
    `${SITE}\\relay\\report-bet-event`,
    'http://localhost:3000/report-bet-event',
  ])('is accepted at %s', async (url) => {
    const origin = new URL(url).origin;
    expect((await relayWorld().send({ url, headers: { origin } })).status).toBe(200);
  });

  test('is accepted behind a proxy that ends TLS', async () => {
    expect((await relayWorld().send({ url: BET.replace('https', 'http') })).status).toBe(200);
    expect((await relayWorld().send({ url: 'http://shop.example:443/report-bet-event' })).status).toBe(200);
  });

  test('is accepted from a browser that sends no Sec-Fetch-Site', async () => {
    expect((await relayWorld().send({ headers: { 'sec-fetch-site': undefined } })).status).toBe(200);
  });

  test('of a page that a proxy makes look like another site’s is refused, and the operator is told once what to do', async () => {
    const { send, lines } = relayWorld();
    const warnings = () => lines.filter((line) => line.startsWith('a page of'));
    for (let index = 0; index < 3; index += 1)
      expect((await send({ url: 'http://backend:3000/report-bet-event' })).status).toBe(403);
    expect(warnings()).toEqual([
      expect.stringContaining(
        'a page of https://shop.example was refused, since this relay was requested as backend:3000.',
      ),
    ]);
    for (let index = 0; index < 30; index += 1) await send({ headers: { origin: `https://evil-${index}.example` } });
    await send({ headers: { origin: `https://${'x'.repeat(500)}` } });
    await send({ headers: { origin: 'https://x y<script>' } });
    expect(warnings()).toHaveLength(10);
    expect(lines.join()).not.toContain('script');
  });

  test.each([
    [
      'https://shop.example',
      'http://localhost:3000/relay/report-bet-event',
      "name it: createRelay({ allowedOrigins: ['https://shop.example'] })",
    ],
    [
      'http://localhost:5173',
      'http://localhost:3000/relay/report-bet-event',
      "Vite's server.proxy with changeOrigin: true",
    ],
    ['https://shop.example', 'http://localhost:3000/relay/report-bet-event', 'Next.js says localhost'],
    [
      'http://192.168.1.20:5173',
      'http://localhost:3000/relay/report-bet-event',
      'give it an https:// address: a relay accepts http:// pages of loopback hosts only',
    ],
    [
      'capacitor://localhost',
      BET,
      "name the origin of your app: createRelay({ allowedOrigins: ['capacitor://localhost'] })",
    ],
    ['null', BET, 'an app loads its pages from a scheme such as app://localhost, which allowedOrigins may name'],
    ['file://', BET, 'files and sandboxed frames of any sender have this one'],
  ])('of %s at %s is refused with the line that helps', async (origin, url, advice) => {
    const { send, lines } = relayWorld();
    expect((await send({ url, headers: { origin } })).status).toBe(403);
    expect(lines.filter((line) => line.startsWith('a page of'))).toEqual([expect.stringContaining(advice)]);
  });

  test.each(['https://shop.example', 'http://localhost:5173'])(
    'of its own site %s is accepted with a framework that says localhost, once the site is named',
    async (origin) => {
      const { send } = relayWorld({ allowedOrigins: [origin] });
      const { status } = await send({ url: 'http://localhost:3000/relay/report-bet-event', headers: { origin } });
      expect(status).toBe(200);
    },
  );

  test('of an allowed origin may be answered to its page', async () => {
    const origin = 'https://play.example';
    const { send } = relayWorld({ allowedOrigins: [origin] });
    const { status, headers } = await send({ headers: { origin, 'sec-fetch-site': 'cross-site' } });
    expect([
      status,
      headers.get('access-control-allow-origin'),
      headers.get('access-control-allow-credentials'),
    ]).toEqual([200, origin, 'true']);
    // A refusal too, or its page could not read what happened.
    const refused = await send({ headers: { origin, 'sec-fetch-site': 'cross-site', cookie: undefined } });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, origin]);
  });
});

describe('an app', () => {
  test.each(['capacitor://localhost', 'ionic://localhost', 'app://localhost'])(
    'around a web view reports from %s, if that is named',
    async (origin) => {
      const headers = { origin, 'sec-fetch-site': 'cross-site', cookie: undefined, authorization: 'Bearer ada' };
      const options = {
        allowedOrigins: [origin],
        allowedHeaders: ['authorization'],
        authorize: (request: { headers: { get(name: string): string | null } }) =>
          request.headers.get('authorization') === 'Bearer ada' && { session: 'ada', user: betUser() },
      };
      const { send, gateway } = relayWorld(options);
      const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
      const preflight = await send({ method: 'OPTIONS', body: '', headers: { origin, ...asked } });
      expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, origin]);
      expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization');
      const { status, headers: answered } = await send({ headers });
      expect([status, answered.get('access-control-allow-origin'), gateway.reports().length]).toEqual([200, origin, 1]);
      expect((await relayWorld().send({ headers })).status).toBe(403);
      expect((await send({ headers: { ...headers, origin: `${origin}.evil` } })).status).toBe(403);
    },
  );

  test.each(['null', 'file://'])('whose pages have the origin %s is refused', async (origin) => {
    const { send } = relayWorld({ allowedOrigins: ['app://localhost'], allowNative: true });
    expect((await send({ headers: { origin, 'sec-fetch-site': undefined, cookie: undefined } })).status).toBe(403);
  });

  const native = { origin: undefined, 'sec-fetch-site': undefined, cookie: undefined, authorization: 'Bearer ada' };
  const authorize = () => ({ session: 'ada', user: betUser() });

  test('without a web view reports if the operator allows it, and without a cookie', async () => {
    const { send, lines, gateway } = relayWorld({ allowNative: true, authorize });
    expect((await send({ headers: native })).status).toBe(200);
    expect((await send({ headers: { ...native, 'x-location-sdk': undefined } })).status).toBe(403);
    expect((await send({ headers: { ...native, 'content-type': 'text/plain' } })).status).toBe(415);
    for (const cookie of ['session=ada', 'theme=dark', ''])
      expect((await send({ headers: { ...native, cookie } })).status).toBe(403);
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
      expect((await send({ headers: { ...native, ...headers } })).status).toBe(403);
    expect(gateway.reports()).toHaveLength(1);
    const told = lines.filter((line) => line.includes('without Origin and Sec-Fetch-Site'));
    expect(told).toEqual([expect.stringContaining('since it has a cookie')]);
  });

  test('without a web view is refused otherwise, and the log names the setting once', async () => {
    const { send, lines, gateway } = relayWorld({ authorize });
    for (let index = 0; index < 3; index += 1) expect((await send({ headers: native })).status).toBe(403);
    expect(lines.filter((line) => line.includes('createRelay({ allowNative: true })'))).toHaveLength(1);
    expect(gateway.requests()).toEqual([]);
  });
});

describe('a withdrawal', () => {
  test('gets the user and the userId of the session', async () => {
    const { send, gateway } = relayWorld();
    expect((await send({ url: WITHDRAWAL, body: pageWithdrawal() })).status).toBe(200);
    expect(gateway.reports()[0]?.body).toMatchObject({ user: withdrawalEvent().user, userId: 'U-88412' });
  });

  test("gets the operator's own fields, which take precedence over the page's", async () => {
    const metadata = { method: 'bank_transfer', bank: 'Bank of the operator', account_last4: '9999' };
    const { send, gateway } = relayWorld({
      complete: (event, { operation, player }) => {
        expect([operation, player.session, event.request_id]).toEqual(['reportWithdrawalEvent', 'ada', 'WR-1']);
        return { metadata, userId: 'account-7', amount: 42, withdrawalId: 'W-7' };
      },
    });
    const { status } = await send({
      url: WITHDRAWAL,
      body: { request_id: 'WR-1', amount: 1, timestamp: '1795161600' },
    });
    expect(status).toBe(200);
    expect(gateway.reports()[0]?.body).toMatchObject({
      metadata,
      userId: 'account-7',
      amount: 42,
      withdrawalId: 'W-7',
    });
  });

  test('keeps for the operator what settles it', async () => {
    const kept: [Receipt, RelayReport][] = [];
    const { send, client, gateway } = relayWorld({ onReceipt: (receipt, report) => void kept.push([receipt, report]) });
    await send({ url: WITHDRAWAL, body: pageWithdrawal() });
    const [[receipt, report] = []] = kept;
    expect(receipt).toMatchObject({
      reference: 'WR-1',
      message: expect.any(String),
      location: { source: 'client_ip' },
    });
    await client.reportSettledWithdrawal({
      ...report?.event,
      status: 'SUCCESS',
      timestamp: '1795162000',
      location: receipt?.location,
    } as never);
    expect(gateway.reports()).toHaveLength(2);
  });
});

describe("the operator's additions", () => {
  test('may be the user and the location', async () => {
    const user = betUser({ resident_address: '5 Ogui Road' });
    const location = { latitude: 1, longitude: 2, source: 'terminal' };
    const { send, gateway, lookedUp } = relayWorld({
      authorize: () => ({ session: 'x', user: { user_id: 'U-88412' } }),
      complete: () => ({ user, location }),
    });
    expect((await send({ body: pageBet({ location: gps() }) })).body.location).toEqual(location);
    expect(gateway.reports()[0]?.body).toMatchObject({ user, location });
    expect(lookedUp).toEqual([]);
  });

  test('may say that there is no location', async () => {
    const { send } = relayWorld({ complete: () => ({ location: null }) });
    expect((await send({ body: pageBet({ location: gps() }) })).body.location).toEqual(gps());
  });

  test('are read only for a valid event of the page', async () => {
    let asked = 0;
    const complete = () => {
      asked += 1;
      return undefined;
    };
    const { send } = relayWorld({ complete });
    await send({ body: pageBet({ amount: 'x' }) });
    expect(asked).toBe(0);
    await send();
    expect(asked).toBe(1);
  });

  test('and problems with them are for the operator, not the page', async () => {
    const { send, lines, gateway } = relayWorld({ authorize: () => ({ session: 'x', user: { user_id: 'U-88412' } }) });
    const { status, body } = await send();
    expect([status, body.error]).toEqual([
      500,
      {
        code: 'configuration',
        message: expect.stringMatching(/^Something went wrong \([a-p]{16}\)\.$/),
        outcome: 'not-sent',
        reference: 'BET-1',
      },
    ]);
    const id = /\((\w+)\)/.exec(body.error.message)?.[1] ?? '';
    expect(lines.find((line) => line.startsWith(id))).toContain('user.nin: is required');
    expect(gateway.requests()).toEqual([]);
  });
});

describe('a user object of the other operation', () => {
  const withdrawalUser = withdrawalEvent().user;
  test.each([
    ['reportWithdrawalEvent', 'reportBetEvent', betUser(), { url: WITHDRAWAL, body: pageWithdrawal() }, 'full_name'],
    ['reportBetEvent', 'reportWithdrawalEvent', withdrawalUser, {}, 'first_name, last_name'],
  ] as const)('%s with that of %s: the log names the mistake and the fields, and no value', async (...row) => {
    const [operation, other, user, sending, missing] = row;
    const { send, lines, gateway } = relayWorld({ authorize: () => ({ session: 'x', user }) });
    const { status, body, text } = await send(sending);
    expect([status, body.error.code, gateway.requests()]).toEqual([500, 'configuration', []]);
    const id = /\((\w+)\)/.exec(body.error.message)?.[1] ?? '';
    const line = lines.find((one) => one.startsWith(id)) ?? '';
    const what = `authorize gave the user object of ${other}. Return one for each operation: that of ${operation} has ${missing}, `;
    expect(line).toContain(what);
    for (const value of Object.values(user)) if (typeof value === 'string') expect(line + text).not.toContain(value);
  });

  test('is not what a missing field means', async () => {
    const { nin: _, ...user } = betUser();
    const { send, lines } = relayWorld({ authorize: () => ({ session: 'x', user: user as never }) });
    expect((await send()).status).toBe(500);
    expect(lines.join()).toContain('user.nin: is required');
    expect(lines.join()).not.toContain('authorize gave');
  });
});

describe('the limit of a player', () => {
  test.each([
    [true, null, undefined],
    [{ retryAfterMs: 1_500 }, '2', 1_500],
  ])('%j is 429', async (over, retryAfter, retryAfterMs) => {
    const { send, gateway } = relayWorld({ limit: async () => over });
    const { status, headers, body } = await send();
    expect([status, headers.get('retry-after'), gateway.requests()]).toEqual([429, retryAfter, []]);
    expect(body.error).toEqual({
      code: 'rate-limited',
      message: 'Too many requests; try again later.',
      outcome: 'not-sent',
      ...(retryAfterMs && { retryAfterMs }),
    });
  });

  test('depends on the player and the operation', async () => {
    const asked: unknown[] = [];
    await relayWorld({ limit: ({ session }, operation) => void asked.push(session, operation) }).send();
    expect(asked).toEqual(['ada', 'reportBetEvent']);
  });

  test.each(['yes', 1, null, { retryAfterMs: Number.NaN }, { retryAfterMs: -1 }])(
    'that answers %j lets nothing pass',
    async (over) => {
      const { send, gateway } = relayWorld({ limit: () => over as never });
      expect([(await send()).status, gateway.requests()]).toEqual([500, []]);
    },
  );
});

describe('a function of the operator’s', () => {
  test.each([null, undefined, false] as const)('authorize that gives %j is 401', async (player) => {
    expect((await relayWorld({ authorize: () => player }).send()).status).toBe(401);
  });

  test('authorize that throws is 401, and the log says where', async () => {
    const { send, lines } = relayWorld({ authorize: throws });
    expect((await send()).body).toEqual({
      error: { code: 'authentication', message: 'No player is logged in.', outcome: 'not-sent' },
    });
    expect(lines.join()).toMatch(/the option authorize threw Error at relay\.test\.ts:\d+:\d+/);
    expect(lines.join()).not.toContain('Okonkwo');
  });

  test.each<[string, object]>([
    ['limit throws', { limit: throws }],
    ['complete throws', { complete: throws }],
    ['complete gives a list', { complete: () => [] }],
    ['complete gives an invalid amount', { complete: () => ({ amount: '5' }) }],
    ['complete gives an invalid user', { complete: () => ({ user: 'U-1' }) }],
    ['complete gives a function', { complete: () => ({ amount: () => 1 }) }],
    ['complete names the environment', { environment: 'staging', complete: () => ({ environment: 'production' }) }],
    ['authorize gives no user', { authorize: () => ({ session: 'x' }) }],
    ['authorize gives a string', { authorize: () => 'U-1' }],
    [
      'authorize gives a user that throws',
      {
        authorize: () => ({
          get user() {
            return throws();
          },
        }),
      },
    ],
    [
      'authorize reads the body',
      { authorize: async (request: Request) => ({ session: 'x', user: { user_id: (await request.text()) && 'U-1' } }) },
    ],
  ])('%s: a bare 500 with an id, and the detail in the log', async (_, options) => {
    const { send, gateway, lines } = relayWorld(options);
    const { status, body, text } = await send();
    expect([status, body.error.code, body.error.outcome, gateway.requests()]).toEqual([
      500,
      'configuration',
      'not-sent',
      [],
    ]);
    const id = /\((\w{16})\)/.exec(text)?.[1] ?? 'none';
    expect(lines.some((line) => line.startsWith(id))).toBe(true);
    expect(text + lines.join()).not.toMatch(/Okonkwo|99012345678|102\.89/);
  });

  test.each(['authorize', 'limit', 'complete'])('%s that never ends is ended', async (name) => {
    const clock = new FakeClock();
    const { send, gateway } = relayWorld({ clock, hookTimeoutMs: 500, [name]: never });
    expect((await clock.run(send())).status).toBe(500);
    expect([clock.waits.includes(500), gateway.requests()]).toEqual([true, []]);
  });

  test.each([throws, never])('onReceipt that fails changes no answer', async (onReceipt) => {
    const clock = new FakeClock();
    const { send, lines } = relayWorld({ clock, onReceipt });
    expect((await clock.run(send())).status).toBe(200);
    expect(lines.join()).toContain('the option onReceipt');
  });

  test('gets the platform’s own request', async () => {
    const native = { session: { user: 'ada' } };
    const seen: unknown[] = [];
    const { send } = relayWorld({
      authorize: (_request, call) => void seen.push(call.native, call.operation, call.signal.aborted),
    });
    await send({}, { remoteAddress: PLAYER_IP, native });
    expect(seen).toEqual([native, 'reportBetEvent', false]);
  });
});

describe('a report that failed', () => {
  const withStatus = (status: number, headers = {}) =>
    relayWorld(
      {},
      { fetch: async () => new Response(JSON.stringify({ message: 'other words' }), { status, headers }) },
    );

  test.each([
    [400, 400, 'bad-request', 'rejected', 'The gateway refused the report.'],
    [401, 502, 'authentication', 'rejected', 'The gateway refused the backend.'],
    [404, 404, 'not-found', 'rejected', 'The gateway does not have this record.'],
    [422, 422, 'unprocessable', 'rejected', 'The gateway cannot accept the data.'],
    [429, 429, 'rate-limited', 'rejected', 'Too many requests; try again later.'],
    [503, 502, 'gateway', 'unknown', 'The gateway failed. It may be recorded: send the same event again.'],
    [302, 502, 'gateway', 'unknown', 'The gateway failed. It may be recorded: send the same event again.'],
  ])('with the gateway’s %i is answered with %i %s', async (gateway, status, code, outcome, message) => {
    const { send, lines } = withStatus(gateway);
    const answer = await send();
    expect([answer.status, answer.body.error]).toEqual([status, { code, message, outcome, reference: 'BET-1' }]);
    expect(lines.join()).toContain('other words');
  });

  test('with Retry-After says so', async () => {
    const answer = await withStatus(429, { 'retry-after': '7' }).send();
    expect([answer.headers.get('retry-after'), answer.body.error.retryAfterMs]).toEqual(['7', 7_000]);
  });

  test.each([
    ['connection-reset', 502, 'unknown'],
    ['connection-refused', 503, 'not-sent'],
  ] as const)('with %s is %i', async (kind, status, outcome) => {
    const fetch = async () => {
      throw Object.assign(new TypeError('fetch failed'), {
        cause: { code: kind === 'connection-refused' ? 'ECONNREFUSED' : 'ECONNRESET' },
      });
    };
    const answer = await relayWorld({}, { fetch }).send();
    expect([answer.status, answer.body.error.code, answer.body.error.outcome]).toEqual([status, 'network', outcome]);
  });

  test('without a location names each step, and neither services nor networks', async () => {
    const { send, lines } = relayWorld();
    const answer = await send({}, { remoteAddress: '10.1.2.3' });
    expect([answer.status, answer.body.error]).toEqual([
      503,
      {
        code: 'location',
        message: 'No location was found; allow the page to read it and try again. Nothing was sent.',
        outcome: 'not-sent',
        reference: 'BET-1',
        steps: [{ step: 'client-ip', reason: 'not-public', message: 'gave no location', durationMs: 0 }],
      },
    ]);
    expect(lines.join()).toContain('10.0.0.0/8');
    const failing = relayWorld({}, { location: { ip: { providers: [{ name: 'atlas-of-ours', lookup: throws }] } } });
    expect((await failing.send()).body.error.steps).toMatchObject([{ step: 'ip-lookup', reason: 'bad-answer' }]);
  });

  test('without a known address informs the operator', async () => {
    const { send, lines } = relayWorld();
    expect((await send({}, {})).body.error.steps).toMatchObject([{ step: 'client-ip', reason: 'no-address' }]);
    expect(lines.join()).toContain('pass { remoteAddress }');
  });

  test('because the backend is not set up tells the page nothing about it', async () => {
    const { send, lines } = relayWorld({}, { gateways: {} });
    const { status, body, text } = await send();
    expect([status, body.error.code, body.error.outcome]).toEqual([503, 'configuration', 'not-sent']);
    expect(text).not.toMatch(/gateways|LOCATION_SDK|staging/);
    const id = /\(([a-p]{16})\)/.exec(text)?.[1] ?? 'none';
    expect(lines.find((line) => line.startsWith(id))).toContain('LOCATION_SDK_STAGING_BASE_URL');
  });

  test('is passed to the operator, for resend', async () => {
    const told: ReportingError[] = [];
    const { send, client, gateway } = relayWorld({ onError: (error) => void told.push(error) });
    gateway.faults.add({ kind: 'connection-reset', when: 'after' });
    expect((await send()).status).toBe(502);
    expect(told).toMatchObject([{ code: 'network', outcome: 'unknown' }]);
    expect(await client.resend(told[0])).toMatchObject({ outcome: 'already-recorded' });
  });

  test('by a client that throws any value is a 500 in doubt', async () => {
    const { send } = relayWorld({ client: stubClient(throws) });
    const { status, body } = await send();
    expect([status, body.error.code, body.error.outcome]).toEqual([500, 'gateway', 'unknown']);
  });

  test('of a client that never ends is in doubt', async () => {
    const clock = new FakeClock();
    const { status, body } = await clock.run(relayWorld({ clock, client: stubClient(never) }).send());
    expect([status, body.error.code, body.error.outcome]).toEqual([502, 'timeout', 'unknown']);
  });

  test('of another copy of the package is recognised', async () => {
    const { body } = await relayWorld({
      client: stubClient(() => Promise.reject(new GatewayError('x', { outcome: 'unknown' }))),
    }).send();
    expect(body.error.code).toBe('gateway');
  });
});

describe('an event whose answer was lost', () => {
  test('before the relay had one is sent again with the same bytes, and is recorded once', async () => {
    const { send, gateway, lookedUp } = relayWorld();
    gateway.faults.add({ kind: 'connection-reset', when: 'after' });
    expect((await send()).body.error).toMatchObject({ code: 'network', outcome: 'unknown' });
    const { status, body } = await send();
    expect([status, body.outcome]).toEqual([200, 'already-recorded']);
    expect([gateway.reports().length, lookedUp.length]).toEqual([1, 1]);
  });

  test('between relay and page gets the receipt with the first place, though a lookup would find another one', async () => {
    const { send, lookedUp } = relayWorld();
    const { location } = (await send()).body;
    for (let index = 0; index < 3; index += 1)
      expect((await send()).body).toMatchObject({ outcome: 'already-recorded', location });
    expect(lookedUp).toHaveLength(1);
  });

  test('is still in doubt if the client cannot send it again', async () => {
    const { send } = relayWorld({
      client: stubClient(() => Promise.reject(new GatewayError('x', { outcome: 'unknown' }))),
    });
    await send();
    expect((await send()).body.error).toMatchObject({ code: 'gateway', outcome: 'unknown' });
  });

  test('and that kept no report stays in doubt', async () => {
    const stub = stubClient(() => Promise.reject(new GatewayError('x', { outcome: 'unknown' })));
    const { client } = relayWorld();
    const { send } = relayWorld({ client: { ...stub, resend: client.resend } });
    await send();
    const { status, body } = await send();
    expect([status, body.error.code, body.error.outcome]).toEqual([502, 'gateway', 'unknown']);
  });

  test('is forgotten after ten minutes', async () => {
    const clock = new FakeClock();
    const { send, lookedUp } = relayWorld({ clock });
    await send();
    clock.advance(600_001);
    await send();
    expect(lookedUp).toHaveLength(2);
  });

  test('that was refused is a new event the next time', async () => {
    const { send, gateway, lookedUp } = relayWorld();
    gateway.faults.add({ kind: 'status', status: 429 });
    expect((await send()).status).toBe(429);
    expect((await send()).status).toBe(200);
    expect(lookedUp).toHaveLength(2);
  });
});

describe('an outbox', () => {
  const receipt = {
    outcome: 'recorded',
    operation: 'reportBetEvent',
    reference: 'BET-1',
    environment: 'staging',
    attempts: 1,
  };

  test('answers with the state of its row', async () => {
    const client = stubClient(() => ({ id: 'row-1', state: 'waiting', done: never() }));
    const { send } = relayWorld({ client, environment: 'production' });
    const { status, body } = await send({ body: pageBet({ location: gps() }) });
    expect([status, body]).toEqual([
      202,
      { id: 'row-1', state: 'waiting', operation: 'reportBetEvent', reference: 'BET-1' },
    ]);
    expect(client.calls).toEqual([
      {
        event: { ...pageBet(), user: betUser() },
        options: { environment: 'production', location: gps(), timeoutMs: expect.any(Number) },
      },
    ]);
  });

  test('reports the result later', async () => {
    const told: unknown[] = [];
    const options = {
      onReceipt: (one: unknown) => void told.push(one),
      onError: (one: unknown) => void told.push(one),
    };
    await relayWorld({
      ...options,
      client: stubClient(() => ({ id: 1, state: 'waiting', done: Promise.resolve(receipt) })),
    }).send();
    const lost = new LocationError('x', {});
    await relayWorld({
      ...options,
      client: stubClient(() => ({ id: 1, state: 'waiting', done: Promise.reject(lost) })),
    }).send();
    await new Promise((resolve) => setTimeout(resolve));
    expect(told).toEqual([receipt, lost]);
  });

  test('with a time option gets the time that is left', async () => {
    const clock = new FakeClock();
    const client = stubClient(() => receipt);
    const { send } = relayWorld({ clock, client, timeoutMs: 5_000, complete: () => void clock.advance(2_000) });
    await send();
    expect(client.calls[0]?.options.timeoutMs).toBe(3_000);
    const late = relayWorld({
      clock,
      client: stubClient(() => receipt),
      timeoutMs: 5_000,
      complete: () => void clock.advance(5_000),
    });
    const answer = await late.send();
    expect([answer.status, answer.body.error]).toMatchObject([503, { code: 'timeout', outcome: 'not-sent' }]);
  });
});

test('no answer and no line contains personal data, except the page’s own location', async () => {
  // Values that occur in no other place.
  const user = betUser({
    first_name: 'Quillon',
    last_name: 'Zebrafinch',
    nin: '90817263544',
    tax_id: 'TX-55512',
    resident_address: '77 Vornhill',
    user_id: 'U-xylo-7',
  });
  const CANARIES =
    /Quillon|Zebrafinch|90817263544|TX-55512|Vornhill|U-xylo-7|102\.89\.23\.47|velvet-otter|6\.4474|8306|kq-session/;
  const careless = () => {
    throw Object.assign(new Error(`Zebrafinch ${PLAYER_IP}`, { cause: user }), {
      user,
      stack: `Error: Zebrafinch\n    at ${PLAYER_IP} 90817263544\n`,
    });
  };
  const echo = async (_url: string, { body }: { body?: string }) =>
    new Response(JSON.stringify({ message: `${body} is refused` }), { status: 422 });
  const authorize = () => ({ session: 'x', user }) satisfies TestPlayer;
  const worlds = [
    relayWorld({ authorize }),
    relayWorld({ authorize }, { fetch: echo }),
    relayWorld({ authorize }, { fetch: careless }),
    relayWorld({ authorize }, { location: { ip: { providers: [{ name: 'x', lookup: careless }] } } }),
    ...(['authorize', 'complete', 'limit', 'onReceipt'] as const).map((name) =>
      relayWorld({ authorize, [name]: careless }),
    ),
    relayWorld({ authorize, complete: () => ({ metadata: { note: ['velvet-otter'] } }) }),
    relayWorld({ authorize, client: stubClient(careless) }),
  ];
  for (const { send, lines } of worlds) {
    for (const body of [
      pageBet({ metadata: { note: 'velvet-otter' } }),
      pageBet({ user: { nin: '1' } }),
      pageBet({ amount: 'x' }),
      '{',
    ]) {
      const { text } = await send({ body, headers: { cookie: 'session=kq-session' } });
      expect(text).not.toMatch(CANARIES);
    }
    await send({ body: pageBet({ bet_id: 'BET-2', location: gps() }) });
    expect(lines.join('\n')).not.toMatch(CANARIES);
  }
});

test("the page's answer leads back to the typed error", async () => {
  const { send } = relayWorld();
  const { body } = await send({ body: pageBet({ amount: 'x' }) });
  expect(body.error).toEqual({
    code: 'validation',
    message: expect.any(String),
    outcome: 'not-sent',
    reference: 'BET-1',
    issues: [{ path: 'amount', code: 'wrong-type', message: 'expected a finite number, got a string of length 1' }],
  });
});

test("a client of partial validation passes on the page's additions", async () => {
  const { send, gateway } = relayWorld({}, { validation: 'partial' } as object);
  await send({ body: pageBet({ shop: 'Ikeja' }) });
  expect(gateway.requests()[0]?.body).toHaveProperty('shop');
});

test('the client of a partial validation fits', async () => {
  const { client } = relayWorld();
  const event = { bet_id: 'B', amount: 1 } as BetEvent;
  const error = await client.reportBetEvent(event).catch((thrown: unknown) => thrown);
  expect(isReportingError(error)).toBe(true);
  expect((await relayWorld().relay(pageRequest())).status).toBe(503);
});

test('an outbox may name its rows by any value: a report that it accepted is never called unsent', async () => {
  const { send } = relayWorld({
    client: {
      reportBetEvent: async () => ({ id: 17n, state: 'waiting' }),
      reportWithdrawalEvent: async () => ({ id: 18n, state: 'waiting' }),
    } as never,
  });
  const { status, body } = await send();
  expect([status, body]).toMatchObject([202, { id: '17', state: 'waiting' }]);
});
