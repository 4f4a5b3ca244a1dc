/** The public API: names that are not exported here may change at any time. @module */
export { amount } from '../client/amount.js';
export type { Client } from '../client/client.js';
export { configure, createClient } from '../client/create-client.js';
export {
  locate,
  reportBetEvent,
  reportSettledBet,
  reportSettledWithdrawal,
  reportWithdrawalEvent,
  resend,
  verifyNin,
} from '../client/default-client.js';
export type {
  CallOptions,
  ClientEvent,
  ClientOptions,
  GatewayOptions,
  LocationOptions,
  RetryOptions,
} from '../client/options.js';
export type { LocateResult, Receipt, RelayReceipt } from '../client/receipt.js';
export type { Answer } from '../delivery/settings.js';
export type { Broken, Transport } from '../delivery/transport.js';
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
} from '../errors/errors.js';
export { type PlayerMessage, type PlayerMessageOptions, playerMessage } from '../errors/player-message.js';
export { type IpLocation, type IpLookupRequest, type IpProvider, LookupFailure } from '../location/lookup/provider.js';
export { locationPermission } from '../location/page/page.js';
export { freeipapi, geojs, ipapiCo } from '../location/providers/free-services.js';
export { ipinfo } from '../location/providers/ipinfo.js';
export { type ClientIpFromOptions, clientIpFrom, type IncomingRequest } from '../location/server/client-ip-from.js';
export { fixedLocation } from '../location/source.js';
export type { Logger } from '../platform/logger.js';
export type { Clock } from '../platform/time.js';
export { version } from '../platform/version.js';
export type { AbortSignalLike, Fetch } from '../platform/web-types.js';
export type { OperationName } from '../protocol/operations.js';
export type { BetEvent, BetUser, SettledBet } from '../schema/bet.js';
export type { ValidationIssue } from '../schema/issue.js';
export type { Location, LocationInput } from '../schema/location.js';
export type { NinVerification, NinVerificationRequest } from '../schema/nin.js';
export type { SettledWithdrawal, WithdrawalEvent, WithdrawalUser } from '../schema/withdrawal.js';
