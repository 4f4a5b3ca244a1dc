import { describe, expect, test } from 'vitest';
import { betUser } from '../../support/factories.js';
import { FakeClock } from '../../support/fake-clock.js';
import { attacksOn } from '../attacks.js';
import { BET, gps, pageBet, pageRequest, pageWithdrawal, relayWorld, type Sending, SITE, WITHDRAWAL } from './world.js';

const NOT_FOUND = { code: 'not-found', message: 'This path does not exist.', outcome: 'not-sent' };
const FORBIDDEN = { code: 'bad-request', message: 'This is not accepted.', outcome: 'not-sent' };
const METHOD = { code: 'bad-request', message: 'Use POST.', outcome: 'not-sent' };
const MEDIA_TYPE = { code: 'bad-request', message: 'Send application/json.', outcome: 'not-sent' };
const NO_SESSION = { code: 'authentication', message: 'No player is logged in.', outcome: 'not-sent' };
const OTHER_PLAYER = {
  code: 'authentication',
  message: 'The logged-in player is not the player of this report.',
  outcome: 'not-sent',
};
const TOO_LARGE = { code: 'bad-request', message: 'The body is too large.', outcome: 'not-sent' };

type Attack = readonly [name: string, sending: Sending, status: number, error: object];

const REFUSED = {
  origin: [403, FORBIDDEN],
  'media-type': [415, MEDIA_TYPE],
  method: [405, METHOD],
  address: [404, NOT_FOUND],
} as const;

const at = (url: string): Sending => ({ url });
const by = (headers: Record<string, string | undefined>): Sending => ({ headers });
const evil = 'https://evil.example';

const CONSTANT: readonly Attack[] = [
  ...attacksOn(`${SITE}/relay`, 'report-bet-event').map(
    ([name, changed, refused]): Attack => [name, changed, ...REFUSED[refused]],
  ),
  ['a settled bet', at(`${SITE}/relay/report-settled-bet-event`), 404, NOT_FOUND],
  ['a settled withdrawal', at(`${SITE}/relay/settle-withdrawal`), 404, NOT_FOUND],
  ['a verification', at(`${SITE}/relay/nin/verify`), 404, NOT_FOUND],
  ['an operation by its function’s name', at(`${SITE}/relay/reportBetEvent`), 404, NOT_FOUND],
  ['a slash at the end', at(`${BET}/`), 404, NOT_FOUND],
  ['another case', at(`${SITE}/relay/Report-Bet-Event`), 404, NOT_FOUND],
  ['a further segment behind it', at(`${BET}/report-settled-bet-event`), 404, NOT_FOUND],
  ['dots that lead to another path', at(`${BET}/../report-settled-bet-event`), 404, NOT_FOUND],
  ['encoded dots that lead to another path', at(`${BET}/%2e%2e/settle-withdrawal`), 404, NOT_FOUND],
  ['no session', by({ cookie: undefined }), 401, NO_SESSION],
  ['another player’s name for a session', by({ cookie: 'session=constructor' }), 401, NO_SESSION],
  ['a user in a header', by({ cookie: undefined, 'x-user-id': 'U-88412' }), 401, NO_SESSION],
  [
    'a report that the page of another player stored',
    by({ 'x-location-sdk-player': 'f'.repeat(64) }),
    401,
    OTHER_PLAYER,
  ],
  ['a length beyond the limit', by({ 'content-length': '70000' }), 413, TOO_LARGE],
  [
    'a body beyond the limit',
    { body: JSON.stringify(pageBet({ metadata: { note: 'x'.repeat(65_536) } })) },
    413,
    TOO_LARGE,
  ],
  [
    'a body beyond the limit with a false length',
    { headers: { 'content-length': '20' }, body: ' '.repeat(65_537) },
    413,
    TOO_LARGE,
  ],
];

const nested = (depth: number, open: string, close: string) =>
  `{"bet_id":"BET-1","amount":1,"metadata":${open.repeat(depth)}1${close.repeat(depth)}}`;
const text = (body: string | Uint8Array): Sending => ({ body });
const bet = (more: object): Sending => ({ body: pageBet(more) });
const withdrawal = (more: object): Sending => ({ url: WITHDRAWAL, body: pageWithdrawal(more) });

type Wrong = readonly [name: string, sending: Sending, issues: readonly string[]];

const INVALID: readonly Wrong[] = [
  ['another player', bet({ user: { user_id: 'U-2' } }), ['user: conflict']],
  ["a guess of the player's number that is right", bet({ user: { nin: betUser().nin } }), ['user: conflict']],
  ['a guess that is wrong', bet({ user: { nin: '99000000000' } }), ['user: conflict']],
  ['a list as the user', bet({ user: [] }), ['user: conflict']],
  ['null as the user', bet({ user: null }), ['user: conflict']],
  ['the userId of another player', withdrawal({ userId: 'U-2' }), ['userId: conflict']],
  ['a userId in a bet', bet({ userId: 'U-88412' }), ['userId: conflict']],
  ['the other environment', bet({ environment: 'production' }), ['environment: conflict']],
  ['an unknown environment', bet({ environment: 'test' }), ['environment: conflict']],
  ['another address', bet({ clientIP: '8.8.8.8' }), ['clientIP: unknown-field']],
  ['a location with the source of a lookup', bet({ location: gps({ source: 'ip' }) }), ['location.source: invalid']],
  [
    'a location with the source of a lookup by the backend',
    bet({ location: gps({ source: 'client_ip' }) }),
    ['location.source: invalid'],
  ],
  ['a latitude beyond the pole', bet({ location: gps({ latitude: 91 }) }), ['location.latitude: invalid']],
  [
    'a location of strings',
    bet({ location: gps({ latitude: '6.4', longitude: null }) }),
    ['location.latitude: wrong-type', 'location.longitude: wrong-type'],
  ],
  ['a location with further members', bet({ location: gps({ ip: '8.8.8.8' }) }), ['location.ip: unknown-field']],
  ['null as the location', bet({ location: null }), ['location: wrong-type']],
  ['an amount as text', bet({ amount: '1500' }), ['amount: wrong-type']],
  ['an infinite amount', text('{"bet_id":"BET-1","amount":1e999}'), ['amount: wrong-type']],
  ['a reference that is a list', bet({ bet_id: ['BET-1'] }), ['bet_id: wrong-type']],
  ['a reference of blanks', bet({ bet_id: ' ' }), ['bet_id: invalid']],
  ['a reference with a header in it', bet({ bet_id: 'BET-1\r\nset-cookie: session=evil' }), ['bet_id: invalid']],
  ['no reference', bet({ bet_id: undefined }), ['bet_id: missing']],
  ['a timestamp of milliseconds', bet({ timestamp: '1795161600000' }), ['timestamp: invalid']],
  ['a field of no event', bet({ status: 'SUCCESS' }), ['status: unknown-field']],
  ['options of the call', bet({ timeoutMs: 1, signal: {} }), ['timeoutMs: unknown-field', 'signal: unknown-field']],
  [
    'the fields of a settled bet',
    bet({ win_amount: 1, outcome: 'WIN' }),
    ['win_amount: unknown-field', 'outcome: unknown-field'],
  ],
  [
    'a whole account number',
    withdrawal({ metadata: { method: 'x', bank: 'x', account_last4: '0123456789' } }),
    ['metadata.account_last4: invalid'],
  ],
  ['the reference twice', text('{"bet_id":"BET-1","amount":1,"bet_id":"BET-2"}'), ['bet_id: conflict']],
  [
    'a name twice, once written with escapes',
    text('{"amount":1,"bet_id":"BET-1","\\u0061mount":2}'),
    ['amount: conflict'],
  ],
  [
    'the user twice',
    text('{"bet_id":"BET-1","amount":1,"user":{"user_id":"U-88412"},"user":{"user_id":"U-2"}}'),
    ['user: conflict'],
  ],
  [
    'a name twice within an object',
    text('{"bet_id":"BET-1","amount":1,"location":{"latitude":1,"longitude":2,"latitude":3}}'),
    ['location.latitude: conflict'],
  ],
  [
    '__proto__',
    text('{"bet_id":"BET-1","amount":1,"__proto__":{"environment":"production"}}'),
    ['__proto__: forbidden-field'],
  ],
  [
    'constructor within the user',
    text('{"bet_id":"BET-1","amount":1,"user":{"constructor":{"prototype":{}}}}'),
    ['user.constructor: forbidden-field', 'user.constructor.prototype: forbidden-field'],
  ],
  [
    '__proto__ written with escapes',
    text('{"bet_id":"BET-1","amount":1,"metadata":{"\\u005f_proto__":1}}'),
    ['metadata.__proto__: forbidden-field'],
  ],
  ['nesting beyond any event', text(nested(9, '[', ']')), [': not-json']],
  ['infinite nesting', text(nested(20_000, '{"a":', '}').slice(0, 65_536)), [': not-json']],
  ['endless brackets', text('['.repeat(65_536)), [': not-json']],
  ['endless quotation marks', text('"\\'.repeat(32_768)), [': not-json']],
  ['a list', text('[]'), [': not-json']],
  ['null', text('null'), [': not-json']],
  ['nothing', text(''), [': not-json']],
  ['half of it', text('{"bet_id":"BET-1"'), [': not-json']],
  ['two events', text(`${JSON.stringify(pageBet())}${JSON.stringify(pageBet())}`), [': not-json']],
  ['a comment', text('{/**/"bet_id":"BET-1","amount":1}'), [': not-json']],
  ['a byte order mark', text('\uFEFF{"bet_id":"BET-1","amount":1}'), [': not-json']],
  [
    'bytes that are not UTF-8',
    text(new Uint8Array([...new TextEncoder().encode('{"amount":1,"bet_id":"B'), 0xff, 0x22, 0x7d])),
    [': not-json'],
  ],
];

async function attacked(sending: Sending, world = relayWorld()) {
  const answer = await world.send(sending);
  // Nothing reached the gateway, and no player was located.
  expect(world.gateway.requests()).toEqual([]);
  expect(world.lookedUp).toEqual([]);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    vary: 'Origin',
  });
  expect([...answer.headers.keys()].filter((name) => /server|powered|cookie|allow-origin/.test(name))).toEqual([]);
  expect(answer.text).not.toMatch(/\n\s+at |node_modules|\d+\.\d+\.\d+/);
  return answer;
}

describe('is refused with a constant answer, and nothing reaches the gateway:', () => {
  test.each(CONSTANT)('%s', async (_, sending, status, error) => {
    const answer = await attacked(sending);
    expect([answer.status, answer.body]).toEqual([status, { error }]);
  });
});

test('its path, origin, method, headers and media type are checked before any function of the operator is called', async () => {
  const early = CONSTANT.filter(([, , status]) => [403, 404, 405, 415].includes(status));
  expect(early.length).toBeGreaterThan(45);
  const asked: string[] = [];
  const { send } = relayWorld({
    authorize: ({ url }) => {
      asked.push(url);
      return null;
    },
  });
  for (const [, sending] of early) await send(sending);
  expect(asked).toEqual([]);
});

describe('is refused with its problem, and nothing reaches the gateway:', () => {
  test.each(INVALID)('%s', async (_, sending, issues) => {
    const { status, body, text } = await attacked(sending);
    expect([status, body.error.code, body.error.outcome]).toEqual([400, 'validation', 'not-sent']);
    expect(body.error.issues.map(({ path, code }: { path: string; code: string }) => `${path}: ${code}`)).toEqual(
      issues,
    );
    // The session's data about the player is not in the answer, for any guess.
    expect(text).not.toMatch(/99012345678|Adaeze|Okonkwo|2034567890123|Ogui/);
  });

  test('a withdrawal at the address of bets', async () => {
    const { status, body } = await attacked({ body: pageWithdrawal() });
    expect([status, body.error.code]).toEqual([400, 'validation']);
  });
});

describe('a visitor who is not logged in', () => {
  test.each(INVALID.slice(0, 3))('does not get the problems of a body: %s', async (_, sending) => {
    const answer = await attacked({ ...sending, headers: { cookie: undefined } });
    expect([answer.status, answer.body]).toEqual([401, { error: NO_SESSION }]);
  });

  test('and their body is not read', async () => {
    let read = false;
    const body = new ReadableStream(
      {
        pull: () => {
          read = true;
        },
      },
      { highWaterMark: 0 },
    );
    await attacked({ body, headers: { cookie: undefined } });
    expect(read).toBe(false);
  });
});

describe('a slow or endless body', () => {
  const slow = () =>
    new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{"bet_id":')) });

  test('is ended in time', async () => {
    const clock = new FakeClock();
    const { send, gateway } = relayWorld({ clock });
    const answer = await clock.run(send({ body: slow() }));
    expect([answer.status, answer.body]).toEqual([
      408,
      { error: { code: 'timeout', message: 'The body did not come in time.', outcome: 'not-sent' } },
    ]);
    expect(clock.waits).toContain(10_000);
    expect([gateway.requests(), clock.pending]).toEqual([[], 0]);
  });

  test('that drips ends like one that stops', async () => {
    const clock = new FakeClock();
    const drip = new ReadableStream({
      pull: async (controller) => {
        await new Promise<void>((resolve) => clock.setTimeout(resolve, 1_000));
        controller.enqueue(new Uint8Array([0x20]));
      },
    });
    expect((await clock.run(relayWorld({ clock }).send({ body: drip }))).status).toBe(408);
  });

  test('of endless pieces is cut at its limit', async () => {
    let pieces = 0;
    const endless = new ReadableStream({
      pull: (controller) => {
        pieces += 1;
        controller.enqueue(new Uint8Array(1_024));
      },
    });
    const answer = await attacked({ body: endless });
    expect([answer.status, answer.body]).toEqual([413, { error: TOO_LARGE }]);
    expect(pieces).toBeLessThan(70);
  });

  test('that breaks off is not a report', async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) });
    expect((await attacked({ body: broken })).status).toBe(400);
  });
});

describe('forwarding headers', () => {
  const forged = {
    'x-forwarded-for': '8.8.8.8',
    forwarded: 'for=8.8.8.8',
    'x-real-ip': '8.8.8.8',
    'cf-connecting-ip': '8.8.8.8',
    'client-ip': '8.8.8.8',
  };

  test('change nothing if no proxy is trusted', async () => {
    const { send, lookedUp } = relayWorld();
    expect((await send(by(forged))).status).toBe(200);
    expect(lookedUp).toEqual(['102.89.23.47']);
  });

  test("count from the relay's own proxy on: entries that a player wrote before are ignored", async () => {
    const { send, lookedUp } = relayWorld({ trustedProxies: 1 });
    await send(by({ ...forged, 'x-forwarded-for': '8.8.8.8, 102.89.23.48' }));
    expect(lookedUp).toEqual(['102.89.23.48']);
  });
});

describe('a replay', () => {
  test('gets the receipt, and does not reach the gateway', async () => {
    const { send, gateway } = relayWorld();
    const first = await send();
    const { status, body } = await send();
    expect([status, body]).toEqual([200, { ...first.body, outcome: 'already-recorded' }]);
    expect([gateway.requests().length, gateway.reports().length]).toEqual([1, 1]);
  });

  test("by another player never gets the first one's receipt, from the relay or from the gateway", async () => {
    const { send, gateway } = relayWorld();
    expect((await send(bet({ location: gps() }))).status).toBe(200);
    const foreign = await send({ ...bet({ location: gps() }), headers: { cookie: 'session=bola' } });
    expect([foreign.status, foreign.body.error.code, foreign.body.error.conflict]).toEqual([409, 'duplicate', true]);
    expect(foreign.text).not.toContain('latitude');
    expect(gateway.reports()).toHaveLength(1);
  });

  test('with another amount is a conflict, and the recorded report stays', async () => {
    const { send, gateway } = relayWorld();
    await send(bet({ location: gps() }));
    const { status, body } = await send(bet({ location: gps(), amount: 1 }));
    expect([status, body.error.code, body.error.conflict, body.error.outcome]).toEqual([
      409,
      'duplicate',
      true,
      'rejected',
    ]);
    expect(gateway.reports()[0]?.body).toMatchObject({ amount: 1500 });
  });

  test('by another player is a conflict, and changes nothing', async () => {
    const { send, gateway } = relayWorld();
    await send(bet({ location: gps() }));
    const { body } = await send({ body: pageBet({ location: gps() }), headers: { cookie: 'session=bola' } });
    expect(body.error).toMatchObject({ code: 'duplicate', conflict: true });
    expect(gateway.reports()[0]?.body).toMatchObject({ user: { user_id: 'U-88412' } });
  });

  test('while the first is being sent is one report, and both get its receipt; another player’s is a separate one', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let ready = 0;
    const complete = () => {
      ready += 1;
      return undefined;
    };
    let sending = 0;
    const fetch: typeof globalThis.fetch = (url, init) => {
      sending += 1;
      return gate.then(() => world.gateway.fetch(url, init));
    };
    const world: ReturnType<typeof relayWorld> = relayWorld({ complete }, { fetch });
    const { send, gateway } = world;
    const sent = [send(), send(), send({ headers: { cookie: 'session=bola' } })];
    while (ready < 3 || sending < 2) await new Promise((resolve) => setTimeout(resolve));
    // Hashed on another thread.
    await new Promise((resolve) => setTimeout(resolve, 100));
    open();
    const [first, second, other] = await Promise.all(sent);
    expect([first?.status, second?.status, other?.status]).toEqual([200, 200, 409]);
    expect(second?.body).toEqual(first?.body);
    expect(gateway.requests()).toHaveLength(2);
  });

  test('of the operator’s refusal stays refused', async () => {
    const { send, gateway } = relayWorld({ complete: () => null });
    for (let index = 0; index < 2; index += 1)
      expect([(await send()).status, gateway.requests().length]).toEqual([403, 0]);
  });
});

describe("with a framework that says localhost, and the relay's own site in allowedOrigins,", () => {
  const play = 'https://play.example';
  const hidden = (headers: Record<string, string | undefined>): Sending => ({
    url: 'http://localhost:3000/relay/report-bet-event',
    headers,
  });
  const named = () => relayWorld({ allowedOrigins: [play] });

  test.each<[string, Record<string, string | undefined>]>([
    ['another site', {}],
    ["another site, with the relay's own site as Host", { host: 'play.example' }],
    ['another site, with itself as Host', { host: 'evil.example' }],
    ['another site, with itself as X-Forwarded-Host', { 'x-forwarded-host': 'evil.example' }],
    [
      'another site, with itself in all proxy headers',
      { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' },
    ],
    [
      'another site, with a genuine Sec-Fetch-Site',
      { 'sec-fetch-site': undefined, 'x-forwarded-host': 'evil.example' },
    ],
    ['a name that begins like it', { origin: `${play}.evil.example` }],
    ['a name that ends like it', { origin: 'https://notplay.example' }],
    ['a subdomain of it', { origin: 'https://x.play.example' }],
    ['another port', { origin: `${play}:8443` }],
    ['plain http', { origin: 'http://play.example' }],
    ['a dot at the end', { origin: `${play}.` }],
    ['a slash at the end', { origin: `${play}/` }],
    ['capitals', { origin: 'https://PLAY.example' }],
    ['a user name', { origin: 'https://x@play.example' }],
    ['it and another', { origin: `${play}, ${evil}` }],
    ['a sandboxed frame of it', { origin: 'null' }],
    ['a page of the player’s own machine', { origin: 'http://localhost:3000', 'sec-fetch-site': 'cross-site' }],
    ['a page of another port there', { origin: 'http://localhost:8080', 'sec-fetch-site': undefined }],
  ])('%s is refused', async (_, headers) => {
    const answer = await attacked(hidden({ origin: evil, 'sec-fetch-site': 'same-origin', ...headers }), named());
    expect([answer.status, answer.body]).toEqual([403, { error: FORBIDDEN }]);
  });

  test('a page of the player’s own machine cannot read an answer, even if its browser leaves headers out', async () => {
    const { headers } = await named().send(hidden({ origin: 'http://localhost:3000', 'sec-fetch-site': undefined }));
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  test("the relay's own site is accepted", async () => {
    expect((await named().send(hidden({ origin: play }))).status).toBe(200);
  });
});

describe('of a preflight', () => {
  const preflight = (origin: string): Sending => ({
    method: 'OPTIONS',
    headers: {
      origin,
      'sec-fetch-site': 'cross-site',
      cookie: undefined,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-location-sdk',
    },
    body: '',
  });

  test('a stranger’s is refused without naming the allowed origins', async () => {
    const answer = await attacked(preflight(evil), relayWorld({ allowedOrigins: ['https://play.example'] }));
    expect([answer.status, answer.body]).toEqual([403, { error: FORBIDDEN }]);
  });

  test('an allowed one’s is answered, without a session', async () => {
    const { send, gateway } = relayWorld({
      allowedOrigins: ['https://play.example'],
      allowedHeaders: ['Authorization'],
    });
    const { status, headers, text } = await send(preflight('https://play.example'));
    expect([status, text, gateway.requests()]).toEqual([204, '', []]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'access-control-allow-origin': 'https://play.example',
      'access-control-allow-credentials': 'true',
      'access-control-allow-headers': 'content-type, x-location-sdk, x-location-sdk-player, authorization',
      'access-control-allow-methods': 'POST',
      vary: 'Origin',
    });
  });
});

describe('one request makes the relay write little:', () => {
  test('an answer contains a hundred issues at most', async () => {
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`f${index}`, 1]));
    for (const body of [pageBet(many), { ...pageBet(), list: many }]) {
      const { status, body: answer } = await attacked({ body });
      expect([status, answer.error.code]).toEqual([400, 'validation']);
      expect(answer.error.issues.length).toBeLessThanOrEqual(100);
    }
    expect((await attacked({ body: `{${'"a":1,'.repeat(5_000)}"b":1}` })).body.error.issues).toHaveLength(100);
  });

  test('an authorize that always throws gets one line a minute, and ten at most', async () => {
    const clock = new FakeClock();
    let kind = 'Error';
    const authorize = () => {
      throw Object.assign(new Error('x'), { name: kind });
    };
    const { send, lines } = relayWorld({ authorize, clock });
    for (let index = 0; index < 20; index += 1) expect((await send()).status).toBe(401);
    expect(lines).toHaveLength(1);
    for (let index = 0; index < 20; index += 1) {
      kind = `Kind${'x'.repeat(index)}`;
      await send();
    }
    expect(lines).toHaveLength(10);
    clock.advance(60_000);
    await send();
    expect(lines).toHaveLength(11);
  });
});

test('no request pollutes the objects of the process', async () => {
  for (const [, sending] of INVALID) await relayWorld().send(sending);
  expect(({} as Record<string, unknown>).environment).toBeUndefined();
  expect(Object.keys(Object.prototype)).toEqual([]);
});

test('the request that the attacks change is valid', async () => {
  const { send, gateway } = relayWorld();
  expect((await send(pageRequest())).status).toBe(200);
  expect(gateway.reports()).toHaveLength(1);
});
