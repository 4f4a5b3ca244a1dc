/** Types of the global `LocationSDK` in pages that load `location-sdk.outbox.global.js`; no code is in it. @module */
import type { PageGlobal } from '../client/page-global-types.js';
import type { createOutbox } from '../outbox/create-page-outbox.js';
import type { indexedDbStore } from '../outbox/stores/indexeddb/store.js';

/** What `location-sdk.outbox.global.js` puts on the global object. */
export interface OutboxScriptTagGlobal extends PageGlobal {
  /** Makes an outbox, which sends again after failures. */
  readonly createOutbox: typeof createOutbox;
  /** Opens the store of a player's reports in IndexedDB. */
  readonly indexedDbStore: typeof indexedDbStore;
}

declare global {
  /** What the script-tag files of the page put on the global object: each file's types add its members. */
  interface LocationSDKGlobal extends OutboxScriptTagGlobal {}
  /** What `location-sdk.outbox.global.js` puts on the global object. */
  var LocationSDK: LocationSDKGlobal;
}
