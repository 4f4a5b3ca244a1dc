/** Types of the global `LocationSDK` in pages that load `location-sdk.relay.global.js`. This entry contains no code. @module */
import type { PageGlobal } from '../client/page-global-types.js';

/** The global that `location-sdk.relay.global.js` defines. */
export interface RelayScriptTagGlobal extends PageGlobal {}

declare global {
  /** The global of a page's script-tag files: each file's types add its members. */
  interface LocationSDKGlobal extends RelayScriptTagGlobal {}
  /** The global that `location-sdk.relay.global.js` defines. */
  var LocationSDK: LocationSDKGlobal;
}
