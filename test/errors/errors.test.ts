import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import * as classes from '../../src/errors/errors.js';
import * as guards from '../../src/errors/guards.js';

const errors = { ...classes, ...guards };
const { isReportingError, ReportingError } = errors;

const kinds = [
  [errors.ConfigurationError, 'ConfigurationError', 'configuration', errors.isConfigurationError],
  [errors.ValidationError, 'ValidationError', 'validation', errors.isValidationError],
  [errors.LocationError, 'LocationError', 'location', errors.isLocationError],
  [errors.NetworkError, 'NetworkError', 'network', errors.isNetworkError],
  [errors.TimeoutError, 'TimeoutError', 'timeout', errors.isTimeoutError],
  [errors.AbortedError, 'AbortedError', 'aborted', errors.isAbortedError],
  [errors.BadRequestError, 'BadRequestError', 'bad-request', errors.isBadRequestError],
  [errors.AuthenticationError, 'AuthenticationError', 'authentication', errors.isAuthenticationError],
  [errors.NotFoundError, 'NotFoundError', 'not-found', errors.isNotFoundError],
  [errors.DuplicateReportError, 'DuplicateReportError', 'duplicate', errors.isDuplicateReportError],
  [errors.UnprocessableError, 'UnprocessableError', 'unprocessable', errors.isUnprocessableError],
  [errors.RateLimitError, 'RateLimitError', 'rate-limited', errors.isRateLimitError],
  [errors.GatewayError, 'GatewayError', 'gateway', errors.isGatewayError],
] as const;

describe.each(kinds)('%s', (Kind, name, code, guard) => {
  const error = new Kind('it failed', { operation: 'reportBetEvent', reference: 'B-1', environment: 'staging', attempts: 2, outcome: 'unknown' });

  it('has a name and a code that minifying keeps', () => {
    expect(error).toMatchObject({ name, code });
    expect(String(error)).toBe(`${name}: it failed`);
  });

  it('is an Error and a ReportingError, and only its own guard recognises it', () => {
    expect(error).toBeInstanceOf(Error);
    expect(error).toBeInstanceOf(ReportingError);
    expect(kinds.filter(([, , , other]) => other(error)).map(([, other]) => other)).toEqual([name]);
    expect(guard(error)).toBe(true);
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
    const foreign = Object.defineProperty(new Foreign('from elsewhere'), Symbol.for('location-sdk.error'), { value: true });
    expect(isReportingError(foreign)).toBe(true);
    expect(errors.isNetworkError(foreign)).toBe(true);
  });

  it.each([undefined, null, 'text', new Error('no'), { name: 'NetworkError', code: 'network' }])('does not recognise %s', (value) => {
    expect(isReportingError(value)).toBe(false);
  });
});
