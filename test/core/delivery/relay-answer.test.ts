import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../src/core/delivery/channel.js';
import { readRelayAnswer } from '../../../src/core/delivery/relay-channel.js';
import { systemClock } from '../../../src/core/platform/time.js';
import { receipt } from './scripted-relay.js';

const report = {
  operation: 'reportBetEvent',
  environment: undefined,
  reference: 'B-1',
  body: '{"bet_id":"B-1"}',
  location: undefined,
} as const;
const location = { latitude: 6.5, longitude: 3.4, source: 'gps' };
const asked: CallContext = {
  report,
  isReport: true,
  after: undefined,
  host: () => 'relay.example.com',
  within: () => 'within 10 s',
};

/** The verdict on a complete answer of a relay. */
function read(
  status: number,
  body: unknown,
  {
    browser = false,
    retryAfter = null,
    own = true,
    ...of
  }: Partial<CallContext> & { browser?: boolean; retryAfter?: string | null; own?: boolean } = {},
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const header = (name: string) =>
    name === 'retry-after' ? retryAfter : name === 'x-location-sdk' && own ? '1' : null;
  return readRelayAnswer(
    { ended: 'answered', status, text, header, measured: true },
    { ...asked, ...of },
    { inPage: browser, clock: systemClock },
  );
}

/** The verdict on a failure that a relay reports. */
function failureOf(status: number, error: unknown, options: Parameters<typeof read>[2] = {}) {
  const verdict = read(status, { error }, options);
  if (verdict.kind === 'recorded') throw new Error('it should be a failure');
  return verdict;
}

describe('a receipt', () => {
  it.each(['recorded', 'already-recorded'] as const)('with 200 and the outcome %s is recorded', (outcome) => {
    expect(read(200, receipt({ outcome }))).toStrictEqual({
      kind: 'recorded',
      outcome,
      message: undefined,
      relayReceipt: { outcome, environment: 'production', location: receipt().location },
      requestId: undefined,
    });
  });

  it.each([
    ['7c9e6679-7425-40de-944b-e07fc1f90ae7', '7c9e6679-7425-40de-944b-e07fc1f90ae7'],
    ['some words', undefined],
    [7, undefined],
  ])("has the gateway's id of the request, if it is one: %j", (requestId, kept) => {
    expect(read(200, { ...receipt(), requestId })).toMatchObject({ kind: 'recorded', requestId: kept });
  });

  it('with 202 and a state is accepted', () => {
    expect(read(202, receipt({ outcome: undefined, state: 'pending' }))).toMatchObject({
      kind: 'recorded',
      outcome: 'accepted',
      relayReceipt: { outcome: 'accepted', state: 'pending' },
    });
  });

  it.each([
    ['another operation', 200, receipt({ operation: 'reportWithdrawalEvent' })],
    ['another reference', 200, receipt({ reference: 'B-2' })],
    ['no reference', 200, receipt({ reference: undefined })],
    ['an invalid outcome', 200, receipt({ outcome: 'done' })],
    ['the outcome accepted with 200', 200, receipt({ outcome: 'accepted' })],
    ['a state with 200', 200, receipt({ outcome: undefined, state: 'pending' })],
    ['an outcome with 202', 202, receipt()],
    ['a state that is not a string', 202, receipt({ outcome: undefined, state: 1 })],
    ['another success', 201, receipt({ state: 'pending' })],
    ['a failure', 500, receipt({ state: 'pending' })],
  ])('with %s is not accepted', (_, status, body) => {
    expect(read(status, body)).toMatchObject({ code: 'gateway', outcome: 'unknown', retryable: true });
  });

  it.each([
    [{ environment: 'staging' }, 'staging'],
    [{ environment: 'production' }, 'production'],
    [{ environment: 'test' }, undefined],
    [{ environment: 1 }, undefined],
  ])('names its environment only if there is one: %j', (changes, environment) => {
    const verdict = read(200, receipt(changes));
    expect(verdict.kind === 'recorded' && verdict.relayReceipt?.environment).toBe(environment);
  });

  it.each([
    [location, location],
    [
      { latitude: 0, longitude: 0 },
      { latitude: 0, longitude: 0 },
    ],
    [{ latitude: 6.5 }, undefined],
    [{ longitude: 3.4 }, undefined],
    [{ latitude: '6.5', longitude: 3.4 }, undefined],
    [{ latitude: 6.5, longitude: '3.4' }, undefined],
    ['here', undefined],
    [undefined, undefined],
  ])('has a location only with both coordinates: %j', (given, kept) => {
    const verdict = read(200, receipt({ location: given, environment: undefined }));
    expect(verdict.kind === 'recorded' && verdict.relayReceipt).toStrictEqual({
      outcome: 'recorded',
      ...(kept && { location: kept }),
    });
  });
});

describe('an answer that is not from a relay', () => {
  it.each([
    [200, 'gateway', 'unknown'],
    [299, 'gateway', 'unknown'],
    [302, 'gateway', 'unknown'],
    [401, 'authentication', 'rejected'],
    [404, 'not-found', 'rejected'],
    [408, 'gateway', 'unknown'],
    [409, 'bad-request', 'rejected'],
    [422, 'unprocessable', 'rejected'],
    [429, 'rate-limited', 'rejected'],
    [503, 'gateway', 'unknown'],
  ])('is judged by its status: %i', (status, type, outcome) => {
    expect(failureOf(status, 'no')).toMatchObject({
      code: type,
      outcome,
      text: `HTTP ${status}: the answer is not that of a relay; is relayUrl right, and the player logged in?`,
      details: { status },
    });
  });

  it('names no status for a redirect in a browser', () => {
    expect(failureOf(0, 'no')).toMatchObject({
      outcome: 'unknown',
      text: 'a redirect is not followed; is relayUrl right, and the player logged in?',
    });
  });

  it.each([0, 200, 204, 299, 300, 302, 399])(
    'a status between success and failure, with an error in it: %i',
    (status) => {
      expect(failureOf(status, { code: 'validation', outcome: 'not-sent' })).toMatchObject({
        code: 'gateway',
        outcome: 'unknown',
      });
    },
  );

  it.each([undefined, 'recorded', ['rejected'], null])('an error whose outcome is %j', (outcome) => {
    expect(failureOf(500, { code: 'validation', outcome })).toMatchObject({ code: 'gateway', outcome: 'unknown' });
  });

  it('obeys its Retry-After', () => {
    expect(failureOf(503, 'no', { retryAfter: '3' }).details).toEqual({ status: 503, retryAfterMs: 3_000 });
  });

  it('one that broke off proves nothing, for any status', () => {
    const attempted = {
      ended: 'answered',
      status: 422,
      text: '{"error":',
      header: () => null,
      measured: false,
    } as const;
    expect(readRelayAnswer(attempted, asked, { inPage: false, clock: systemClock })).toMatchObject({
      code: 'network',
      outcome: 'unknown',
    });
  });

  it('no answer is judged as with a gateway', () => {
    expect(readRelayAnswer({ ended: 'timeout' }, asked, { inPage: false, clock: systemClock })).toMatchObject({
      code: 'timeout',
      outcome: 'unknown',
    });
  });
});

describe('a failure that a relay reports', () => {
  it.each([
    ['configuration', 'configuration', false],
    ['validation', 'validation', false],
    ['location', 'location', false],
    ['network', 'network', true],
    ['timeout', 'timeout', true],
    ['aborted', 'aborted', false],
    ['bad-request', 'bad-request', false],
    ['authentication', 'authentication', false],
    ['not-found', 'not-found', false],
    ['unprocessable', 'unprocessable', false],
    ['rate-limited', 'rate-limited', true],
    ['gateway', 'gateway', true],
  ])('%s has its class, and is retried only if it may be transient', (code, type, retryable) => {
    for (const outcome of ['not-sent', 'rejected', 'unknown'])
      expect(failureOf(418, { code, outcome })).toMatchObject({
        code: type,
        retryable,
        outcome,
        text: `HTTP 418: the relay answers "${code}"`,
        details: { status: 418 },
      });
  });

  it.each([
    ['quota', 'quota'],
    ['a b', '[masked]'],
    ['a\nb', '[masked]'],
    ['a.b$-_9', 'a.b$-_9'],
    ['', ''],
    ['x'.repeat(200), 'x'.repeat(200)],
    ['x'.repeat(201), '[masked]'],
    [7, '[masked]'],
  ])('with the unknown code %j has the class of its status', (code, named) => {
    expect(failureOf(422, { code, outcome: 'rejected' })).toMatchObject({
      code: 'unprocessable',
      text: `HTTP 422: the relay answers "${named}"`,
    });
  });

  it.each([400, 599])('is read with every status from 400 on: %i', (status) => {
    expect(failureOf(status, { code: 'validation', outcome: 'not-sent' })).toMatchObject({
      code: 'validation',
      outcome: 'not-sent',
    });
  });

  it('of another program shows no word: it may repeat a value', () => {
    const issues = [{ path: 'amount', code: 'wrong-type', message: 'expected a number' }];
    const error = { code: 'validation', outcome: 'not-sent', message: 'no', issues };
    const { said, text, details } = failureOf(400, error, { own: false });
    expect([said, details?.issues?.[0]?.message]).toEqual([undefined, '']);
    expect(text).not.toContain('expected');
  });

  it('keeps its message, if it is a string', () => {
    expect(failureOf(400, { code: 'bad-request', outcome: 'rejected', message: 'no' }).said).toBe('no');
    expect(failureOf(400, { code: 'bad-request', outcome: 'rejected', message: ['no'] }).said).toBeUndefined();
  });

  it.each([
    [0, 0],
    [7_000, 7_000],
    [-1, 3_000],
    ['7000', 3_000],
    [undefined, 3_000],
  ])('prefers its own time to that of the header: %j', (retryAfterMs, asks) => {
    expect(
      failureOf(429, { code: 'rate-limited', outcome: 'rejected', retryAfterMs }, { retryAfter: '3' }).details,
    ).toEqual({
      status: 429,
      retryAfterMs: asks,
    });
  });

  it('lists the problems of the report, in words that may be shown', () => {
    const issues = [
      { path: 'amount', code: 'wrong-type', message: 'expected a number' },
      { path: 'a b', code: 7, message: 8 },
      'odd',
    ];
    const { text, details } = failureOf(400, { code: 'validation', outcome: 'not-sent', issues });
    expect(details).toEqual({
      status: 400,
      issues: [
        { path: 'amount', code: 'wrong-type', message: 'expected a number' },
        { path: '[masked]', code: '[masked]', message: '' },
        { path: '[masked]', code: '[masked]', message: '' },
      ],
    });
    expect(text).toBe(
      'HTTP 400: the relay answers "validation"\n  - amount: expected a number\n  - [masked]: \n  - [masked]: ',
    );
  });

  it('lists the steps to a location, in words that may be shown', () => {
    const steps = [
      { step: 'client-ip', reason: 'not-public', message: 'no place', durationMs: 12 },
      { durationMs: 'long' },
    ];
    expect(failureOf(503, { code: 'location', outcome: 'not-sent', steps }).details).toEqual({
      status: 503,
      retryAfterMs: undefined,
      steps: [
        { step: 'client-ip', reason: 'not-public', message: 'no place', durationMs: 12 },
        { step: '[masked]', reason: '[masked]', message: '', durationMs: 0 },
      ],
    });
  });

  it('lists neither for another code, ignores values that are not lists, and keeps a hundred at most', () => {
    const many = Array.from({ length: 101 }, () => ({ path: 'amount' }));
    expect(failureOf(400, { code: 'bad-request', outcome: 'rejected', issues: many, steps: many }).details).toEqual({
      status: 400,
    });
    expect(failureOf(400, { code: 'validation', outcome: 'not-sent', issues: 'amount' }).details?.issues).toEqual([]);
    expect(failureOf(400, { code: 'validation', outcome: 'not-sent', issues: many }).details?.issues).toHaveLength(100);
  });
});

describe('a duplicate that a relay reports', () => {
  const duplicate = (conflict: unknown) => ({
    error: { code: 'duplicate', outcome: 'rejected', message: 'held', conflict },
  });
  const located = { ...report, location };

  it.each([false, undefined, 'true'])('is of the same data, unless it says conflict: %j', (conflict) => {
    expect(read(409, duplicate(conflict))).toMatchObject({
      code: 'duplicate',
      outcome: 'rejected',
      said: 'held',
      details: { status: 409, conflict: false },
    });
  });

  it.each([
    ['the page sent the location', located, false, 'rejected', true],
    ['the page sent the location, in a browser', located, true, 'rejected', true],
    ['the relay found it', report, false, 'rejected', false],
    ['the relay found it, in a browser, which repeats requests by itself', report, true, 'unknown', false],
  ])('of other data is another report only if the location is known: %s', (_, of, browser, outcome, certain) => {
    const verdict = read(409, duplicate(true), { report: of, browser });
    expect(verdict).toMatchObject({
      code: 'duplicate',
      outcome,
      certain,
      details: { status: 409, conflict: true },
      ...(!certain && { advice: 'Compare your records.' }),
    });
    if (certain) expect(verdict).not.toHaveProperty('advice');
  });
});
