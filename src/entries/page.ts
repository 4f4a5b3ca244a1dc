/** For pages whose reports go through a relay: `location-sdk/page`. No gateway, no key and no lookup service is in it. @module */
export type { Client, CreateClient } from '../client/client.js';
export { configure, createClient } from '../client/create-relayed-client.js';
export { locate, reportBetEvent, reportWithdrawalEvent, resend } from '../client/default-client.js';
export type { LocateResult } from '../client/locate-result.js';
export type { CallOptions, ClientOptions, LocationOptions, RelayedOptions, RetryOptions } from '../client/options.js';
export type { ClientMode, Payloads, RelayPayload } from '../client/payloads.js';
export type { ReceiptOf, RelayReceipt } from '../client/receipt.js';
export {
  type Environment,
  type ErrorCode,
  type ErrorDetails,
  type ErrorOutcome,
  isAbortedError,
  isAuthenticationError,
  isBadRequestError,
  isConfigurationError,
  isDuplicateReportError,
  isGatewayError,
  isLocationError,
  isNetworkError,
  isNotFoundError,
  isRateLimitError,
  isReportingError,
  isTimeoutError,
  isUnprocessableError,
  isValidationError,
  ReportingError,
} from '../errors/errors.js';
export { fixedLocation } from '../location/fixed-location.js';
export type { Location, LocationInput } from '../schema/location.js';
