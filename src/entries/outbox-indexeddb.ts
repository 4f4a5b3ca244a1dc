/** The outbox's store for pages: `location-sdk/outbox/indexeddb`. @module */
export type { IndexedDbError, IndexedDbProblem } from '../outbox/stores/indexeddb/failure.js';
export type { IndexedDbStoreOptions } from '../outbox/stores/indexeddb/options.js';
export { indexedDbStore } from '../outbox/stores/indexeddb/store.js';
