/** The public API: names that are not exported here may change at any time. @module */
export { amount } from '../client/amount.js';
export type { Client, CreateClient } from '../client/client.js';
export { configure } from '../client/configure.js';
export { createClient } from '../client/create-client.js';
export {
  locate,
  reportBetEvent,
  reportSettledBet,
  reportSettledWithdrawal,
  reportWithdrawalEvent,
  resend,
  verifyNin,
} from '../client/default-client.js';
export type { ClientEvent, LocationStepEvent } from '../client/events.js';
export type { LocateResult } from '../client/locate-result.js';
export type {
  BrowserGeolocationOptions,
  CallOptions,
  ClientOptions,
  GatewayOptions,
  IpLookupOptions,
  LocationOptions,
  RelayedOptions,
  RetryOptions,
} from '../client/options.js';
export type { ClientMode, PartialPayload, PayloadParameters, Payloads, RelayPayload } from '../client/payloads.js';
export type { Receipt, ReceiptOf, RelayReceipt } from '../client/receipt.js';
export type { AttemptEndedEvent, AttemptEvent, AttemptStartedEvent } from '../delivery/events.js';
export type { Answer, RelayCredentials } from '../delivery/settings.js';
export type { Attempted, AttemptRequest, Broken, Transport } from '../delivery/transport.js';
export {
  AbortedError,
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  DuplicateReportError,
  type Environment,
  type ErrorCode,
  type ErrorDetails,
  type ErrorOutcome,
  type FoundStep,
  GatewayError,
  LocationError,
  type LocationFailure,
  type LocationStep,
  NetworkError,
  NotFoundError,
  RateLimitError,
  ReportingError,
  TimeoutError,
  UnprocessableError,
  ValidationError,
} from '../errors/errors.js';
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
export { type IpLocation, type IpLookupRequest, type IpProvider, LookupFailure } from '../location/lookup/provider.js';
export type { GeolocationLike } from '../location/page/geolocation-types.js';
export { type LocationPermission, locationPermission } from '../location/page/permission.js';
export type { Place, ReverseGeocode } from '../location/page/reverse-geocode.js';
export { freeipapi } from '../location/providers/freeipapi.js';
export { geojs } from '../location/providers/geojs.js';
export { ipapiCo } from '../location/providers/ipapi-co.js';
export { type IpinfoOptions, ipinfo } from '../location/providers/ipinfo.js';
export { type ClientIpFromOptions, clientIpFrom, type IncomingRequest } from '../location/server/client-ip-from.js';
export type { ProxyGroup, ProxyPlatform, TrustedProxies } from '../location/server/trusted-proxies.js';
export type { SourceNames } from '../location/settings.js';
export type { LocationSignals, ObservationSignals, SignalAnswer, UnknownBecause } from '../location/signals/measure-signals.js';
export { locationSignals } from '../location/signals/signals.js';
export type { Logger, LogLevel } from '../platform/logger.js';
export type { Clock } from '../platform/time.js';
export { version } from '../platform/version.js';
export type { AbortSignalLike, Fetch, FetchInit, FetchResponse, WebAbortSignal } from '../platform/web-types.js';
export type { OperationName } from '../protocol/operations.js';
export type { BetEvent, BetUser, SettledBet } from '../schema/bet.js';
export type { IssueCode, ValidationIssue } from '../schema/issue.js';
export type { Location, LocationInput } from '../schema/location.js';
export type { ValidationMode } from '../schema/model.js';
export type { NinVerification, NinVerificationData, NinVerificationRequest } from '../schema/nin.js';
export type { LocationObservation, LocationSignalLimits, LocationSignalOptions } from '../schema/observation.js';
export type { SettledWithdrawal, WithdrawalEvent, WithdrawalMetadata, WithdrawalUser } from '../schema/withdrawal.js';
