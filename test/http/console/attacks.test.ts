import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../support/fake-clock.js';
import { attacksOn } from '../attacks.js';
import { callAt, consoleWorld, opening, PAGE, type Sending } from './world.js';

type Attack = readonly [name: string, sending: Sending, status: number, code: string];

const STATUSES = { origin: 403, 'media-type': 415, method: 405, address: 404 } as const;

const at = (url: string): Sending => ({ url });
const by = (headers: Record<string, string | undefined>): Sending => ({ headers });
const OVERVIEW = callAt('overview');
const evil = 'https://evil.example';

/** Calls that read only: what is refused here is refused for every call. */
const REFUSED: readonly Attack[] = [
  ...attacksOn(`${PAGE}/api`, 'overview').map(
    ([name, changed, refused]): Attack => [name, changed, STATUSES[refused], refused],
  ),
  [
    'a preflight of another origin',
    { method: 'OPTIONS', headers: { origin: evil, 'access-control-request-method': 'POST' } },
    405,
    'method',
  ],
  ['a decision by GET', { url: callAt('decide'), method: 'GET' }, 405, 'method'],
  ['a POST to the page', at(PAGE), 405, 'method'],
  ['a POST to the script', at(`${PAGE}/console.js`), 405, 'method'],
  ['a call that there is not', at(callAt('prune')), 404, 'address'],
  ['a slash at the end', at(`${OVERVIEW}/`), 405, 'method'],
  ['another case', at(callAt('Overview')), 405, 'method'],
  ['a reference in the address', at(`${callAt('search')}?text=BET-1`), 404, 'address'],
  ['no session', by({ cookie: undefined }), 401, 'session'],
  ['a session that there is not', by({ cookie: 'session=constructor' }), 401, 'session'],
  ['a name in a header', by({ cookie: undefined, 'x-user': 'ada@ops.example' }), 401, 'session'],
  ['a length beyond the limit', by({ 'content-length': '1048577' }), 413, 'too-large'],
  [
    'a body beyond the limit whose length is a lie',
    { headers: { 'content-length': '20' }, body: ' '.repeat(1_048_577) },
    413,
    'too-large',
  ],
  ['a list', { body: '[]' }, 422, 'invalid'],
  ['null', { body: 'null' }, 422, 'invalid'],
  ['a text', { body: '"overview"' }, 422, 'invalid'],
  ['half of it', { body: '{"a":' }, 422, 'invalid'],
  ['nothing', { body: '' }, 422, 'invalid'],
];

const decision = 'a5f3c2d1-0000-4000-8000-000000000001';
const retry = {
  decision,
  action: 'retry',
  selection: { ids: ['default:production:reportBetEvent:BET-1'] },
  reason: 'mended',
};

/** Bodies of calls that no page sends. */
const INVALID: readonly (readonly [name: string, call: string, body: unknown])[] = [
  ['no reason', 'decide', { ...retry, reason: undefined }],
  ['a reason of blanks', 'decide', { ...retry, reason: ' \n' }],
  ['a reason that is not a text', 'decide', { ...retry, reason: { toString: 'x' } }],
  ['a reason without end', 'decide', { ...retry, reason: 'x'.repeat(4_001) }],
  ['an action that there is not', 'decide', { ...retry, action: 'delete' }],
  ['the name of a member of all objects as the action', 'decide', { ...retry, action: 'constructor' }],
  ['no selection', 'decide', { ...retry, selection: undefined }],
  ['everything as the selection', 'decide', { ...retry, selection: {} }],
  ['a selection that is a list', 'decide', { ...retry, selection: ['default:production:reportBetEvent:BET-1'] }],
  ['no report in the selection', 'decide', { ...retry, selection: { ids: [] } }],
  ['ids that are not texts', 'decide', { ...retry, selection: { ids: [{}] } }],
  ['ids that are one text', 'decide', { ...retry, selection: { ids: 'BET-1' } }],
  [
    'wrong ids beside a group',
    'decide',
    {
      ...retry,
      selection: { ids: [], group: { account: 'default', environment: 'production', code: 'network', words: '' } },
    },
  ],
  ['more ids than a selection has', 'decide', { ...retry, selection: { ids: Array.from({ length: 501 }, String) } }],
  [
    'a group without its account',
    'decide',
    { ...retry, selection: { group: { environment: 'production', code: 'conflict', words: '' } } },
  ],
  [
    'a group of an environment that there is not',
    'decide',
    { ...retry, selection: { group: { account: 'a', environment: '*', code: 'c', words: '' } } },
  ],
  ['no key of the decision', 'decide', { ...retry, decision: undefined }],
  ['a short key', 'decide', { ...retry, decision: '1' }],
  ['a key with a statement in it', 'decide', { ...retry, decision: "a5f3c2d1'; drop table rows; --" }],
  ['a time that is a text', 'decide', { ...retry, asOf: 'now' }],
  ['a reopening of nothing', 'reopen', { decision, reason: 'x' }],
  ['a name that is a list', 'decisions', { who: ['ada'] }],
  ['a decision with a statement in it', 'search', { decision: "a5f3c2d1'; drop table rows; --" }],
  ['an undoing of nothing', 'undo', { decision, reason: 'x' }],
  ['a body without a reason', 'body', { decision, id: 'default:production:reportBetEvent:BET-1' }],
  ['a body without a key', 'body', { id: 'default:production:reportBetEvent:BET-1', reason: 'x' }],
  ['a pause of no environment', 'resume', { decision, account: 'default', reason: 'x' }],
  ['a range that there is not', 'charts', { range: 'years' }],
  ['a state that there is not', 'search', { state: "recorded' or 1=1" }],
  [
    'a list of references that is none',
    'reconcile',
    { account: 'default', operation: 'reportBetEvent', environment: 'production', references: {} },
  ],
  [
    'a list of references without end',
    'reconcile',
    { account: 'default', operation: 'reportBetEvent', references: Array.from({ length: 5_001 }, String) },
  ],
  ['an operation that changes nothing', 'reconcile', { account: 'default', operation: 'verifyNin', references: ['x'] }],
];

/** Each answer is as tight as the last one. */
function expectTight({ headers, text }: { headers: Headers; text: string }): void {
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe|\*|data:|https?:/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('cache-control')).toMatch(/^no-store$|^private, no-cache$/);
  expect([...headers.keys()].filter((name) => /server|powered|cookie|access-control/.test(name))).toEqual([]);
  expect(text).not.toMatch(/\n\s+at |node_modules/);
}

describe('is refused, and the data are not asked:', () => {
  test.each(REFUSED)('%s', async (_, sending, status, code) => {
    const { send, calls } = consoleWorld();
    const answer = await send(sending);
    expectTight(answer);
    if (sending.method !== 'HEAD') expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    expect(calls).toEqual([]);
  });

  test.each(INVALID)('%s', async (_, call, body) => {
    const { act, calls } = consoleWorld();
    const answer = await act(call, body);
    expectTight(answer);
    expect([answer.status, answer.body.error.code]).toEqual([422, 'invalid']);
    expect(calls).toEqual([]);
  });
});

describe('an action', () => {
  const ACTIONS = [
    ['decide', retry],
    ['undo', { decision, of: decision, reason: 'x' }],
    ['reopen', { decision, id: 'default:production:reportBetEvent:BET-1', reason: 'x' }],
    ['resume', { decision, account: 'default', environment: 'production', reason: 'x' }],
    ['body', { decision, id: 'default:production:reportBetEvent:BET-1', reason: 'x' }],
  ] as const;

  test.each(ACTIONS)('of the page is carried out: %s', async (name, body) => {
    const { act, calls } = consoleWorld();
    await act(name, body);
    expect(calls.map((call) => call.name)).toEqual([name === 'reopen' ? 'decide' : name]);
  });

  test.each(ACTIONS)('without a token is refused: %s', async (name, body) => {
    const { act, calls } = consoleWorld();
    const answer = await act(name, body, { token: undefined });
    expect([answer.status, answer.body.error.code]).toEqual([403, 'token']);
    expect(calls).toEqual([]);
  });

  test.each(ACTIONS)('is refused to every colleague where the console only shows: %s', async (name, body) => {
    const { act, calls } = consoleWorld({ readOnly: true });
    const answer = await act(name, body);
    expect([answer.status, answer.body.error.code]).toEqual([403, 'read-only']);
    expect(calls).toEqual([]);
  });

  test.each(ACTIONS)('of a colleague who may only look is refused: %s', async (name, body) => {
    const { act, tokenOf, calls } = consoleWorld();
    const answer = await act(name, body, { token: await tokenOf('chidi'), headers: { cookie: 'session=chidi' } });
    expect([answer.status, answer.body.error.code]).toEqual([403, 'rights']);
    expect(calls).toEqual([]);
  });

  test('a body is refused to a colleague who may act and not read', async () => {
    const { act, tokenOf, calls } = consoleWorld();
    const answer = await act('body', ACTIONS[3][1], {
      token: await tokenOf('bola'),
      headers: { cookie: 'session=bola' },
    });
    expect([answer.status, answer.body.error.code]).toEqual([403, 'rights']);
    expect(calls).toEqual([]);
  });

  test.each([
    ['of another colleague', async ({ tokenOf }: ReturnType<typeof consoleWorld>) => tokenOf('bola')],
    ['of another store', async () => consoleWorld({}, {}, 'the secret of another store').tokenOf('ada')],
    [
      'with a later end',
      async ({ tokenOf }: ReturnType<typeof consoleWorld>) =>
        (await tokenOf('ada')).replace(/^\d+/, (end) => String(Number(end) + 1)),
    ],
    ['that is cut off', async ({ tokenOf }: ReturnType<typeof consoleWorld>) => (await tokenOf('ada')).slice(0, -1)],
    ['with more behind it', async ({ tokenOf }: ReturnType<typeof consoleWorld>) => `${await tokenOf('ada')}0`],
    ['without its proof', async ({ tokenOf }: ReturnType<typeof consoleWorld>) => (await tokenOf('ada')).split('.')[0]],
    ['that is not a token', async () => 'x.y'],
  ])('with a token %s is refused', async (_, tokenFor) => {
    const world = consoleWorld();
    const answer = await world.act('decide', retry, { token: await tokenFor(world) });
    expect([answer.status, answer.body.error.code]).toEqual([403, 'token']);
    expect(world.calls).toEqual([]);
  });

  test('with a token that is over is refused', async () => {
    const clock = new FakeClock();
    const { act, tokenOf, calls } = consoleWorld({ clock });
    const token = await tokenOf('ada');
    const later = consoleWorld({
      clock: Object.assign(new FakeClock(), { now: () => clock.now() + 12 * 3_600_000 + 1 }),
    });
    expect((await later.act('decide', retry, { token })).body.error.code).toBe('token');
    await act('decide', retry, { token });
    expect([later.calls.length, calls.length]).toEqual([0, 1]);
  });

  test('is that of the colleague who is logged in, not of a name in the request', async () => {
    const { act, calls } = consoleWorld();
    const forged = JSON.stringify({ ...retry, who: 'the director', forMs: 1e9, mayAct: true });
    await act('decide', forged);
    expect(calls[0]?.given[0]).toMatchObject({ who: 'ada@ops.example', reason: 'mended', decision });
    expect(calls[0]?.given[0]).not.toHaveProperty('forMs');
    for (const twice of ['"__proto__":{"who":"the director"}', '"who":"ada@ops.example"'])
      expect((await act('decide', forged.replace('{', `{${twice},`))).status).toBe(422);
    expect(calls).toHaveLength(1);
  });
});

describe('the page', () => {
  test('comes with a strict policy, without code or style of its own, and asks no other host', async () => {
    const answer = await consoleWorld().send(opening());
    expectTight(answer);
    expect(answer.status).toBe(200);
    expect(answer.text).not.toMatch(/<script(?![^>]*src=)|<style|style=|\son\w+=|https?:\/\//);
  });

  test.each([
    ['a frame', { 'sec-fetch-dest': 'iframe' }],
    ['an object', { 'sec-fetch-dest': 'object', 'sec-fetch-mode': 'no-cors' }],
    [
      'a script of another page',
      { 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'cross-site' },
    ],
    ['an image', { 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors' }],
  ])('is not given to %s', async (_, headers) => {
    const answer = await consoleWorld().send(opening({ headers }));
    expect([answer.status, answer.body.error.code]).toEqual([403, 'origin']);
  });

  test.each(['console.js', 'console.css', 'console.svg'])(
    'gives %s to no other site, and needs a session for it',
    async (name) => {
      const { send } = consoleWorld();
      const file = (headers: Record<string, string | undefined>) =>
        send({ url: `${PAGE}/${name}`, method: 'GET', headers: { origin: undefined, ...headers } });
      expect((await file({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
      expect((await file({ 'sec-fetch-site': 'same-site' })).status).toBe(403);
      expect((await file({ cookie: undefined })).status).toBe(401);
      const { status, headers } = await file({});
      expect(status).toBe(200);
      expect((await file({ 'if-none-match': headers.get('etag') ?? '' })).status).toBe(304);
    },
  );

  test('is not given without a session; a person reads what to do, a program gets JSON', async () => {
    const { send } = consoleWorld();
    const read = await send(
      opening({ headers: { cookie: undefined, accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }),
    );
    expectTight(read);
    expect([read.status, read.headers.get('content-type')]).toEqual([401, 'text/html; charset=utf-8']);
    expect(read.text).toMatch(/<h1>Log in first<\/h1>.*then load this page again/);
    expect(read.text).not.toMatch(/<script|<style|style=|https?:\/\//);
    for (const accept of [undefined, '*/*', 'application/json'])
      expect((await send(opening({ headers: { cookie: undefined, accept } }))).body.error.code).toBe('session');
    expect((await send({ headers: { cookie: undefined, accept: 'text/html' } })).body.error.code).toBe('session');
  });

  test('that cannot be shown says so to a person, and where the reason stands', async () => {
    const { send } = consoleWorld({ authorize: () => ({ name: '' }) });
    const answer = await send(opening({ headers: { accept: 'text/html' } }));
    expectTight(answer);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([500, 'text/html; charset=utf-8']);
    expect(answer.text).toMatch(/the server's log says what, under [a-p]{16}/);
  });
});

describe('what the operator gives', () => {
  test('a session check that throws admits no one, and the log holds no word of it', async () => {
    const { send, lines, calls } = consoleWorld({
      authorize: () => {
        throw new Error('no row for Adaeze Okonkwo');
      },
    });
    expect((await send()).status).toBe(401);
    expect(lines.join('\n')).toContain('the option authorize threw Error');
    expect(lines.join('\n')).not.toContain('Adaeze');
    expect(calls).toEqual([]);
  });

  test.each([{}, { name: '' }, { name: 7 }, { name: 'x'.repeat(201) }, true])(
    'a colleague without a name is let in nowhere: %j',
    async (visitor) => {
      const { send, calls } = consoleWorld({ authorize: () => visitor as never });
      expect((await send()).status).toBe(500);
      expect(calls).toEqual([]);
    },
  );

  test.each(['yes', 1, {}, 'false'])('only true is a right: %j', async (mayAct) => {
    const { act, calls } = consoleWorld({ authorize: () => ({ name: 'ada', mayAct: mayAct as never }) });
    expect((await act('decide', retry)).body.error.code).toBe('rights');
    expect(calls).toEqual([]);
  });

  test('an error of the store is a number that the log explains, and says nothing', async () => {
    const overview = async (): Promise<never> => {
      throw new Error('password=hunter2 host=10.0.0.7');
    };
    const { send, lines } = consoleWorld({}, { overview });
    const { status, text, body } = await send();
    expect([status, body.error.code]).toEqual([500, 'failed']);
    expect(text).not.toMatch(/hunter2|10\.0\.0\.7/);
    const [, id = 'none'] = /under ([a-p]{16})/.exec(text) ?? [];
    expect(lines.join('\n')).toContain(id);
    expect(lines.join('\n')).not.toContain('hunter2');
  });

  test('a body that does not come is given up in its time', async () => {
    const clock = new FakeClock();
    const { send, calls } = consoleWorld({ clock });
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{"a":')) });
    const answer = await clock.run(send({ body }));
    expect([answer.status, answer.body.error.code]).toEqual([408, 'too-slow']);
    expect(calls).toEqual([]);
  });
});
