import { underSymbol } from '../platform/as-record.js';
import type { ValidationIssue } from '../schema/issue.js';
import { isAnything, type OptionTable, optional, readOptions } from '../schema/option-rules.js';

/** The environment of a report (specification, section 9). */
export type Environment = 'staging' | 'production';

export const ENVIRONMENTS = ['staging', 'production'] as const satisfies readonly Environment[];

/** The kind of error, one for each class. */
export type ErrorCode =
  /** A setting is missing or unsafe. */
  | 'configuration'
  /** The payload or an option is wrong. */
  | 'validation'
  /** No source gave a location. */
  | 'location'
  /** No whole answer came. Retried in the call, except for a refused certificate. */
  | 'network'
  /** No whole answer came in time. Retried in the call. */
  | 'timeout'
  /** Your `signal` cancelled the call. */
  | 'aborted'
  /** The gateway answered 400, or a 4xx without a code of its own. */
  | 'bad-request'
  /** 401: the API key is missing or wrong. */
  | 'authentication'
  /** 404: mostly a settlement whose initiated report the gateway does not have. */
  | 'not-found'
  /** The gateway has a report under this reference; see `conflict`. */
  | 'duplicate'
  /** 422: the gateway does not accept a value. */
  | 'unprocessable'
  /** 429. Retried in the call. */
  | 'rate-limited'
  /** 408, 5xx, a redirect, or an answer that is not understood. Retried in the call. */
  | 'gateway';

/**
 * Whether the gateway has recorded the report. `'not-sent'`: it cannot have it. `'rejected'`: it refused it.
 * `'unknown'`: it may have it, so send the same bytes again with `client.resend(error)` (for a report; call `verifyNin`
 * again).
 */
export type ErrorOutcome = 'not-sent' | 'rejected' | 'unknown';

/** One step of the location chain that gave no location. */
export interface LocationStep {
  /**
   * `'browser-geolocation'`, `'client-ip'`, `'ip-lookup'` (no source is enabled), or the name of the lookup service.
   */
  readonly step: string;
  /** The reason, in a word for your branches. */
  readonly reason: LocationFailure;
  /** The reason, in a sentence. It contains no address and no coordinate. */
  readonly message: string;
  /** How long the step took, in milliseconds. */
  readonly durationMs: number;
}

/** The step of the location chain that gave the location. */
export interface FoundStep {
  /** `'browser-geolocation'`, or the name of the lookup service. */
  readonly step: string;
  /** How long the step took, in milliseconds. */
  readonly durationMs: number;
  /** Absent: this step found the location. */
  readonly reason?: never;
  /** Absent: this step found the location. */
  readonly message?: never;
}

/** Why a step of the location chain gave no location. */
export type LocationFailure =
  /** The page is not https. */
  | 'insecure-context'
  /** No geolocation here, the step is switched off, or a database cannot be read. */
  | 'not-available'
  /** The player, or the device, said no. Explain, and ask again later. */
  | 'denied'
  /** A `Permissions-Policy` header, or an iframe without `allow="geolocation"`. */
  | 'blocked-by-policy'
  /** The tab was hidden. The next report asks again. */
  | 'page-hidden'
  /** The device cannot find its position. */
  | 'position-unavailable'
  /** No answer in time. Ask early, or set a longer limit. */
  | 'timeout'
  /** Your signal cancelled the call. */
  | 'aborted'
  /** The lookup service answered 429 or 403. Use a token, another service, or a database. */
  | 'refused'
  /** The service refused or failed a short while ago, and is left out for now. */
  | 'resting'
  /** `clientIP` is a private or reserved address. Name your proxies. */
  | 'not-public'
  /** Could not connect to the service. Check the network, and `connect-src` of the page. */
  | 'unreachable'
  /** The service's answer holds no place. */
  | 'bad-answer'
  /** On a server, no `clientIP` was passed. */
  | 'no-address';

/** Marks an error of every copy of this package. */
const BRAND = Symbol.for('location-sdk.error');

/** The members of every error. */
abstract class BaseError extends Error {
  /** The name of its class. */
  abstract override readonly name: string;
  /** A stable name of the kind of error, for your branches. */
  abstract readonly code: ErrorCode;
  /** The called function, for example `'reportBetEvent'`. */
  declare readonly operation: string | undefined;
  /** The report's `bet_id` or `request_id`. */
  declare readonly reference: string | undefined;
  /** The environment of the report. */
  declare readonly environment: Environment | undefined;
  /** The HTTP status of the last answer, if there was one. */
  declare readonly status: number | undefined;
  /** How many attempts were made to send the report. */
  declare readonly attempts: number;
  /** Whether errors of this kind are retried, within the call and later by you. */
  declare readonly retryable: boolean;
  /** Whether the gateway has recorded the report. */
  declare readonly outcome: ErrorOutcome;
  /**
   * The id that the gateway gave the last request. Its operator can find the request by it. Undefined if the gateway
   * gave none.
   */
  declare readonly requestId: string | undefined;
  /**
   * The gateway's answer as JSON: known words and an HTTP status, like its message; all else is masked. Undefined if it
   * was not JSON, and for `verifyNin`.
   */
  declare readonly details: unknown;

  constructor(message: string, details: ErrorDetails = {}) {
    super(message);
    Object.assign(this, { attempts: 0, retryable: false, outcome: 'not-sent' }, details);
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** All properties of the error as plain data, without the stack. */
  toJSON(): Record<string, unknown> {
    return { message: this.message, ...(this as object) };
  }
}

/** The properties of an error. They must contain nothing secret, since all of them are shown. */
export interface ErrorDetails
  extends Partial<Omit<BaseError, keyof Error | 'code' | 'toJSON'>>,
    Partial<Pick<ValidationError, 'issues'> & Pick<LocationError, 'steps'>>,
    Partial<Pick<DuplicateReportError, 'conflict'> & Pick<RateLimitError, 'retryAfterMs'>> {}

/**
 * Settings are missing or unsafe; nothing was sent. Thrown by `createClient` and `configure`, or by the call that needs
 * the setting. See docs/reference/errors.md#configuration.
 */
export class ConfigurationError extends BaseError {
  override readonly name = 'ConfigurationError';
  override readonly code = 'configuration';
}

/**
 * The payload or the call's options are invalid; nothing was sent. `issues` lists every problem. See
 * docs/reference/errors.md#validation.
 */
export class ValidationError extends BaseError {
  override readonly name = 'ValidationError';
  override readonly code = 'validation';
  /** Every problem of the input, by field. */
  declare readonly issues: readonly ValidationIssue[];
}

/**
 * No source gave a location; nothing was sent. `steps` lists every step and why it failed. See
 * docs/reference/errors.md#location.
 */
export class LocationError extends BaseError {
  override readonly name = 'LocationError';
  override readonly code = 'location';
  /** Every step of the location chain, and why each failed. */
  declare readonly steps: readonly LocationStep[];
}

/**
 * No complete answer came. `outcome` says whether the report may have arrived. See docs/reference/errors.md#network.
 */
export class NetworkError extends BaseError {
  override readonly name = 'NetworkError';
  override readonly code = 'network';
}

/** No complete answer came in time. See docs/reference/errors.md#timeout. */
export class TimeoutError extends BaseError {
  override readonly name = 'TimeoutError';
  override readonly code = 'timeout';
}

/** The caller's signal cancelled the call. See docs/reference/errors.md#aborted. */
export class AbortedError extends BaseError {
  override readonly name = 'AbortedError';
  override readonly code = 'aborted';
}

/** The gateway answered 400, or another 4xx that has no class of its own. See docs/reference/errors.md#bad-request. */
export class BadRequestError extends BaseError {
  override readonly name = 'BadRequestError';
  override readonly code = 'bad-request';
}

/**
 * The gateway answered 401: the API key is missing or wrong (specification, section 5). See
 * docs/reference/errors.md#authentication.
 */
export class AuthenticationError extends BaseError {
  override readonly name = 'AuthenticationError';
  override readonly code = 'authentication';
}

/**
 * The gateway answered 404: usually it does not have the initiated report of a settled one. See
 * docs/reference/errors.md#not-found.
 */
export class NotFoundError extends BaseError {
  override readonly name = 'NotFoundError';
  override readonly code = 'not-found';
}

/**
 * The gateway already has a report with this reference, and this call did not send it. In a browser this call may have
 * sent it: browsers repeat a request by themselves when a connection breaks. The outcome is then `'unknown'`: check the
 * operator's records. See docs/reference/errors.md#duplicate.
 */
export class DuplicateReportError extends BaseError {
  override readonly name = 'DuplicateReportError';
  override readonly code = 'duplicate';
  /** Whether the gateway has other data than this report's. */
  declare readonly conflict: boolean;
}

/** The gateway answered 422. See docs/reference/errors.md#unprocessable. */
export class UnprocessableError extends BaseError {
  override readonly name = 'UnprocessableError';
  override readonly code = 'unprocessable';
}

/**
 * The gateway answered 429 to every attempt, or asked for a longer wait than `maxRetryAfterMs`. See
 * docs/reference/errors.md#rate-limited.
 */
export class RateLimitError extends BaseError {
  override readonly name = 'RateLimitError';
  override readonly code = 'rate-limited';
  /** How long the gateway asked to wait, in milliseconds. Undefined if it did not say. */
  declare readonly retryAfterMs: number | undefined;
}

/**
 * The gateway failed (408, 5xx, a redirect), or its answer was not understood: the report may be recorded. See
 * docs/reference/errors.md#gateway.
 */
export class GatewayError extends BaseError {
  override readonly name = 'GatewayError';
  override readonly code = 'gateway';
  /** How long the gateway asked to wait, in milliseconds. Undefined if it did not say. */
  declare readonly retryAfterMs: number | undefined;
}

/**
 * The error with which every failing call rejects: `code` says which class it has. Its message says what happened and
 * what to do. Neither the message nor any property contains the API key or personal data, so you may log it unchanged.
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
export type ReportingError =
  | ConfigurationError
  | ValidationError
  | LocationError
  | NetworkError
  | TimeoutError
  | AbortedError
  | BadRequestError
  | AuthenticationError
  | NotFoundError
  | DuplicateReportError
  | UnprocessableError
  | RateLimitError
  | GatewayError;

/**
 * The class of all errors, for `instanceof`. `isReportingError` also knows an error of another copy of this package.
 */
export const ReportingError: typeof BaseError = BaseError;

const CLASSES: { readonly [Code in ErrorCode]: new (message: string, details?: ErrorDetails) => ReportingError } = {
  configuration: ConfigurationError,
  validation: ValidationError,
  location: LocationError,
  network: NetworkError,
  timeout: TimeoutError,
  aborted: AbortedError,
  'bad-request': BadRequestError,
  authentication: AuthenticationError,
  'not-found': NotFoundError,
  duplicate: DuplicateReportError,
  unprocessable: UnprocessableError,
  'rate-limited': RateLimitError,
  gateway: GatewayError,
};

export const isErrorCode = (value: unknown): value is ErrorCode => Object.keys(CLASSES).some((code) => code === value);

export const makeError = (code: ErrorCode, message: string, details: ErrorDetails): ReportingError =>
  new CLASSES[code](message, details);

/**
 * Whether a value is an error of this package. Its `code` then narrows its type. Unlike `instanceof`, it also
 * recognises errors of other copies of the package, for example of its CommonJS build beside ESM.
 *
 * @example
 * ```ts
 * if (isReportingError(error) && error.code === 'validation') console.error(error.issues);
 * ```
 */
export const isReportingError = (value: unknown): value is ReportingError => underSymbol(value, BRAND) === true;

export const hasCode = <Code extends ErrorCode>(
  value: unknown,
  code: Code,
): value is Extract<ReportingError, { readonly code: Code }> => isReportingError(value) && value.code === code;

/** Throws a `ConfigurationError` that lists every problem. */
export function requireOptions<T extends OptionTable>(...given: Parameters<typeof readOptions<T>>) {
  const read = readOptions(...given);
  if (read.problem !== undefined) throw new ConfigurationError(read.problem);
  return read;
}

/** Throws a `ConfigurationError` for a name that options do not have. The function itself checks their values. */
export const refuseOtherNames = (of: string, names: readonly string[], options: unknown): void =>
  void requireOptions(of, Object.fromEntries(names.map((name) => [name, optional(isAnything)])), options);
