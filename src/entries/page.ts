/**
 * For pages whose reports go through a relay: `location-sdk/page`. It contains no gateway, no key and no lookup
 * service. @module
 */
export { configure, createClient } from '../core/client/create-relayed-client.js';
export type { CallOptions, ClientEvent, PageOptions as ClientOptions } from '../core/client/options.js';
export {
  type PageClient as Client,
  reportBetEvent,
  reportWithdrawalEvent,
  resend,
} from '../core/client/page-functions.js';
export { locate } from '../core/client/page-locate.js';
export { type PostOnceOptions, type PostOnceResult, postOnce } from '../core/client/post-once.js';
export type { LocateResult, RelayReceipt } from '../core/client/receipt.js';
export { type Environment, type ErrorCode, isReportingError, type ReportingError } from '../core/errors/errors.js';
export { type PlayerMessage, type PlayerMessageOptions, playerMessage } from '../core/errors/player-message.js';
export { locationPermission } from '../core/location/page/page.js';
export { fixedLocation } from '../core/location/source.js';
export { version } from '../core/platform/version.js';
export type { Location, LocationInput } from '../core/schema/location.js';
