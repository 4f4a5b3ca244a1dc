/** The public API: names that are not exported here may change at any time. @module */
export { amount } from '../core/client/amount.js';
export type { Client } from '../core/client/client.js';
export { configure, createClient } from '../core/client/create-client.js';
export {
  locate,
  reportBetEvent,
  reportSettledBet,
  reportSettledWithdrawal,
  reportWithdrawalEvent,
  resend,
  verifyNin,
} from '../core/client/default-client.js';
export type {
  CallOptions,
  ClientEvent,
  ClientOptions,
  GatewayOptions,
  LocationOptions,
  RetryOptions,
} from '../core/client/options.js';
export type { LocateResult, Receipt, RelayReceipt } from '../core/client/receipt.js';
export type { Answer } from '../core/delivery/settings.js';
export type { Broken, Transport } from '../core/delivery/transport.js';
export {
  AbortedError,
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  DuplicateReportError,
  type Environment,
  type ErrorCode,
  type ErrorOutcome,
  GatewayError,
  isReportingError,
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
} from '../core/errors/errors.js';
export { type PlayerMessage, type PlayerMessageOptions, playerMessage } from '../core/errors/player-message.js';
export {
  type IpLocation,
  type IpLookupRequest,
  type IpProvider,
  LookupFailure,
} from '../core/location/lookup/provider.js';
export { locationPermission } from '../core/location/page/page.js';
export { freeipapi, geojs, ipapiCo } from '../core/location/providers/free-services.js';
export { ipinfo } from '../core/location/providers/ipinfo.js';
export {
  type ClientIpFromOptions,
  clientIpFrom,
  type IncomingRequest,
} from '../core/location/server/client-ip-from.js';
export { pageLocation } from '../core/location/server/page-location.js';
export { fixedLocation } from '../core/location/source.js';
export type { Logger } from '../core/platform/logger.js';
export type { Clock } from '../core/platform/time.js';
export { version } from '../core/platform/version.js';
export type { AbortSignalLike, Fetch } from '../core/platform/web-types.js';
export type { OperationName } from '../core/protocol/operations.js';
export type { BetEvent, BetUser, SettledBet } from '../core/schema/bet.js';
export type { ValidationIssue } from '../core/schema/issue.js';
export type { Location, LocationInput } from '../core/schema/location.js';
export type { NinVerification, NinVerificationRequest } from '../core/schema/nin.js';
export type { SettledWithdrawal, WithdrawalEvent, WithdrawalUser } from '../core/schema/withdrawal.js';
