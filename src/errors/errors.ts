import type { ValidationIssue } from '../schema/issue.js';
import type { LocationStep } from './location-steps.js';

export type { FoundStep, LocationFailure, LocationStep } from './location-steps.js';

/** Where a report goes (specification, section 9). */
export type Environment = 'staging' | 'production';

/** What kind of error it is; one for each class. */
export type ErrorCode =
  | 'configuration'
  | 'validation'
  | 'location'
  | 'network'
  | 'timeout'
  | 'aborted'
  | 'bad-request'
  | 'authentication'
  | 'not-found'
  | 'duplicate'
  | 'unprocessable'
  | 'rate-limited'
  | 'gateway';

/**
 * Whether the gateway holds the report: `'not-sent'`, it cannot have it; `'rejected'`, it said no;
 * `'unknown'`, it may have it, so send the same bytes again with `client.resend(error)` (a report; just call `verifyNin` again).
 */
export type ErrorOutcome = 'not-sent' | 'rejected' | 'unknown';

/** What an error is made of. Nothing secret may be in it: all of it is shown. */
export interface ErrorDetails {
  /** The called function, for example `'reportBetEvent'`. */
  operation?: string | undefined;
  /** The report's `bet_id` or `request_id`. */
  reference?: string | undefined;
  /** Where the report goes. */
  environment?: Environment | undefined;
  /** The HTTP status of the answer. */
  status?: number | undefined;
  /** How many times the report was sent, or tried to be. */
  attempts?: number;
  /** Whether it is of a kind that is retried. */
  retryable?: boolean;
  /** Whether the gateway holds the report. */
  outcome?: ErrorOutcome;
  /** Every problem of the input, by field. */
  issues?: readonly ValidationIssue[];
  /** Every step of the location chain: what was tried, and why it failed. */
  steps?: readonly LocationStep[];
  /** Whether the gateway holds other data than this report's. */
  conflict?: boolean;
  /** How long the gateway asks to wait, in milliseconds. */
  retryAfterMs?: number | undefined;
  /** The id that the gateway gave to the request. */
  requestId?: string | undefined;
  /** The gateway's JSON, masked. */
  details?: unknown;
}

/** What marks an error of every copy of this package. */
export const BRAND = Symbol.for('location-sdk.error');

/**
 * What every failing call rejects with. Its message says what happened and what to do; neither it nor any
 * property holds the API key or personal data, so it may be logged as it is.
 *
 * @example
 * ```ts
 * try {
 *   await client.reportSettledBet(bet);
 * } catch (error) {
 *   if (isReportingError(error) && error.outcome === 'unknown') await client.resend(error);
 *   else throw error;
 * }
 * ```
 */
export class ReportingError extends Error {
  /** The name of its class. */
  override readonly name: string = 'ReportingError';
  /** A stable name of the kind of error, to branch on. */
  declare readonly code: ErrorCode;
  /** The called function, for example `'reportBetEvent'`. */
  declare readonly operation: string | undefined;
  /** The report's `bet_id` or `request_id`. */
  declare readonly reference: string | undefined;
  /** Where the report goes. */
  declare readonly environment: Environment | undefined;
  /** The HTTP status of the last answer, where there was one. */
  declare readonly status: number | undefined;
  /** How many times the report was sent, or tried to be. */
  declare readonly attempts: number;
  /** Whether it is of a kind that is retried, within the call and by you later. */
  declare readonly retryable: boolean;
  /** Whether the gateway holds the report. */
  declare readonly outcome: ErrorOutcome;
  /** The id that the gateway gave to the last request, by which its operator finds it; undefined where it gave none. */
  declare readonly requestId: string | undefined;
  /** What the gateway answered, as JSON, with every value that was sent masked; undefined where it was no JSON, and for `verifyNin`. */
  declare readonly details: unknown;

  constructor(message: string, details: ErrorDetails = {}) {
    super(message);
    Object.assign(this, { attempts: 0, retryable: false, outcome: 'not-sent' }, details);
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** All that is said of the error, as plain data; no stack. */
  toJSON(): Record<string, unknown> {
    return { message: this.message, ...(this as object) };
  }
}

/** Settings are missing or unsafe; nothing was sent. Thrown by `createClient` and `configure`, or by the call that needs the setting. See docs/reference/errors.md#configuration. */
export class ConfigurationError extends ReportingError {
  override readonly name = 'ConfigurationError';
  override readonly code = 'configuration';
}

/** The payload or the call's options are wrong; nothing was sent. `issues` lists every problem. See docs/reference/errors.md#validation. */
export class ValidationError extends ReportingError {
  override readonly name = 'ValidationError';
  override readonly code = 'validation';
  /** Every problem of the input, by field. */
  declare readonly issues: readonly ValidationIssue[];
}

/** No source gave a location; nothing was sent. `steps` lists what was tried and why each step failed. See docs/reference/errors.md#location. */
export class LocationError extends ReportingError {
  override readonly name = 'LocationError';
  override readonly code = 'location';
  /** Every step of the location chain: what was tried, and why it failed. */
  declare readonly steps: readonly LocationStep[];
}

/** No whole answer came. `outcome` tells whether the report may have arrived. See docs/reference/errors.md#network. */
export class NetworkError extends ReportingError {
  override readonly name = 'NetworkError';
  override readonly code = 'network';
}

/** No whole answer came in time. See docs/reference/errors.md#timeout. */
export class TimeoutError extends ReportingError {
  override readonly name = 'TimeoutError';
  override readonly code = 'timeout';
}

/** The caller's signal ended the call. See docs/reference/errors.md#aborted. */
export class AbortedError extends ReportingError {
  override readonly name = 'AbortedError';
  override readonly code = 'aborted';
}

/** The gateway answered 400, or another 4xx that has no class of its own. See docs/reference/errors.md#bad-request. */
export class BadRequestError extends ReportingError {
  override readonly name = 'BadRequestError';
  override readonly code = 'bad-request';
}

/** The gateway answered 401: the API key is missing or wrong (specification, section 5). See docs/reference/errors.md#authentication. */
export class AuthenticationError extends ReportingError {
  override readonly name = 'AuthenticationError';
  override readonly code = 'authentication';
}

/** The gateway answered 404: usually a settled report whose initiated one it does not hold. See docs/reference/errors.md#not-found. */
export class NotFoundError extends ReportingError {
  override readonly name = 'NotFoundError';
  override readonly code = 'not-found';
}

/**
 * The gateway holds a report under this reference already, and it was not this call that sent it. In a browser it may be this call's own:
 * browsers repeat a request by themselves when a connection breaks. The outcome is then `'unknown'`, and only the operator's records can tell. See docs/reference/errors.md#duplicate.
 */
export class DuplicateReportError extends ReportingError {
  override readonly name = 'DuplicateReportError';
  override readonly code = 'duplicate';
  /** Whether the gateway holds other data than this report's. */
  declare readonly conflict: boolean;
}

/** The gateway answered 422. See docs/reference/errors.md#unprocessable. */
export class UnprocessableError extends ReportingError {
  override readonly name = 'UnprocessableError';
  override readonly code = 'unprocessable';
}

/** The gateway answered 429, and went on doing so, or asked for a longer wait than `maxRetryAfterMs`. See docs/reference/errors.md#rate-limited. */
export class RateLimitError extends ReportingError {
  override readonly name = 'RateLimitError';
  override readonly code = 'rate-limited';
  /** How long the gateway asked to wait, in milliseconds, where it said so. */
  declare readonly retryAfterMs: number | undefined;
}

/** The gateway failed (408, 5xx, a redirect), or its answer was not understood: the report may be recorded. See docs/reference/errors.md#gateway. */
export class GatewayError extends ReportingError {
  override readonly name = 'GatewayError';
  override readonly code = 'gateway';
  /** How long the gateway asked to wait, in milliseconds, where it said so. */
  declare readonly retryAfterMs: number | undefined;
}
