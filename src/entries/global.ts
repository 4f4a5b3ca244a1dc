/** Types of the global `LocationSDK` in pages that load `location-sdk.global.js`; no code is in it. @module */
import type { PageGlobal } from '../client/page-global-types.js';
import type { freeipapi } from '../location/providers/freeipapi.js';
import type { geojs } from '../location/providers/geojs.js';
import type { ipapiCo } from '../location/providers/ipapi-co.js';

/** What `location-sdk.global.js` puts on the global object. */
export interface ScriptTagGlobal extends PageGlobal {
  /** The lookup service freeipapi. */
  readonly freeipapi: typeof freeipapi;
  /** The lookup service GeoJS. */
  readonly geojs: typeof geojs;
  /** The lookup service ipapi.co. */
  readonly ipapiCo: typeof ipapiCo;
}

declare global {
  /** What the script-tag files of the page put on the global object: each file's types add its members. */
  interface LocationSDKGlobal extends ScriptTagGlobal {}
  /** What `location-sdk.global.js` puts on the global object. */
  var LocationSDK: LocationSDKGlobal;
}
