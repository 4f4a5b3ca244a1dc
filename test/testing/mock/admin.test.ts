import { describe, expect, test, vi } from 'vitest';
import { version } from '../../../src/core/platform/version.js';
import { createMockGateway, type MockGateway } from '../../../src/entries/mock.js';
import { type AdminOptions, createAdmin } from '../../../src/testing/mock/admin.js';
import { betEvent, settledBet } from '../../support/factories.js';
import { BODIES } from './world.js';

const ADDRESS = 'http://127.0.0.1:4010';
const location = { latitude: 6.45, longitude: 3.39, source: 'gps' };
const bet = (id = 'BET-1') => ({ ...betEvent({ bet_id: id, timestamp: '1795161600' }), location });

interface Asked {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
  base?: string;
  signal?: AbortSignal;
}

function serving(options: Partial<AdminOptions> = {}) {
  const gateway = createMockGateway();
  const openapi = () => ({ openapi: '3.1.0' });
  const admin = createAdmin(gateway, { address: ADDRESS, pid: 1, openapi, ...options });
  async function ask(path: string, { method = 'GET', body, base = `${ADDRESS}/__admin/`, ...rest }: Asked = {}) {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await admin(
      new Request(base + path, { method, ...rest, ...(body !== undefined && { body: text }) }),
    );
    if (!response) return undefined;
    const answer = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: answer.startsWith('{') ? JSON.parse(answer) : answer,
    };
  }
  const report = (body: object = bet(), path = 'report-bet-event', prefix = '') =>
    gateway.fetch(`http://x.localhost${prefix}/integration-gateway/external/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'mock-api-key' },
      body: JSON.stringify(body),
    });
  return { gateway, admin, ask, report };
}

const refusal = (statusCode: number, message: RegExp) => ({
  status: statusCode,
  body: { message: expect.stringMatching(message), error: expect.any(String), statusCode },
});

test('health answers with the version', async () => {
  expect(await serving().ask('health')).toMatchObject({ status: 200, body: { status: 'ok', version } });
});

test('requests for the gateway are left to it', async () => {
  const { ask } = serving();
  expect(await ask('/integration-gateway/external/report-bet-event', { base: ADDRESS })).toBeUndefined();
  expect(await ask('/__administration', { base: ADDRESS })).toBeUndefined();
});

describe('reports', () => {
  test('are listed with personal data masked, and unmasked on request', async () => {
    const { ask, report } = serving();
    await report();
    const masked = await ask('reports');
    expect(masked?.body.reports).toMatchObject([
      {
        environment: 'staging',
        operation: 'reportBetEvent',
        reference: 'BET-1',
        body: { bet_id: 'BET-1', amount: 1500 },
      },
    ]);
    expect(JSON.stringify(masked?.body)).not.toMatch(/99012345678|Adaeze|6\.45/);
    expect((await ask('reports?reveal=true'))?.body.reports[0].body).toEqual(bet());
  });

  test.each([
    ['', 3],
    ['?environment=staging', 2],
    ['?environment=production', 1],
    ['?operation=reportBetEvent', 3],
    ['?operation=verifyNin', 0],
    ['?reference=BET-2', 1],
    ['?reference=BET-1&environment=production', 1],
  ])('reports%s are %i', async (query, count) => {
    const { ask, report } = serving();
    await report(bet('BET-1'));
    await report(bet('BET-2'));
    await report(bet('BET-1'), 'report-bet-event', '/production');
    expect((await ask(`reports${query}`))?.body.reports).toHaveLength(count);
  });
});

describe('requests', () => {
  async function withThree() {
    const all = serving();
    await all.report();
    await all.report();
    await all.report({ bet_id: 1 });
    return all;
  }

  test.each([
    ['', [200, 409, 422]],
    ['?status=409', [409]],
    ['?environment=staging', [200, 409, 422]],
    ['?environment=production', []],
    ['?operation=reportBetEvent', [200, 409, 422]],
    ['?operation=verifyNin', []],
    ['?applied=true', [200]],
    ['?applied=false', [409, 422]],
    ['?reference=BET-1', [200, 409]],
    ['?key=missing', []],
    ['?method=POST&path=%2Fintegration-gateway%2Fexternal%2Freport-bet-event', [200, 409, 422]],
    ['?fault=hang', []],
    ['?limit=2', [409, 422]],
    ['?limit=0', []],
    ['?limit=100', [200, 409, 422]],
  ])('requests%s', async (query, statuses) => {
    const { ask } = await withThree();
    expect((await ask(`requests${query}`))?.body.requests.map((entry: { status: number }) => entry.status)).toEqual(
      statuses,
    );
    if (!query.includes('limit'))
      expect((await ask(`requests/count${query}`))?.body).toEqual({ count: statuses.length });
  });

  test('can be waited for: a past one, a future one, and one that does not come', async () => {
    const { ask, report } = serving();
    const coming = ask('requests/wait', { method: 'POST', body: { reference: 'BET-1', applied: true } });
    await report();
    expect(await coming).toMatchObject({ status: 200, body: { request: { reference: 'BET-1', status: 200 } } });
    expect(await ask('requests/wait', { method: 'POST', body: { status: 200 } })).toMatchObject({ status: 200 });
    expect(await ask('requests/wait', { method: 'POST', body: { status: 503, timeoutMs: 1 } })).toMatchObject(
      refusal(408, /within 1 ms.*reportBetEvent BET-1 200/),
    );
  });

  test('a caller that disconnects ends its wait', async () => {
    const { ask } = serving();
    expect(
      await ask('requests/wait', { method: 'POST', body: { timeoutMs: 60_000 }, signal: AbortSignal.abort() }),
    ).toMatchObject({ status: 408 });
  });
});

describe('faults', () => {
  test('are set, applied, listed and removed', async () => {
    const { ask, report, gateway } = serving();
    expect(await ask('faults', { method: 'POST', body: { kind: 'status', status: 502 } })).toMatchObject({
      status: 201,
      body: { id: 1 },
    });
    expect(await ask('faults', { method: 'POST', body: { kind: 'hang', reference: 'B' } })).toMatchObject({
      status: 201,
      body: { id: 2 },
    });
    expect((await report()).status).toBe(502);
    expect((await ask('faults'))?.body.faults).toMatchObject([
      { id: 1, struck: 1 },
      { id: 2, struck: 0 },
    ]);
    expect(await ask('faults?id=1', { method: 'DELETE' })).toMatchObject({ status: 204 });
    expect(await ask('faults?id=1', { method: 'DELETE' })).toMatchObject(refusal(404, /no such fault/));
    expect(gateway.faults.list()).toHaveLength(1);
    expect(await ask('faults', { method: 'DELETE' })).toMatchObject({ status: 204 });
    expect(gateway.faults.list()).toEqual([]);
  });
});

describe('state', () => {
  test('moves from one server to another', async () => {
    const first = serving();
    await first.report();
    const { body } = (await first.ask('state')) as { body: object };
    const second = serving();
    expect(await second.ask('state', { method: 'PUT', body })).toMatchObject({ status: 204 });
    expect(second.gateway.reports()[0]?.body).toEqual(bet());
    expect((await second.report()).status).toBe(409);
  });

  test.each([
    ['{}', /expected \{ "version": 1/],
    ['[]', /expected/],
    ['not json', /not JSON/],
    [{ version: 1, reports: { staging: [{ operation: 'x' }], production: [] } }, /staging\[0\]\.operation/],
    [`{"version":1,"reports":{"staging":[${'['.repeat(99)}${']'.repeat(99)}]}}`, /staging\[0\]\.operation/],
    [
      {
        version: 1,
        reports: {
          staging: [{ operation: 'reportBetEvent', body: { bet_id: 'B', user: { a: [[[[[[[[[1]]]]]]]]] } } }],
          production: [],
        },
      },
      /nested deeper/,
    ],
  ])('%j is refused, and the recorded reports stay', async (body, message) => {
    const { ask, report, gateway } = serving();
    await report();
    expect(await ask('state', { method: 'PUT', body })).toMatchObject(refusal(400, message));
    expect(gateway.reports()).toHaveLength(1);
  });

  test('may be larger than a report, up to a limit', async () => {
    const { ask } = serving();
    const pad = (bytes: number) => `{"version":1,"reports":{"staging":[],"production":[]}${' '.repeat(bytes)}}`;
    expect(await ask('state', { method: 'PUT', body: pad(2 * 1024 * 1024) })).toMatchObject({ status: 204 });
    expect(await ask('state', { method: 'PUT', body: pad(16 * 1024 * 1024) })).toMatchObject(refusal(413, /16777216/));
    expect(await ask('faults', { method: 'POST', body: pad(1024 * 1024) })).toMatchObject(refusal(413, /1048576/));
  });
});

test('reset removes everything', async () => {
  const { ask, report, gateway } = serving();
  gateway.faults.add({ kind: 'hang', reference: 'other' });
  await report();
  expect(await ask('reset', { method: 'POST' })).toMatchObject({ status: 204 });
  expect([gateway.reports(), gateway.requests(), gateway.faults.list()]).toEqual([[], [], []]);
});

describe('news for the inspector', () => {
  async function read(ask: ReturnType<typeof serving>['ask'], known: { era?: string; last?: number } = {}) {
    const { era = '', last = 0 } = known;
    const { body } = (await ask(`news?era=${era}&id=${last}`)) ?? {};
    const requests = body.requests as { id: number; reference: string }[];
    return { era: body.era, last: requests.at(-1)?.id ?? last, references: requests.map(({ reference }) => reference) };
  }

  test('are all requests at first, then those that came since', async () => {
    const { ask, report } = serving();
    for (const id of ['B-1', 'B-2']) await report(bet(id));
    const first = await read(ask);
    expect(first.references).toEqual(['B-1', 'B-2']);
    expect(await read(ask, first)).toEqual({ ...first, references: [] });
    await report(bet('B-3'));
    expect(await read(ask, first)).toMatchObject({ era: first.era, references: ['B-3'] });
  });

  test.each([
    ['a reset', (gateway: MockGateway) => gateway.reset(), []],
    ['seeded reports', (gateway: MockGateway) => gateway.seed([]), ['B-1']],
    ['a restored state', (gateway: MockGateway) => gateway.restore(gateway.snapshot()), ['B-1']],
  ])('begin again in another era after %s', async (_, change, references) => {
    const { ask, report, gateway } = serving();
    await report(bet('B-1'));
    const first = await read(ask);
    change(gateway);
    const next = await read(ask, first);
    expect(next.references).toEqual(references);
    expect(next.era).not.toBe(first.era);
  });

  test('begin again after a restart', async () => {
    const before = serving();
    await before.report(bet('B-1'));
    const known = await read(before.ask);
    const { ask, report } = serving();
    await report(bet('B-9'));
    expect(await read(ask, known)).toMatchObject({ references: ['B-9'] });
  });
});

test('the OpenAPI document and the inspector are served', async () => {
  const { ask } = serving();
  expect((await ask('openapi.json'))?.body).toEqual({ openapi: '3.1.0' });
  expect((await ask('/', { base: ADDRESS }))?.body).toMatch(/^<!doctype html>/i);
  expect(await ask('/', { base: ADDRESS, method: 'POST' })).toBeUndefined();
});

test.each([
  ['GET', 'nothing', undefined, 404, /known are .*__admin\/health/],
  ['GET', '', undefined, 404, /no such path/],
  ['GET', 'constructor', undefined, 404, /no such path/],
  ['POST', 'health', '{}', 405, /Use GET/],
  ['OPTIONS', 'reset', undefined, 405, /Use POST/],
  ['GET', 'reports?environment=test', undefined, 400, /environment: expected 'staging' or 'production'/],
  ['GET', 'reports?operation=bet', undefined, 400, /operation: expected 'reportBetEvent' or/],
  ['GET', 'reports?refrence=1', undefined, 400, /unknown field refrence; did you mean reference/],
  ['GET', 'reports?reveal=yes', undefined, 400, /reveal: expected true or false/],
  ['GET', 'reports?reveal=constructor', undefined, 400, /reveal: expected true or false/],
  ['GET', 'reports?reference=1&reference=2', undefined, 400, /reference is given twice/],
  ['GET', 'requests?status=ok', undefined, 400, /status: expected a whole number from 0 to 599/],
  ['GET', 'requests?fault=fire', undefined, 400, /fault: expected 'latency' or/],
  ['POST', 'requests/wait', '{"timeoutMs":1e9}', 400, /timeoutMs: expected a whole number from 0 to 60000/],
  ['POST', 'requests/wait', '[]', 400, /not a JSON object/],
  ['POST', 'requests/wait', '', 400, /not JSON/],
  ['POST', 'requests/wait', '{"reference":{}}', 400, /reference: expected a string/],
  ['POST', 'faults', '{"kind":"fire"}', 400, /kind: expected 'latency' or/],
  ['POST', 'faults', 'null', 400, /expected an object/],
  ['DELETE', 'faults?id=x', undefined, 400, /id: expected a whole number/],
])('%s %s (body %s) is refused with %i', async (method, path, body, status, message) => {
  expect(await serving().ask(path, { method, ...(body !== undefined && { body }) })).toMatchObject(
    refusal(status, message),
  );
});

describe('the guard', () => {
  test.each([
    ['http://127.0.0.1:4010', 200],
    ['http://localhost:4010', 200],
    ['http://[::1]:4010', 200],
    ['http://LOCALHOST:4010', 200],
    ['http://127.0.0.1:4011', 403],
    ['http://localhost', 403],
    ['http://evil.example:4010', 403],
    ['http://localhost.evil.example:4010', 403],
    ['http://127.0.0.1.evil.example:4010', 403],
  ])('a request to %s is %i', async (base, status) => {
    const { ask } = serving();
    expect(await ask('/__admin/health', { base })).toMatchObject({ status });
    expect(await ask('/', { base })).toMatchObject({ status });
  });

  test.each([
    ['http://127.0.0.1:4010', 200],
    ['http://localhost:4010', 403],
    ['http://127.0.0.1:3000', 403],
    ['https://127.0.0.1:4010', 403],
    ['https://evil.example', 403],
    ['null', 403],
    ['', 403],
  ])('a request from the origin %j is %i', async (origin, status) => {
    const { ask } = serving();
    expect(await ask('health', { headers: { origin } })).toMatchObject({ status });
    expect(await ask('/', { base: ADDRESS, headers: { origin } })).toMatchObject({ status });
  });

  test.each<[string, Record<string, string>, number]>([
    ['no token', {}, 401],
    ['a wrong one', { authorization: 'Bearer guess' }, 401],
    ['an empty one', { authorization: 'Bearer ' }, 401],
    ['another scheme', { authorization: 'Basic s3cret' }, 401],
    ['its beginning', { 'x-admin-token': 's3cre' }, 401],
    ['the token and more', { 'x-admin-token': 's3crets3cret' }, 401],
    ['the right one', { authorization: 'Bearer s3cret' }, 200],
    ['the right one in its own header', { 'x-admin-token': 's3cret' }, 200],
    ["the right one from another page's origin", { 'x-admin-token': 's3cret', origin: 'https://evil.example' }, 403],
  ])('with %s', async (_, headers, status) => {
    const { ask } = serving({ token: 's3cret' });
    expect(await ask('health', { headers })).toMatchObject({ status });
  });

  test('a caller with the token may use any name, as containers do', async () => {
    const { ask } = serving({ token: 's3cret', address: 'http://0.0.0.0:4010' });
    const base = 'http://mock:4010/__admin/';
    expect(await ask('health', { base })).toMatchObject({ status: 403 });
    expect(await ask('health', { base, headers: { 'x-admin-token': 's3cret' } })).toMatchObject({ status: 200 });
  });

  test('no answer lets another page read it', async () => {
    const { ask } = serving();
    const answer = await ask('health');
    expect(answer?.headers.get('access-control-allow-origin')).toBeNull();
    expect(answer?.headers.get('x-content-type-options')).toBe('nosniff');
  });
});

test('a request that a reset ends does not affect later reports', async () => {
  const { gateway, report } = serving();
  gateway.faults.add({ kind: 'latency', delay: 60_000 });
  const late = report();
  await new Promise((resolve) => setTimeout(resolve));
  gateway.reset();
  expect((await late).status).toBe(503);
  expect(gateway.reports()).toEqual([]);
});

test('a released request continues at once', async () => {
  const { gateway, report } = serving();
  gateway.seed([{ operation: 'reportBetEvent', body: bet() }]);
  gateway.faults.add({ kind: 'latency', delay: 60_000 });
  const late = report(settledBet(), 'report-settled-bet-event');
  await new Promise((resolve) => setTimeout(resolve));
  gateway.release();
  expect((await late).status).toBe(200);
});

test('a NIN is masked in every field but the identifiers of a report', async () => {
  const { ask, report } = serving();
  const nin = '99087654321';
  const odd = { ...bet(), location: { ...location, source: nin } };
  await report(odd);
  await report({ ...odd, amount: Number(nin) });
  await report({ ...bet('B-2'), bet_id: Number(nin), [nin]: 1 });
  await report({ ...settledBet({ bet_id: 'BET-1', outcome: nin }) }, 'report-settled-bet-event');
  const wait = await ask('requests/wait', { method: 'POST', body: { operation: 'reportSettledBet' } });
  const shown = [await ask('reports'), await ask('requests'), await ask('news'), wait].map((one) =>
    JSON.stringify(one?.body),
  );
  for (const text of shown) expect(text).toMatch(/^(?!.*99087654321).*\[masked\]/);
  const { body } = (await ask('reports?reveal=true')) ?? {};
  expect(JSON.stringify(body)).toContain(nin);
});

test('identifiers are shown as they are, also those with eleven digits in a row', async () => {
  const { ask, report } = serving();
  const [bet_id, request_id, withdrawalId] = [
    '01234567-8901-4abc-8def-12345678901a',
    'd012345a-7890-4b23-8a12-c12345678901',
    'W-12345678901',
  ];
  await report(bet(bet_id));
  await report({ ...BODIES.reportWithdrawalEvent, request_id, withdrawalId }, 'report-withdrawal-event');
  const reports = [
    { reference: bet_id, body: { bet_id } },
    { reference: request_id, body: { request_id, withdrawalId } },
  ];
  expect((await ask('reports'))?.body.reports).toMatchObject(reports);
  expect((await ask('requests'))?.body.requests).toMatchObject(reports);
  expect((await ask('news'))?.body.requests).toMatchObject(reports);
  const waited = await ask('requests/wait', { method: 'POST', body: { reference: bet_id } });
  expect(waited?.body.request).toMatchObject({ reference: bet_id });
});

test('a state is known by the same name at each look', async () => {
  vi.spyOn(crypto, 'randomUUID').mockReturnValue('01234567-8901-4abc-8def-12345678901a');
  const { ask } = serving();
  vi.restoreAllMocks();
  expect((await ask('news'))?.body.era).toBe('01234567-8901-4abc-8def-12345678901a');
});
