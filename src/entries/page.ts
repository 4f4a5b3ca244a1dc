/**
 * For pages whose reports go through a relay: `location-sdk/page`. It contains no gateway, no key and no lookup
 * service. @module
 */
export type { Client } from '../client/client.js';
export { configure, createClient } from '../client/create-relayed-client.js';
export { locate, reportBetEvent, reportWithdrawalEvent, resend } from '../client/default-client.js';
export type { CallOptions, ClientEvent, ClientOptions } from '../client/options.js';
export type { LocateResult, RelayReceipt } from '../client/receipt.js';
export { type Environment, type ErrorCode, isReportingError, type ReportingError } from '../errors/errors.js';
export { type PlayerMessage, playerMessage } from '../errors/player-message.js';
export { locationPermission } from '../location/page/page.js';
export { fixedLocation } from '../location/source.js';
export { version } from '../platform/version.js';
export type { Location, LocationInput } from '../schema/location.js';
