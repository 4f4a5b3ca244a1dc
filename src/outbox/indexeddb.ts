/** The outbox's store for pages: `location-sdk/outbox/indexeddb`. @module */
export type { IndexedDbError, IndexedDbProblem } from './stores/indexeddb/failure.js';
export type { ChannelLike, IndexedDbPlatform, IndexedDbStoreOptions } from './stores/indexeddb/options.js';
export { indexedDbStore } from './stores/indexeddb/store.js';
