/**
 * Types of the global `LocationSDK` in pages that load one of the script-tag files. This entry contains no code. @module
 */
import type { PageGlobal } from '../core/client/page-global.js';
import type { freeipapi, geojs, ipapiCo } from '../core/location/providers/free-services.js';
import type { createOutbox } from '../outbox/create-page-outbox.js';
import type { indexedDbStore } from '../outbox/stores/indexeddb/store.js';

/**
 * The global that the script-tag files define. Some members are in one of the files only.
 * `location-sdk.locate.global.js` has `locate`, `postOnce`, `locationPermission`, `isReportingError`, `unsupported` and
 * `version`, no other member.
 */
export interface ScriptTagGlobal extends PageGlobal {
  /** The lookup service freeipapi. Only in `location-sdk.global.js`. */
  readonly freeipapi: typeof freeipapi;
  /** The lookup service GeoJS. Only in `location-sdk.global.js`. */
  readonly geojs: typeof geojs;
  /** The lookup service ipapi.co. Only in `location-sdk.global.js`. */
  readonly ipapiCo: typeof ipapiCo;
  /** Makes an outbox, which retries after failures. Only in `location-sdk.outbox.global.js`. */
  readonly createOutbox: typeof createOutbox;
  /** Opens the store of a player's reports in IndexedDB. Only in `location-sdk.outbox.global.js`. */
  readonly indexedDbStore: typeof indexedDbStore;
}

declare global {
  /** The global of a page's script-tag file. */
  var LocationSDK: ScriptTagGlobal;
}
