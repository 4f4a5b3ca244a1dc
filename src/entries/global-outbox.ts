/** Types of the global `LocationSDK` in pages that load `location-sdk.outbox.global.js`. This entry contains no code. @module */
import type { PageGlobal } from '../client/page-global-types.js';
import type { createOutbox } from '../outbox/create-page-outbox.js';
import type { indexedDbStore } from '../outbox/stores/indexeddb/store.js';

/** The global that `location-sdk.outbox.global.js` defines. */
export interface OutboxScriptTagGlobal extends PageGlobal {
  /** Makes an outbox, which retries after failures. */
  readonly createOutbox: typeof createOutbox;
  /** Opens the store of a player's reports in IndexedDB. */
  readonly indexedDbStore: typeof indexedDbStore;
}

declare global {
  /** The global of a page's script-tag files: each file's types add its members. */
  interface LocationSDKGlobal extends OutboxScriptTagGlobal {}
  /** The global that `location-sdk.outbox.global.js` defines. */
  var LocationSDK: LocationSDKGlobal;
}
