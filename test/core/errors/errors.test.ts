import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import * as errors from '../../../src/core/errors/errors.js';

const { hasCode, isReportingError } = errors;

const kinds = [
  [errors.ConfigurationError, 'ConfigurationError', 'configuration'],
  [errors.ValidationError, 'ValidationError', 'validation'],
  [errors.LocationError, 'LocationError', 'location'],
  [errors.NetworkError, 'NetworkError', 'network'],
  [errors.TimeoutError, 'TimeoutError', 'timeout'],
  [errors.AbortedError, 'AbortedError', 'aborted'],
  [errors.BadRequestError, 'BadRequestError', 'bad-request'],
  [errors.AuthenticationError, 'AuthenticationError', 'authentication'],
  [errors.NotFoundError, 'NotFoundError', 'not-found'],
  [errors.DuplicateReportError, 'DuplicateReportError', 'duplicate'],
  [errors.UnprocessableError, 'UnprocessableError', 'unprocessable'],
  [errors.RateLimitError, 'RateLimitError', 'rate-limited'],
  [errors.GatewayError, 'GatewayError', 'gateway'],
] as const;

describe.each(kinds)('%s', (Kind, name, code) => {
  const error = new Kind('it failed', {
    operation: 'reportBetEvent',
    reference: 'B-1',
    environment: 'staging',
    attempts: 2,
    outcome: 'unknown',
  });

  it('has a name and a code that minifying keeps', () => {
    expect(error).toMatchObject({ name, code });
    expect(String(error)).toBe(`${name}: it failed`);
  });

  it('is an Error and a ReportingError of its own code only', () => {
    expect(error).toBeInstanceOf(Error);
    expect(isReportingError(error)).toBe(true);
    expect(kinds.filter(([, , other]) => hasCode(error, other)).map(([, other]) => other)).toEqual([name]);
  });

  it('becomes JSON with all its properties', () => {
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name,
      code,
      message: 'it failed',
      operation: 'reportBetEvent',
      reference: 'B-1',
      environment: 'staging',
      attempts: 2,
      retryable: false,
      outcome: 'unknown',
    });
  });

  it('prints its code and outcome', () => {
    expect(inspect(error)).toContain(`code: '${code}'`);
    expect(inspect(error)).toContain("outcome: 'unknown'");
  });
});

describe('isReportingError', () => {
  it('recognises the errors of another copy of the package', () => {
    class Foreign extends Error {
      readonly code = 'network';
    }
    const foreign = Object.defineProperty(new Foreign('from elsewhere'), Symbol.for('location-sdk.error'), {
      value: true,
    });
    expect(isReportingError(foreign)).toBe(true);
    expect(hasCode(foreign, 'network')).toBe(true);
  });

  it.each([undefined, null, 'text', new Error('no'), { name: 'NetworkError', code: 'network' }])(
    'does not recognise %s',
    (value) => {
      expect(isReportingError(value)).toBe(false);
    },
  );
});
