import {
  type AbortedError,
  type AuthenticationError,
  type BadRequestError,
  BRAND,
  type ConfigurationError,
  type DuplicateReportError,
  type GatewayError,
  type LocationError,
  type NetworkError,
  type NotFoundError,
  type RateLimitError,
  type ReportingError,
  type TimeoutError,
  type UnprocessableError,
  type ValidationError,
} from './errors.js';

/**
 * Whether a value is an error of this package. Unlike `instanceof`, the guards also recognise errors of its other
 * copies, for example of its CommonJS build beside ESM.
 */
export const isReportingError = (value: unknown): value is ReportingError =>
  typeof value === 'object' && value !== null && (value as { [BRAND]?: unknown })[BRAND] === true;

const guard =
  <T extends ReportingError>(code: T['code']) =>
  (value: unknown): value is T =>
    isReportingError(value) && value.code === code;

/** Whether a value is a {@link ConfigurationError}: a setting is missing or unsafe. */
export const isConfigurationError = /* @__PURE__ */ guard<ConfigurationError>('configuration');
/** Whether a value is a {@link ValidationError}: the payload or the options are invalid. */
export const isValidationError = /* @__PURE__ */ guard<ValidationError>('validation');
/** Whether a value is a {@link LocationError}: no source gave a location. */
export const isLocationError = /* @__PURE__ */ guard<LocationError>('location');
/** Whether a value is a {@link NetworkError}: no complete answer came. */
export const isNetworkError = /* @__PURE__ */ guard<NetworkError>('network');
/** Whether a value is a {@link TimeoutError}: no complete answer came in time. */
export const isTimeoutError = /* @__PURE__ */ guard<TimeoutError>('timeout');
/** Whether a value is an {@link AbortedError}: your signal cancelled the call. */
export const isAbortedError = /* @__PURE__ */ guard<AbortedError>('aborted');
/** Whether a value is a {@link BadRequestError}: 400, or a 4xx that has no class of its own. */
export const isBadRequestError = /* @__PURE__ */ guard<BadRequestError>('bad-request');
/** Whether a value is an {@link AuthenticationError}: 401. */
export const isAuthenticationError = /* @__PURE__ */ guard<AuthenticationError>('authentication');
/** Whether a value is a {@link NotFoundError}: 404. */
export const isNotFoundError = /* @__PURE__ */ guard<NotFoundError>('not-found');
/** Whether a value is a {@link DuplicateReportError}: the gateway already has this reference. */
export const isDuplicateReportError = /* @__PURE__ */ guard<DuplicateReportError>('duplicate');
/** Whether a value is an {@link UnprocessableError}: 422. */
export const isUnprocessableError = /* @__PURE__ */ guard<UnprocessableError>('unprocessable');
/** Whether a value is a {@link RateLimitError}: 429. */
export const isRateLimitError = /* @__PURE__ */ guard<RateLimitError>('rate-limited');
/** Whether a value is a {@link GatewayError}: 408, 5xx, or an answer that is not understood. */
export const isGatewayError = /* @__PURE__ */ guard<GatewayError>('gateway');
