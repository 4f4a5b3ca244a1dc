import { describe, expect, it } from 'vitest';
import { type AnswerSettings, readGatewayAnswer, readStatus } from '../../../src/core/delivery/gateway-channel.js';
import type { GatewayContext } from '../../../src/core/delivery/masking.js';
import { systemClock } from '../../../src/core/platform/time.js';

const json = (status: number, body: unknown = { message: "the gateway's answer" }) => ({ status, body, json: true });
const html = (status: number) => ({ status, body: '<h1>No</h1>', json: false });
const empty = (status: number) => ({ status, body: undefined, json: true });

const settled = { after: 'reportBetEvent', isReport: true };
const initiated = { after: undefined, isReport: true };
const verification = { after: undefined, isReport: false };

describe('a status of refusal', () => {
  it.each([
    [400, 'bad-request', 'the gateway refused the request'],
    [401, 'authentication', 'the API key is missing or not valid in this environment'],
    [402, 'bad-request', 'the gateway refused the request'],
    [403, 'bad-request', 'the gateway refused the request; check the API key and its permissions'],
    [405, 'bad-request', 'the gateway refused the request'],
    [407, 'bad-request', 'the gateway refused the request'],
    [409, 'bad-request', 'the gateway refused the request'],
    [413, 'bad-request', 'the gateway refused the request'],
    [415, 'bad-request', 'the gateway refused the request'],
    [422, 'unprocessable', 'the gateway cannot accept the data'],
    [499, 'bad-request', 'the gateway refused the request'],
  ])('%i, which is not retried', (status, code, text) => {
    expect(readStatus(json(status), settled, 7_000)).toStrictEqual({
      code,
      text: `HTTP ${status}: ${text}`,
      outcome: 'rejected',
      details: { status },
    });
  });

  it.each([undefined, 7_000])('429, which is retried after the requested time: %s', (retryAfterMs) => {
    expect(readStatus(json(429), settled, retryAfterMs)).toStrictEqual({
      code: 'rate-limited',
      text: `HTTP 429: Rate limited; ${retryAfterMs ? 'the gateway asks for 7 s' : 'call again later'}`,
      outcome: 'rejected',
      retryable: true,
      details: { status: 429, retryAfterMs },
    });
  });
});

describe('a status that leaves the report in doubt is retried', () => {
  it.each([0, 100, 199, 200, 206, 299, 300, 302, 308, 399, 408, 500, 502, 503, 504, 599])('%i', (status) => {
    expect(readStatus(json(status), settled, 7_000)).toMatchObject({
      code: 'gateway',
      outcome: 'unknown',
      retryable: true,
      details: { status, retryAfterMs: 7_000 },
    });
  });

  it.each([
    [
      'a success that isRecorded does not confirm',
      json(200),
      initiated,
      'HTTP 200: the answer does not say that the report is recorded (see the options isRecorded and isDuplicate)',
    ],
    [
      'a verification without a verdict',
      json(299),
      verification,
      'HTTP 299: the answer does not say that the number is verified or not',
    ],
    [
      'a success in HTML',
      html(200),
      initiated,
      'HTTP 200: the answer is not JSON, or too long; is there a proxy or a captive portal between?',
    ],
    [
      'a redirect',
      html(302),
      initiated,
      'HTTP 302: the gateway answered with a redirect, which is not followed, since it would forward the API key; is the base address right?',
    ],
    [
      'a redirect with several targets, in JSON',
      json(300),
      initiated,
      'HTTP 300: the gateway answered with a redirect, which is not followed, since it would forward the API key; is the base address right?',
    ],
    [
      'a redirect in a browser, which shows no status',
      html(0),
      initiated,
      'the gateway answered with a redirect, which is not followed, since it would forward the API key; is the base address right?',
    ],
    [
      'an informational answer without a final one',
      empty(199),
      initiated,
      'HTTP 199: the gateway sent no final answer',
    ],
    ['a request that the gateway timed out', json(408), initiated, 'HTTP 408: the gateway failed'],
    ['a failure', html(500), initiated, 'HTTP 500: the gateway failed'],
  ])('%s says so', (_, answer, asked, text) => {
    expect(readStatus(answer, asked, undefined).text).toBe(text);
  });
});

describe('a 404', () => {
  const ownWords = { message: 'no such bet' };

  it.each([
    [
      'asks whether the initiated report came first',
      json(404, ownWords),
      settled,
      '; was reportBetEvent reported first, in this environment? If so, check the base address',
    ],
    [
      'asks for the base address, if no report has to come first',
      json(404, ownWords),
      initiated,
      '; is the base address right?',
    ],
    [
      'asks for the base address, if it is not JSON',
      html(404),
      settled,
      '; the answer is not JSON: is the base address right?',
    ],
    [
      'asks for the base address, if it is empty',
      empty(404),
      settled,
      '; the answer is not JSON: is the base address right?',
    ],
  ])('%s', (_, answer, asked, asks) => {
    expect(readStatus(answer, asked, undefined)).toMatchObject({
      code: 'not-found',
      outcome: 'rejected',
      text: `HTTP 404: no such record${asks}`,
      details: { status: 404 },
    });
  });

  it.each([
    ['JSON with a message', json(404, ownWords), false],
    ['JSON with an error', json(404, { error: 'Not Found' }), false],
    ['JSON without a message', json(404, {}), true],
    ['JSON that is a string', json(404, 'message'), true],
    ['HTML', html(404), true],
    ['nothing', empty(404), true],
  ])("is the gateway's own only with a message in JSON: %s", (_, answer, foreign) => {
    expect(readStatus(answer, settled, undefined).foreign).toBe(foreign);
  });
});

describe('a 405 asks for the base address', () => {
  it.each([
    ['if it is not JSON', html(405), '; the answer is not JSON: is the base address right?'],
    ['if it is empty', empty(405), '; the answer is not JSON: is the base address right?'],
    ['not if the gateway says it in JSON', json(405), ''],
  ])('%s', (_, answer, asks) => {
    expect(readStatus(answer, settled, undefined).text).toBe(`HTTP 405: the gateway refused the request${asks}`);
  });

  it('and no other refusal does', () => {
    expect(readStatus(html(403), settled, undefined).text).toBe(
      'HTTP 403: the gateway refused the request; check the API key and its permissions',
    );
  });
});

describe('an answer that the gateway did not write', () => {
  it.each([
    ['HTML of a refusal', html(400), true],
    ['HTML of a success', html(200), true],
    ['an empty redirect', empty(300), true],
    ['an empty refusal', empty(422), true],
    ['an empty failure', empty(500), true],
    ['an empty success', empty(299), undefined],
    ['JSON of a refusal', json(400), undefined],
    ['JSON of a failure', json(500), undefined],
  ])('%s: %s', (_, answer, foreign) => {
    expect(readStatus(answer, settled, undefined).foreign).toBe(foreign);
  });

  it.each([400, 402, 499])('with %i does not mention the base address, unlike a 405', (status) => {
    expect(readStatus(html(status), settled, undefined).text).toBe(`HTTP ${status}: the gateway refused the request`);
  });
});

describe('how the options judge an answer', () => {
  const errors: string[] = [];
  const silent = { debug() {}, info() {}, warn() {}, error: (text: string) => void errors.push(text) };
  const settings: AnswerSettings = {
    isRecorded: () => true,
    isDuplicate: () => false,
    inPage: false,
    logger: silent,
    clock: systemClock,
  };
  const context: GatewayContext = {
    report: {
      operation: 'reportBetEvent',
      reference: 'BET-1',
      environment: 'staging',
      body: '{}',
      location: undefined,
    },
    isReport: true,
    after: undefined,
    host: () => 'gateway.example.com',
    within: () => 'within 10 s',
    values: () => [],
    identifiers: () => [],
    sent: () => ({ identifiers: [], values: [], keys: [], otherNoun: 'withdrawal' }),
    mask: (said) => said && `masked: ${said}`,
  };
  const verdictOf = (
    status: number,
    body: unknown,
    options: Partial<AnswerSettings> = {},
    call: Partial<GatewayContext> = {},
  ) =>
    readGatewayAnswer(
      { ended: 'answered', status, header: () => null, text: JSON.stringify(body), measured: true },
      { ...context, ...call },
      { ...settings, ...options },
    );

  it.each([200, 204, 299])('isRecorded is called for %i', (status) => {
    expect(verdictOf(status, { message: 'done' })).toStrictEqual({
      kind: 'recorded',
      outcome: 'recorded',
      message: 'masked: done',
      body: { message: 'done' },
    });
  });

  it.each([0, 100, 199, 300, 302, 400, 500])('isRecorded is not called for %i', (status) => {
    expect(verdictOf(status, { message: 'done' })).toMatchObject({ code: expect.any(String), said: 'masked: done' });
  });

  it.each([
    ['same', false],
    ['conflict', true],
  ] as const)('isDuplicate returns %s: conflict is %s', (duplicate, conflict) => {
    expect(verdictOf(409, { message: 'held' }, { isDuplicate: () => duplicate })).toMatchObject({
      code: 'duplicate',
      said: 'masked: held',
      details: { conflict },
    });
  });

  it('a number to verify has a verdict in a complete answer only', () => {
    const verdict = (status: number, body: unknown) => verdictOf(status, body, {}, { isReport: false }).kind;
    expect([
      verdict(200, { success: false }),
      verdict(206, { success: true }),
      verdict(200, { success: 'yes' }),
    ]).toEqual(['recorded', undefined, undefined]);
  });

  it.each<[string, Partial<AnswerSettings>, number, string]>([
    [
      'isRecorded that throws',
      {
        isRecorded: () => {
          throw new Error('9901234567');
        },
      },
      200,
      'The option isRecorded threw; HTTP 200 is read as if it had returned false.',
    ],
    [
      'isRecorded that returns something else',
      { isRecorded: (() => 'yes') as never },
      200,
      'The option isRecorded must return true or false; HTTP 200 is read as if it had returned false.',
    ],
    [
      'isDuplicate that returns a promise, which fails',
      { isDuplicate: (() => Promise.reject(new Error('no'))) as never },
      409,
      'The option isDuplicate must return same or conflict or false; HTTP 409 is read as if it had returned false.',
    ],
  ])('%s counts as false, and the log says so', (_, options, status, text) => {
    errors.length = 0;
    expect(verdictOf(status, { message: 'done' }, options)).toHaveProperty('code');
    expect(errors).toEqual([text]);
  });
});
