/** Types of the global `LocationSDK` in pages that load `location-sdk.global.js`. This entry contains no code. @module */
import type { PageGlobal } from '../client/page-global-types.js';
import type { freeipapi } from '../location/providers/freeipapi.js';
import type { geojs } from '../location/providers/geojs.js';
import type { ipapiCo } from '../location/providers/ipapi-co.js';

/** The global that `location-sdk.global.js` defines. */
export interface ScriptTagGlobal extends PageGlobal {
  /** The lookup service freeipapi. */
  readonly freeipapi: typeof freeipapi;
  /** The lookup service GeoJS. */
  readonly geojs: typeof geojs;
  /** The lookup service ipapi.co. */
  readonly ipapiCo: typeof ipapiCo;
}

declare global {
  /** The global of a page's script-tag files: each file's types add its members. */
  interface LocationSDKGlobal extends ScriptTagGlobal {}
  /** The global that `location-sdk.global.js` defines. */
  var LocationSDK: LocationSDKGlobal;
}
