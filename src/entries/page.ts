/** For pages whose reports go through a relay: `location-sdk/page`. It contains no gateway, no key and no lookup service. @module */
export type { Client, CreateClient } from '../client/client.js';
export { configure, createClient } from '../client/create-relayed-client.js';
export { locate, reportBetEvent, reportWithdrawalEvent, resend } from '../client/default-client.js';
export type { ClientEvent, LocationStepEvent } from '../client/events.js';
export type { LocateResult } from '../client/locate-result.js';
export type { CallOptions, ClientOptions, LocationOptions, RelayedOptions, RetryOptions } from '../client/options.js';
export type { ClientMode, Payloads, RelayPayload } from '../client/payloads.js';
export type { ReceiptOf, RelayReceipt } from '../client/receipt.js';
export type { AttemptEndedEvent, AttemptEvent, AttemptStartedEvent } from '../delivery/events.js';
export { type Environment, type ErrorCode, type ErrorDetails, type ErrorOutcome, ReportingError } from '../errors/errors.js';
export {
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
} from '../errors/guards.js';
export { type PlayerAction, type PlayerMessage, type PlayerMessageOptions, playerMessage } from '../errors/player-message.js';
export type { PlayerMessages, PlayerSituation } from '../errors/player-words.js';
export type { GeolocationEvent, LocationAnsweredEvent, LocationAskedEvent } from '../location/events.js';
export { fixedLocation } from '../location/fixed-location.js';
export { type LocationPermission, locationPermission } from '../location/page/permission.js';
export { version } from '../platform/version.js';
export type { Location, LocationInput } from '../schema/location.js';
