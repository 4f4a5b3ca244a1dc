import { describe, expect, it } from 'vitest';
import type { Failure } from '../../../src/core/delivery/channel.js';
import type { AttemptResult, FailedAttempt } from '../../../src/core/delivery/send-once.js';
import type { ErrorCode } from '../../../src/core/errors/errors.js';
import {
  endingOf,
  failed,
  gatewayRefusal,
  misconfiguredEnding,
  relayRefusal,
} from '../../../src/outbox/rules/attempt-ending.js';

type More = Pick<FailedAttempt, 'foreign'> & NonNullable<FailedAttempt['details']>;

const result = (message: string, failure: Omit<Failure, 'text'>, sent = true): FailedAttempt => ({
  ...failure,
  text: message,
  message,
  sent,
});
const rejected = (code: ErrorCode, status: number, { foreign = false, ...more }: More = {}) =>
  result('it said no', { code, outcome: 'rejected', foreign, details: { status, ...more } });
const unknown = (code: ErrorCode, status?: number, { foreign = false, ...more }: More = {}) =>
  result('no answer came', {
    code,
    outcome: 'unknown',
    foreign,
    details: { ...(status !== undefined && { status }), ...more },
  });
const notSent = (code: ErrorCode, attempts = 1) => result('nothing left', { code, outcome: 'not-sent' }, attempts > 0);
const foreign = (one: FailedAttempt): FailedAttempt => ({ ...one, foreign: true });

describe('an answer about the destination pauses it and quarantines no report', () => {
  it.each([
    ['401', rejected('authentication', 401), { pause: 'authentication' }],
    ['403', rejected('bad-request', 403), { pause: 'authentication' }],
    ['405', rejected('bad-request', 405), { pause: 'address' }],
    ['407', rejected('bad-request', 407), { pause: 'address' }],
    ['421', rejected('bad-request', 421), { pause: 'address' }],
    ['300', unknown('gateway', 300), { pause: 'address' }],
    ['302', unknown('gateway', 302), { pause: 'address' }],
    ['399', unknown('gateway', 399), { pause: 'address' }],
    ['a redirect in a browser, which shows no status', unknown('gateway', 0), { pause: 'address' }],
    ["a 404 that is not the gateway's", foreign(rejected('not-found', 404)), { pause: 'address' }],
    ['a 401 that broke off', unknown('network', 401), { pause: 'authentication' }],
    ['a 403 that broke off', unknown('network', 403), { pause: 'authentication' }],
    ['a 405 that broke off', unknown('network', 405), { pause: 'address' }],
    ['a 429 that broke off', unknown('network', 429), { pause: 'rate-limited' }],
    ['a connection that a proxy refused', foreign(unknown('network')), { pause: 'address' }],
    ['429', rejected('rate-limited', 429, { retryAfterMs: 7_000 }), { pause: 'rate-limited', retryAfterMs: 7_000 }],
    ['503', unknown('gateway', 503, { retryAfterMs: 0 }), { pause: 'unavailable', retryAfterMs: 0 }],
    ['a limit of the SDK itself, without an answer', notSent('rate-limited'), { pause: 'rate-limited' }],
    ['a connection that was never made', notSent('network'), { pause: 'unreachable' }],
    ['a connection that timed out', notSent('timeout'), { pause: 'unreachable' }],
    ['a key function that did not answer in time', notSent('timeout', 0), { pause: 'configuration' }],
    ['a missing setting', notSent('configuration', 0), { pause: 'configuration' }],
  ])('%s', (_, error, more) => {
    const { outcome, details, message } = error;
    const status = details?.status;
    // A 404 of another server must not count as the first of the gateway's two.
    const code = status === 404 ? 'gateway' : error.code;
    expect(failed(error, gatewayRefusal)).toStrictEqual({
      kind: 'failed',
      outcome,
      problem: { code, message, ...(status !== undefined && { status }) },
      ...more,
    });
  });
});

it('a 404 of another server that broke off pauses, and may have recorded the report', () => {
  expect(failed(foreign(unknown('network', 404)), gatewayRefusal)).toStrictEqual({
    kind: 'failed',
    outcome: 'unknown',
    problem: { code: 'network', message: 'no answer came', status: 404 },
    pause: 'address',
  });
});

it.each([
  ['a broken connection', unknown('network')],
  ['an answer with a status', foreign(unknown('network', 500))],
  ['an answer of another kind', foreign(unknown('gateway'))],
])('only a proxy that refuses a connection pauses the address: %s does not', (_, error) => {
  expect(failed(error, gatewayRefusal)).not.toHaveProperty('pause');
});

describe('an answer of a relay', () => {
  it.each([
    ['403 of the session in front of it', rejected('bad-request', 403), { kind: 'failed', pause: 'authentication' }],
    ['403 of its own', unknown('bad-request', 403), { kind: 'failed' }],
    ['404', rejected('not-found', 404), { kind: 'failed', pause: 'configuration' }],
    ['405', rejected('bad-request', 405), { kind: 'failed', pause: 'configuration' }],
    ['a body that came too slowly', rejected('timeout', 408), { pause: 'unreachable' }],
    ['a timeout on the way', unknown('timeout', 408), undefined],
    ['422', rejected('unprocessable', 422), undefined],
    ['no answer', unknown('network'), undefined],
  ])('%s', (_, failure, reading) => {
    expect(relayRefusal(failure)).toStrictEqual(reading);
  });

  it('without details is about the report', () => {
    expect(relayRefusal({ code: 'network', outcome: 'unknown', text: 'no answer came' })).toBe(undefined);
  });
});

describe('an answer about the report pauses nothing', () => {
  it.each([
    ['400', rejected('bad-request', 400), 'refused'],
    ['402', rejected('bad-request', 402), 'refused'],
    ['422', rejected('unprocessable', 422), 'refused'],
    ["the gateway's own 404", rejected('not-found', 404), 'not-found'],
    ['data that a later version calls wrong', notSent('validation', 0), 'refused'],
    ['500', unknown('gateway', 500), 'failed'],
    ['408', unknown('gateway', 408), 'failed'],
    ['a 2xx that is not understood', unknown('gateway', 200), 'failed'],
    ['a connection that broke on the way', unknown('network'), 'failed'],
    ['an answer that timed out', unknown('timeout'), 'failed'],
    ['a shutdown before the first byte', notSent('aborted'), 'failed'],
    ['a shutdown during the attempt', unknown('aborted'), 'failed'],
    ['a setting that is missing after an attempt', unknown('configuration'), 'failed'],
  ])('%s', (_, error, kind) => {
    const { code, outcome, details, message } = error;
    const status = details?.status;
    expect(failed(error, gatewayRefusal)).toStrictEqual({
      kind,
      outcome,
      problem: { code, message, ...(status !== undefined && { status }) },
    });
  });

  it.each([
    ['400 of another server', foreign(rejected('bad-request', 400))],
    ['422 of another server', foreign(rejected('unprocessable', 422))],
    ['a 422 whose end is not proven', foreign(unknown('network', 422))],
    ['502 of a proxy', foreign(unknown('gateway', 502))],
    ['a page of a captive portal', foreign(unknown('gateway', 200))],
  ])('%s quarantines nothing either, leaves doubt, and is a strike', (_, error) => {
    const { code, details, message } = error;
    const problem = { code, message, status: details?.status };
    expect(failed(error, gatewayRefusal)).toStrictEqual({ kind: 'failed', outcome: 'unknown', problem, foreign: true });
  });

  it.each([
    [429, 'rate-limited', foreign(rejected('rate-limited', 429)), 'rejected'],
    [503, 'unavailable', foreign(unknown('gateway', 503)), 'unknown'],
  ] as const)('%i concerns the destination, in any form', (_, pause, error, outcome) => {
    expect(failed(error, gatewayRefusal)).toMatchObject({ kind: 'failed', outcome, pause });
    expect(failed(error, gatewayRefusal)).not.toHaveProperty('foreign');
  });

  it.each([
    [409, false, 'same'],
    [409, true, 'refused'],
    // The option isDuplicate may read any status as a duplicate.
    [403, false, 'same'],
    [405, true, 'refused'],
  ])('a duplicate with status %i, conflict %s', (status, conflict, kind) => {
    const error = rejected('duplicate', status, { conflict });
    expect(failed(error, gatewayRefusal)).toStrictEqual({
      kind,
      outcome: 'rejected',
      problem: { code: conflict ? 'conflict' : 'duplicate', message: 'it said no', status },
    });
  });
});

describe('an attempt', () => {
  const attempt: AttemptResult = { kind: 'recorded', outcome: 'recorded', message: 'Bet reported' };

  it('that is recorded is its own ending', async () => {
    expect(await endingOf(async () => attempt, gatewayRefusal)).toBe(attempt);
  });

  it('keeps the id and the details of the answer', async () => {
    const requestId = 'req-7';
    const details = [{ path: 'amount', message: 'is too large' }];
    const problem = { code: 'bad-request', message: 'it said no', status: 400, requestId, details };
    expect(failed({ ...rejected('bad-request', 400, { details }), requestId }, gatewayRefusal)).toMatchObject({
      problem,
    });
  });

  it('that fails has the problem of its error', async () => {
    const error = rejected('authentication', 401);
    expect(await endingOf(async () => error, gatewayRefusal)).toStrictEqual(failed(error, gatewayRefusal));
  });

  it('that throws an unexpected error leaves the report in doubt, and shows nothing of that error', async () => {
    const ending = await endingOf(() => Promise.reject(new Error('key-1 99012345678')), gatewayRefusal);
    expect(ending).toMatchObject({
      kind: 'failed',
      outcome: 'unknown',
      problem: { code: 'gateway', message: expect.stringContaining('unexpected error') },
    });
    expect(JSON.stringify(ending)).not.toMatch(/key-1|99012345678/);
  });

  it('that cannot open the stored bytes pauses as its error says', () => {
    expect(misconfiguredEnding('nothing left')).toStrictEqual({
      kind: 'failed',
      outcome: 'not-sent',
      problem: { code: 'configuration', message: 'nothing left' },
      pause: 'configuration',
    });
  });
});
