/** Types of the global `LocationSDK` in pages that load `location-sdk.outbox.global.js`; no code is in it. @module */
import type { PageGlobal } from '../client/page-global.js';
import type * as sdk from './index.js';
import type * as outbox from './outbox.js';
import type * as indexedDb from './outbox-indexeddb.js';

/** What `location-sdk.outbox.global.js` puts on the global object. */
export type OutboxScriptTagGlobal = Pick<typeof sdk, keyof PageGlobal> & Pick<typeof outbox, 'createOutbox'> & Pick<typeof indexedDb, 'indexedDbStore'>;

declare global {
  /** What the script-tag files of the page put on the global object: each file's types add its members. */
  interface LocationSDKGlobal extends OutboxScriptTagGlobal {}
  /** What `location-sdk.outbox.global.js` puts on the global object. */
  var LocationSDK: LocationSDKGlobal;
}
