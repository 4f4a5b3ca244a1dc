/** The public face: what is not named here is not part of the package's promise. @module */
export { type Client, createClient } from './client.js';
export { configure, locate, reportBetEvent, reportSettledBet, reportSettledWithdrawal, reportWithdrawalEvent, resend, verifyNin } from './default-client.js';
export type { Answer, Logger, RelayCredentials } from './delivery/settings.js';
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
} from './errors.js';
export type { ClientEvent, LocationStepEvent } from './events.js';
export type { LocateResult } from './locate-result.js';
export type { GeolocationLike } from './location/browser-geolocation.js';
export { type ClientIpFromOptions, clientIpFrom, type IncomingRequest } from './location/client-ip-from.js';
export type { Place, ReverseGeocode } from './location/find-place.js';
export { fixedLocation, type SourceNames } from './location/locate.js';
export type { LocationSignals, ObservationSignals, SignalAnswer, UnknownBecause } from './location/measure-signals.js';
export { type IpLocation, type IpLookupRequest, type IpProvider, LookupFailure } from './location/provider.js';
export { freeipapi } from './location/providers/freeipapi.js';
export { geojs } from './location/providers/geojs.js';
export { ipapiCo } from './location/providers/ipapi-co.js';
export { type IpinfoOptions, ipinfo } from './location/providers/ipinfo.js';
export { locationSignals } from './location/signals.js';
export type { ProxyGroup, ProxyPlatform, TrustedProxies } from './location/trusted-proxies.js';
export type { OperationName } from './operations.js';
export type {
  BrowserGeolocationOptions,
  CallOptions,
  ClientOptions,
  GatewayOptions,
  IpLookupOptions,
  LocationOptions,
  RelayedOptions,
  RetryOptions,
} from './options.js';
export type { ClientMode, PartialPayload, PayloadParameters, Payloads, RelayPayload } from './payloads.js';
export type { Receipt, ReceiptOf, RelayReceipt } from './receipt.js';
export type { BetEvent, BetUser, SettledBet } from './schema/bet.js';
export type { IssueCode, ValidationIssue } from './schema/issue.js';
export type { Location, LocationInput } from './schema/location.js';
export type { ValidationMode } from './schema/model.js';
export type { NinVerification, NinVerificationData, NinVerificationRequest } from './schema/nin.js';
export type { LocationObservation, LocationSignalLimits, LocationSignalOptions } from './schema/observation.js';
export type { SettledWithdrawal, WithdrawalEvent, WithdrawalMetadata, WithdrawalUser } from './schema/withdrawal.js';
export type { Clock } from './time.js';
export type { AbortSignalLike, Fetch, FetchInit, FetchResponse, WebAbortSignal } from './web-types.js';
