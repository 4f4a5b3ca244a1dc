/** Types of the global `LocationSDK` in pages that load `location-sdk.global.js`; no code is in it. @module */
import type { PageGlobal } from '../client/page-global.js';
import type * as sdk from './index.js';

/** What `location-sdk.global.js` puts on the global object. */
export type ScriptTagGlobal = Pick<typeof sdk, keyof PageGlobal | 'freeipapi' | 'geojs' | 'ipapiCo'>;

declare global {
  /** What the script-tag files of the page put on the global object: each file's types add its members. */
  interface LocationSDKGlobal extends ScriptTagGlobal {}
  /** What `location-sdk.global.js` puts on the global object. */
  var LocationSDK: LocationSDKGlobal;
}
