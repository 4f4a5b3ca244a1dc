import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/entries/index.js';
import { createMockGateway, type MockGateway, type MockGatewayOptions } from '../../../src/entries/mock.js';
import { betEvent, betUser, settledBet, settledWithdrawal, withdrawalEvent } from '../../support/factories.js';
import { failureOf } from '../../support/failure-of.js';

const STAGING = 'http://mock.localhost/integration-gateway/external/';
const PRODUCTION = 'http://mock.localhost/production/integration-gateway/external/';
const location = { latitude: 6.45, longitude: 3.39, source: 'gps' };
const bet = { ...betEvent({ timestamp: '1795161600' }), location };
const withdrawal = { ...withdrawalEvent({ timestamp: '1795161600' }), location };

interface Asked {
  gateway?: MockGateway;
  method?: string;
  path?: string;
  base?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

/** Sends a request to a gateway as HTTP would. A text is sent unchanged. */
async function ask({
  gateway = createMockGateway(),
  method = 'POST',
  path = 'report-bet-event',
  base = STAGING,
  headers,
  body = bet,
}: Asked = {}) {
  const response = (await gateway.fetch(base + path, {
    method,
    headers: headers ?? { 'x-api-key': 'mock-api-key', 'content-type': 'application/json' },
    ...(method !== 'GET' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })) as Response;
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
}

const genericError = (statusCode: number, message: RegExp, error: string = expect.any(String)) => ({
  status: statusCode,
  body: { message: expect.stringMatching(message), error, statusCode },
});

const reporting = (options?: MockGatewayOptions) => {
  const gateway = createMockGateway(options);
  const report = (path: string, body: unknown, base = STAGING) => ask({ gateway, path, body, base });
  return { gateway, report };
};

describe('the answers, each with precedence over those below it', () => {
  test('an unknown path is 404, for any method and key', async () => {
    expect(await ask({ path: 'report-bet', method: 'GET', headers: {} })).toMatchObject(
      genericError(404, /no such path/, 'Not Found'),
    );
  });

  test.each([
    'http://mock.localhost/',
    'http://mock.localhost/external/report-bet-event',
    `${STAGING}report-bet-event/`,
    `${STAGING}__proto__`,
  ])('%s is an unknown path', async (base) => {
    expect((await ask({ base, path: '' })).status).toBe(404);
  });

  test.each(['GET', 'PUT', 'DELETE', 'PATCH'])('%s is 405, for any key', async (method) => {
    const answer = await ask({ method, headers: {} });
    expect(answer).toMatchObject(genericError(405, /POST/, 'Method Not Allowed'));
    expect(answer.headers.get('allow')).toBe('POST');
  });

  test('no key is 401 with the message of the specification, for any body', async () => {
    expect(await ask({ headers: {}, body: 'nonsense' })).toMatchObject(
      genericError(401, /API key is missing/, 'Unauthorized'),
    );
  });

  test('a wrong key is 401, for any body', async () => {
    expect(
      await ask({ headers: { 'content-type': 'application/json', 'x-api-key': 'wrong' }, body: 'nonsense' }),
    ).toMatchObject(genericError(401, /API key is invalid/, 'Unauthorized'));
  });

  test('the key is an option', async () => {
    const gateway = createMockGateway({ apiKey: 'ours' });
    expect((await ask({ gateway })).status).toBe(401);
    expect((await ask({ gateway, headers: { 'content-type': 'application/json', 'x-api-key': 'ours' } })).status).toBe(
      200,
    );
  });

  test('a body of more than 1 MiB is 413, even if it is not JSON', async () => {
    expect(await ask({ body: 'x'.repeat(1024 * 1024 + 1) })).toMatchObject(
      genericError(413, /larger/, 'Payload Too Large'),
    );
  });

  test.each([
    undefined,
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/json, text/plain',
    'text/json',
    'multipart/form-data; type="application/json"',
  ])('the content type %s is 400, and nothing is recorded (specification, section 5)', async (type) => {
    const gateway = createMockGateway();
    const headers = { 'x-api-key': 'mock-api-key', ...(type !== undefined && { 'content-type': type }) };
    // As bytes: for a text the platform would set its own type.
    const init = { method: 'POST', headers, body: new TextEncoder().encode(JSON.stringify(bet)) };
    for (const path of ['report-bet-event', 'nin/verify']) {
      const response = await gateway.fetch(STAGING + path, init);
      expect({ status: response.status, body: await response.json() }).toMatchObject(
        genericError(400, /content-type must be application\/json/, 'Bad Request'),
      );
    }
    expect(gateway.reports()).toEqual([]);
  });

  test.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json ; charset="utf-8"',
  ])('%s is JSON', async (type) => {
    expect((await ask({ headers: { 'x-api-key': 'mock-api-key', 'content-type': type } })).status).toBe(200);
  });

  test('a body of exactly 1 MiB is read', async () => {
    const text = JSON.stringify(bet);
    expect((await ask({ body: text + ' '.repeat(1024 * 1024 - text.length) })).status).toBe(200);
  });

  test('the size is counted in bytes, not in characters', async () => {
    expect((await ask({ body: 'é'.repeat(600_000) })).status).toBe(413);
  });

  test.each(['', 'nonsense', '{"bet_id":', 'null', '[]', '"text"', '7'])('the body %j is 400', async (body) => {
    expect(await ask({ body })).toMatchObject(genericError(400, /JSON object/, 'Bad Request'));
  });

  test.each<[string, unknown, RegExp]>([
    ['a field that is left out', { ...bet, amount: undefined }, /amount: is required/],
    ['a field of another type', { ...bet, amount: '1500' }, /amount: /],
    ['a number of 10 digits', { ...bet, user: betUser({ nin: '1234567890' }) }, /user\.nin: /],
    ['an unknown field', { ...bet, stake: 5 }, /stake: unknown field/],
    ['no location', { ...bet, location: undefined }, /location: is required/],
    [
      'a location without a source',
      { ...bet, location: { latitude: 1, longitude: 2 } },
      /location\.source: is required/,
    ],
    ['a forbidden name', JSON.stringify(bet).replace('{', '{"__proto__":{},'), /__proto__/],
  ])('%s is 422 that names the field', async (_what, body, message) => {
    expect(await ask({ body })).toMatchObject(genericError(422, message, 'Unprocessable Entity'));
  });

  test('all wrong fields are named at once', async () => {
    const { body } = await ask({
      body: { ...bet, amount: 'x', user: betUser({ nin: '1' }), location: { ...location, latitude: 91 } },
    });
    for (const path of ['amount', 'user.nin', 'location.latitude']) expect(body.message).toContain(`${path}: `);
  });

  test('a wrong number to verify is 400', async () => {
    expect(await ask({ path: 'nin/verify', body: { nin: '123' } })).toMatchObject(
      genericError(400, /nin: /, 'Bad Request'),
    );
  });

  test.each([
    ['report-settled-bet-event', settledBet()],
    ['settle-withdrawal', { ...settledWithdrawal(), location }],
  ])('%s without its initiated report is 404', async (path, body) => {
    expect(await ask({ path, body })).toMatchObject(genericError(404, /no initiated report/, 'Not Found'));
  });

  test('a wrong field takes precedence over a missing initiated report', async () => {
    expect((await ask({ path: 'report-settled-bet-event', body: settledBet({ ggr: 'x' as never }) })).status).toBe(422);
  });

  test('the same data again is 409', async () => {
    const { report } = reporting();
    await report('report-bet-event', bet);
    expect(await report('report-bet-event', bet)).toMatchObject(
      genericError(409, /has already been reported$/, 'Conflict'),
    );
  });

  test('other data under the same identifier is 409 that says so', async () => {
    const { report } = reporting();
    await report('report-bet-event', bet);
    expect(await report('report-bet-event', { ...bet, amount: 1 })).toMatchObject(
      genericError(409, /already been reported with different data/, 'Conflict'),
    );
  });

  test.each([
    ['report-bet-event', bet],
    ['report-withdrawal-event', withdrawal],
  ])('%s succeeds with 200 and a message', async (path, body) => {
    expect(await ask({ path, body })).toMatchObject({ status: 200, body: { message: expect.any(String) } });
  });

  test('the four steps succeed in their order', async () => {
    const { gateway, report } = reporting();
    const statuses = [
      await report('report-bet-event', bet),
      await report('report-settled-bet-event', settledBet()),
      await report('report-withdrawal-event', withdrawal),
      await report('settle-withdrawal', { ...settledWithdrawal(), location }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200, 200]);
    expect(gateway.reports().map(({ operation, reference }) => `${operation} ${reference}`)).toEqual([
      'reportBetEvent BET-1',
      'reportSettledBet BET-1',
      'reportWithdrawalEvent WR-1',
      'reportSettledWithdrawal WR-1',
    ]);
  });

  test('every answer is JSON', async () => {
    for (const asked of [{}, { path: 'none' }, { headers: {} }, { body: 'x' }]) {
      expect((await ask(asked)).headers.get('content-type')).toMatch(/^application\/json/);
    }
  });
});

describe('a report is immutable', () => {
  test('other data leaves the recorded report as it was', async () => {
    const { gateway, report } = reporting();
    await report('report-bet-event', bet);
    await report('report-bet-event', { ...bet, amount: 1 });
    expect(gateway.reports()).toEqual([{ operation: 'reportBetEvent', reference: 'BET-1', body: bet }]);
    expect((await report('report-bet-event', bet)).body.message).toMatch(/reported$/);
  });

  test('the same data in another order of members is the same data', async () => {
    const { report } = reporting();
    const reversed = (value: unknown): unknown =>
      typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([name, member]) => [name, reversed(member)]),
          )
        : value;
    await report('report-bet-event', bet);
    expect((await report('report-bet-event', reversed(bet))).body.message).toMatch(/reported$/);
  });

  test.each([
    ['another time', { timestamp: '1795161601' }],
    ['another place', { location: { ...location, accuracy: 1 } }],
    ['metadata more', { metadata: { odds: 2 } }],
  ])('%s is other data', async (_what, change) => {
    const { report } = reporting();
    await report('report-bet-event', bet);
    expect((await report('report-bet-event', { ...bet, ...change })).body.message).toContain('different');
  });

  test('a number and a text of the same digits are other data', async () => {
    const { report } = reporting();
    await report('report-bet-event', { ...bet, metadata: { odds: 2 } });
    expect((await report('report-bet-event', { ...bet, metadata: { odds: '2' } })).body.message).toContain('different');
  });

  test('a refused report is not recorded', async () => {
    const { gateway, report } = reporting();
    await report('report-bet-event', { ...bet, amount: 'x' });
    await report('report-settled-bet-event', settledBet());
    expect(gateway.reports()).toEqual([]);
  });

  test('the initiated and the settled report of one identifier are two reports', async () => {
    const { report } = reporting({ requireInitiated: false });
    expect((await report('report-settled-bet-event', settledBet())).status).toBe(200);
    expect((await report('report-bet-event', bet)).status).toBe(200);
  });

  test('a bet and a withdrawal may have the same identifier', async () => {
    const { report } = reporting();
    await report('report-bet-event', { ...bet, bet_id: 'SAME' });
    expect((await report('report-withdrawal-event', { ...withdrawal, request_id: 'SAME' })).status).toBe(200);
  });
});

describe('options', () => {
  test('requireInitiated: false settles without an initiated report', async () => {
    const { report } = reporting({ requireInitiated: false });
    expect((await report('report-settled-bet-event', settledBet())).status).toBe(200);
    expect((await report('settle-withdrawal', { ...settledWithdrawal(), location })).status).toBe(200);
  });

  test('duplicateStatus is the status of the same and of other data', async () => {
    const { report } = reporting({ duplicateStatus: 422 });
    await report('report-bet-event', bet);
    expect(await report('report-bet-event', bet)).toMatchObject(genericError(422, /already been reported/));
    expect(await report('report-bet-event', { ...bet, amount: 1 })).toMatchObject(genericError(422, /different data/));
  });

  test('partial validation requires only the identifiers, and accepts other fields', async () => {
    const { gateway, report } = reporting({ validation: 'partial', requireInitiated: false });
    expect(
      (await report('report-bet-event', { bet_id: 'B', user: { user_id: 'U' }, location: { latitude: 1 }, more: true }))
        .status,
    ).toBe(200);
    expect((await report('report-settled-bet-event', { bet_id: 'B', user: { user_id: 'U' } })).status).toBe(200);
    expect(
      (await report('report-withdrawal-event', { request_id: 'W', user: { user_id: 'U' }, location })).status,
    ).toBe(200);
    expect(gateway.reports()[0]?.body).toMatchObject({ more: true });
    expect(await report('report-bet-event', { user: { user_id: 'U' }, location })).toMatchObject(
      genericError(422, /bet_id: is required/),
    );
    expect(await report('report-bet-event', { bet_id: 'C', user: {}, location })).toMatchObject(
      genericError(422, /user\.user_id: is required/),
    );
    expect(await report('report-bet-event', { bet_id: 'C', user: { user_id: 'U', nin: '1' }, location })).toMatchObject(
      genericError(422, /user\.nin/),
    );
  });

  test('a strict gateway tells a partial client which option to start it with, in words that the client shows', async () => {
    const gateway = createMockGateway();
    const client = createClient({ ...gateway.clientOptions(), validation: 'partial', retry: { limit: 0 } });
    const { message } = (await failureOf(
      client.reportBetEvent({ bet_id: 'B-1', user: { user_id: 'U-1' } }, { location }),
    )) as Error;
    expect(message).toContain(
      "This body is valid with validation: 'partial'. Start this gateway with that option (--validation partial). amount: is required",
    );
    const guide = readFileSync(join(import.meta.dirname, '../../../docs/start/ci.md'), 'utf8');
    const { report } = reporting();
    const { body } = await report('report-bet-event', { bet_id: 'B', user: { user_id: 'U' }, location });
    expect(guide).toContain(body.message.slice(0, body.message.indexOf(' amount:')));
    expect(body.message).toContain('(--validation partial). ');
    // Values that no client lets through are only named.
    expect((await report('report-bet-event', { ...bet, amount: 'x' })).body.message).not.toContain('partial');
    expect((await report('report-settled-bet-event', { bet_id: 'B' })).body.message).not.toContain('partial');
  });

  test('location.required: false accepts events without one, and refuses a wrong one', async () => {
    const { report } = reporting({ location: { required: false } });
    expect((await report('report-bet-event', { ...bet, location: undefined })).status).toBe(200);
    expect((await report('report-bet-event', { ...bet, bet_id: 'B2', location: { latitude: 91 } })).status).toBe(422);
  });

  test('clientOptions contain the options of the gateway, and a fixed location', () => {
    const options = createMockGateway({
      apiKey: 'ours',
      validation: 'partial',
      location: { required: false },
    }).clientOptions();
    expect(options).toMatchObject({
      gateways: { staging: { apiKey: 'ours' }, production: { apiKey: 'ours' } },
      validation: 'partial',
      location: { required: false, fixed: { source: 'mock' } },
    });
  });
});

describe('numbers to verify', () => {
  const verify = async (nin: string, { base = STAGING, options = {} as MockGatewayOptions } = {}) =>
    ask({ gateway: createMockGateway(options), path: 'nin/verify', body: { nin }, base });

  test.each(['99000000000', '99012345678', '99999999999'])(
    'in staging %s, which starts with 99, is verified',
    async (nin) => {
      expect(await verify(nin)).toMatchObject({
        status: 200,
        body: { success: true, status: 200, message: expect.any(String), data: expect.any(Object) },
      });
    },
  );

  test.each(['00000000099', '98999999999', '12345678901', '09900000000'])(
    'in staging %s is not verified, with status 200',
    async (nin) => {
      const { status, body } = await verify(nin);
      expect(status).toBe(200);
      expect(body).toMatchObject({ success: false, status: 200, message: expect.any(String) });
      expect(body).not.toHaveProperty('data');
    },
  );

  test('the invented data are complete, the same for the same number, and different for another', async () => {
    const first = (await verify('99012345678')).body.data;
    expect((await verify('99012345678')).body.data).toEqual(first);
    expect((await verify('99987654321')).body.data).not.toEqual(first);
    expect(first.biographicData.dateOfBirth).toBe(
      new Date(first.biographicData.dateOfBirth).toISOString().slice(0, 10),
    );
    expect(Object.keys(first)).toEqual([
      'requestID',
      'pseudoID',
      'consentID',
      'biographicData',
      'biometricData',
      'contactData',
      'tax_details',
    ]);
  });

  test('in production a number is looked up in the table of the test, and 99 has no meaning', async () => {
    const options = { identities: { '12345678901': { requestID: 'R' } } };
    expect((await verify('12345678901', { base: PRODUCTION, options })).body).toMatchObject({
      success: true,
      data: { requestID: 'R' },
    });
    expect((await verify('99012345678', { base: PRODUCTION, options })).body).toMatchObject({ success: false });
    expect((await verify('12345678901', { options })).body).toMatchObject({ success: false });
  });

  test('the same number may be verified again', async () => {
    const gateway = createMockGateway();
    const asked = { gateway, path: 'nin/verify', body: { nin: '99012345678' } };
    expect([(await ask(asked)).status, (await ask(asked)).status]).toEqual([200, 200]);
    expect(gateway.reports()).toEqual([]);
  });
});

test('staging and production keep their reports apart', async () => {
  const { gateway, report } = reporting();
  expect((await report('report-bet-event', bet)).status).toBe(200);
  expect((await report('report-settled-bet-event', settledBet(), PRODUCTION)).status).toBe(404);
  expect((await report('report-bet-event', bet, PRODUCTION)).status).toBe(200);
  expect([gateway.reports().length, gateway.reports('staging').length, gateway.reports('production').length]).toEqual([
    1, 1, 1,
  ]);
});

describe('a page on another origin', () => {
  test('may send a preflight', async () => {
    const headers = {
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-api-key,content-type',
      origin: 'https://shop.example',
    };
    const response = (await createMockGateway().fetch(`${STAGING}report-bet-event`, {
      method: 'OPTIONS',
      headers,
    })) as Response;
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-methods')).toContain('POST');
    for (const header of ['x-api-key', 'content-type'])
      expect(response.headers.get('access-control-allow-headers')).toContain(header);
  });

  test.each([[{}], [{ headers: {} }], [{ path: 'none' }]])(
    'may read every answer, Retry-After included: %j',
    async (asked: Asked) => {
      const { headers } = await ask(asked);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-expose-headers')).toBe('retry-after, x-request-id');
    },
  );

  test('an OPTIONS request that is not a preflight is a wrong method', async () => {
    expect((await ask({ method: 'OPTIONS' })).status).toBe(405);
  });
});

test('every answer contains its request id, and the journal has the same id', async () => {
  const gateway = createMockGateway();
  const ids = [];
  for (const asked of [{}, { headers: {} }, { path: 'none' }, {}])
    ids.push((await ask({ gateway, ...asked })).headers.get('x-request-id'));
  expect(ids).toEqual(['1', '2', '3', '4'].map((number) => `abcdefab-cdef-4abc-8def-abcdef00000${number}`));
  gateway.reset();
  const requestId = (await ask({ gateway })).headers.get('x-request-id') ?? '';
  expect(ids).not.toContain(requestId);
  expect(gateway.requests({ requestId })).toMatchObject([{ id: 5, applied: true }]);
});

describe('faults', () => {
  test('before: the report is not processed', async () => {
    const { gateway, report } = reporting();
    gateway.faults.add({ kind: 'status', status: 500 });
    expect(await report('report-bet-event', 'nonsense')).toMatchObject(genericError(500, /told to/i));
    expect(gateway.reports()).toEqual([]);
    expect((await report('report-bet-event', bet)).status).toBe(200);
  });

  test('apply after the key was checked', async () => {
    const gateway = createMockGateway();
    gateway.faults.add({ kind: 'status' });
    expect((await ask({ gateway, headers: {} })).status).toBe(401);
    expect((await ask({ gateway, path: 'none' })).status).toBe(404);
    expect((await ask({ gateway })).status).toBe(503);
  });

  test('apply only to the operation and the reference that they name', async () => {
    const { gateway, report } = reporting();
    gateway.faults.add({ kind: 'status', operation: 'reportBetEvent', reference: 'BET-2', times: 9 });
    expect((await report('report-bet-event', bet)).status).toBe(200);
    expect((await report('report-bet-event', { ...bet, bet_id: 'BET-2' })).status).toBe(503);
    expect((await report('report-withdrawal-event', { ...withdrawal, request_id: 'BET-2' })).status).toBe(200);
    expect((await report('nin/verify', { nin: '99012345678' })).status).toBe(200);
  });

  test('are gone after clear', async () => {
    const { gateway, report } = reporting();
    gateway.faults.add({ kind: 'status' });
    gateway.faults.clear();
    expect((await report('report-bet-event', bet)).status).toBe(200);
  });
});

test('reset forgets the reports of both environments and the faults', async () => {
  const { gateway, report } = reporting();
  await report('report-bet-event', bet);
  await report('report-bet-event', bet, PRODUCTION);
  gateway.faults.add({ kind: 'status' });
  gateway.reset();
  expect([gateway.reports(), gateway.reports('production')]).toEqual([[], []]);
  expect((await report('report-bet-event', bet)).status).toBe(200);
});

test('a list of reports that was read does not change', async () => {
  const { gateway, report } = reporting();
  const before = gateway.reports();
  await report('report-bet-event', bet);
  expect(before).toEqual([]);
});

test('an aborted request is not answered', async () => {
  const gateway = createMockGateway();
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'mock-api-key' },
    body: JSON.stringify(bet),
    signal: AbortSignal.abort(),
  };
  await expect(gateway.fetch(`${STAGING}report-bet-event`, init)).rejects.toMatchObject({ name: 'AbortError' });
  expect(gateway.reports()).toEqual([]);
});

test('a reader cannot change recorded reports', async () => {
  const gateway = createMockGateway();
  const client = createClient(gateway.clientOptions());
  await client.reportBetEvent(betEvent());
  const [body] = gateway.reports().map((report) => report.body as { amount: number; user: { nin: string } });
  expect(() => Object.assign(body ?? {}, { amount: 1 })).toThrow(TypeError);
  expect(() => Object.assign(body?.user ?? {}, { nin: '1' })).toThrow(TypeError);
});

test('a fault afterwards also changes the answer that refuses a repetition, as a broken network would', async () => {
  const gateway = createMockGateway();
  const client = createClient({ ...gateway.clientOptions(), retry: { baseMs: 0 } });
  gateway.faults.add({ kind: 'connection-reset', when: 'after', times: 3 });
  await expect(client.reportBetEvent(betEvent())).rejects.toMatchObject({
    code: 'network',
    outcome: 'unknown',
    attempts: 3,
  });
  expect(gateway.reports()).toHaveLength(1);
});
