import { describe, expect, it } from 'vitest';
import { markForeign } from '../../src/delivery/foreign.js';
import {
  AbortedError,
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  DuplicateReportError,
  type ErrorDetails,
  GatewayError,
  NetworkError,
  NotFoundError,
  RateLimitError,
  type ReportingError,
  TimeoutError,
  UnprocessableError,
  ValidationError,
} from '../../src/errors.js';
import { endingOf, failed } from '../../src/outbox/ending.js';
import { gatewayRefusal } from '../../src/outbox/gateway-refusal.js';

type ErrorClass = new (message: string, details: ErrorDetails) => ReportingError;

const rejected = (Class: ErrorClass, status: number, more: ErrorDetails = {}) => new Class('it said no', { outcome: 'rejected', status, attempts: 1, ...more });
const unknown = (Class: ErrorClass, status?: number, more: ErrorDetails = {}) =>
  new Class('no answer came', { outcome: 'unknown', attempts: 1, ...(status !== undefined && { status }), ...more });
const notSent = (Class: ErrorClass, attempts = 1) => new Class('nothing left', { outcome: 'not-sent', attempts });
const foreign = (error: ReportingError) => {
  markForeign(error);
  return error;
};

describe('an answer about the destination pauses it and condemns no report', () => {
  it.each([
    ['401', rejected(AuthenticationError, 401), { pause: 'authentication' }],
    ['403', rejected(BadRequestError, 403), { pause: 'authentication' }],
    ['405', rejected(BadRequestError, 405), { pause: 'address' }],
    ['407', rejected(BadRequestError, 407), { pause: 'address' }],
    ['421', rejected(BadRequestError, 421), { pause: 'address' }],
    ['300', unknown(GatewayError, 300), { pause: 'address' }],
    ['302', unknown(GatewayError, 302), { pause: 'address' }],
    ['399', unknown(GatewayError, 399), { pause: 'address' }],
    ['a redirect in a browser, which shows no status', unknown(GatewayError, 0), { pause: 'address' }],
    ["a 404 that is not the gateway's", foreign(rejected(NotFoundError, 404)), { pause: 'address' }],
    ['a 401 that broke off', unknown(NetworkError, 401), { pause: 'authentication' }],
    ['a 403 that broke off', unknown(NetworkError, 403), { pause: 'authentication' }],
    ['a 405 that broke off', unknown(NetworkError, 405), { pause: 'address' }],
    ['a connection that a proxy refused', foreign(unknown(NetworkError)), { pause: 'address' }],
    ['429', rejected(RateLimitError, 429, { retryAfterMs: 7_000 }), { pause: 'rate-limited', retryAfterMs: 7_000 }],
    ['503', unknown(GatewayError, 503, { retryAfterMs: 0 }), { pause: 'unavailable', retryAfterMs: 0 }],
    ['a connection that was never made', notSent(NetworkError), { pause: 'unreachable' }],
    ['a connection that was not made in time', notSent(TimeoutError), { pause: 'unreachable' }],
    ['a key function that did not answer in time', notSent(TimeoutError, 0), { pause: 'configuration' }],
    ['a missing setting', notSent(ConfigurationError, 0), { pause: 'configuration' }],
  ])('%s', (_, error, more) => {
    const { outcome, message, status } = error;
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

describe('an answer about the report pauses nothing', () => {
  it.each([
    ['400', rejected(BadRequestError, 400), 'refused'],
    ['402', rejected(BadRequestError, 402), 'refused'],
    ['422', rejected(UnprocessableError, 422), 'refused'],
    ["the gateway's own 404", rejected(NotFoundError, 404), 'not-found'],
    ['data that a later version calls wrong', notSent(ValidationError, 0), 'refused'],
    ['400 of another server', foreign(rejected(BadRequestError, 400)), 'refused'],
    ['500', unknown(GatewayError, 500), 'failed'],
    ['408', unknown(GatewayError, 408), 'failed'],
    ['a 2xx that is not understood', unknown(GatewayError, 200), 'failed'],
    ['a connection that broke on the way', unknown(NetworkError), 'failed'],
    ['an answer that did not come in time', unknown(TimeoutError), 'failed'],
    ['a shutdown before anything left', notSent(AbortedError), 'failed'],
    ['a shutdown on the way', unknown(AbortedError), 'failed'],
    ['a setting that went missing once an attempt had left', unknown(ConfigurationError), 'failed'],
  ])('%s', (_, error, kind) => {
    const { code, outcome, message, status } = error;
    expect(failed(error, gatewayRefusal)).toStrictEqual({ kind, outcome, problem: { code, message, ...(status !== undefined && { status }) } });
  });

  it.each([
    [409, false, 'same'],
    [409, true, 'conflict'],
    // The option isDuplicate may read any status as a duplicate.
    [403, false, 'same'],
    [405, true, 'conflict'],
  ])('a duplicate with status %i, conflict %s', (status, conflict, kind) => {
    const error = rejected(DuplicateReportError, status, { conflict });
    expect(failed(error, gatewayRefusal)).toStrictEqual({
      kind,
      outcome: 'rejected',
      problem: { code: 'duplicate', message: 'it said no', status, conflict },
    });
  });
});

describe('an attempt', () => {
  const attempt = { outcome: 'recorded', attempts: 1, message: 'Bet reported', body: {} } as const;

  it('that is recorded keeps what the gateway said', async () => {
    expect(await endingOf(async () => attempt, gatewayRefusal)).toStrictEqual({ kind: 'recorded', message: 'Bet reported' });
  });

  it.each(['accepted', 'already-recorded'] as const)('that a relay calls %s is so', async (outcome) => {
    expect(await endingOf(async () => ({ ...attempt, told: { outcome } }), gatewayRefusal)).toStrictEqual({
      kind: 'recorded',
      message: 'Bet reported',
      outcome,
    });
  });

  it('that fails is read as its error', async () => {
    const error = rejected(AuthenticationError, 401);
    expect(await endingOf(() => Promise.reject(error), gatewayRefusal)).toStrictEqual(failed(error, gatewayRefusal));
  });

  it('that ends with an error of another package leaves the report in doubt, and nothing of that error is kept', async () => {
    const ending = await endingOf(() => Promise.reject(new Error('key-1 99012345678')), gatewayRefusal);
    expect(ending).toMatchObject({ kind: 'failed', outcome: 'unknown', problem: { code: 'gateway', message: expect.stringContaining('not of this package') } });
    expect(JSON.stringify(ending)).not.toMatch(/key-1|99012345678/);
  });

  it('that the stored bytes prevent, without any answer, pauses as its error says', () => {
    expect(failed(notSent(ConfigurationError, 0))).toStrictEqual({
      kind: 'failed',
      outcome: 'not-sent',
      problem: { code: 'configuration', message: 'nothing left' },
      pause: 'configuration',
    });
  });
});
