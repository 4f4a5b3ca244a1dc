/** Types of the global `LocationSDK` in pages that load `location-sdk.relay.global.js`; no code is in it. @module */
import type { PageGlobal } from '../client/page-global-types.js';

/** What `location-sdk.relay.global.js` puts on the global object. */
export interface RelayScriptTagGlobal extends PageGlobal {}

declare global {
  /** What the script-tag files of the page put on the global object: each file's types add its members. */
  interface LocationSDKGlobal extends RelayScriptTagGlobal {}
  /** What `location-sdk.relay.global.js` puts on the global object. */
  var LocationSDK: LocationSDKGlobal;
}
