/** The outbox's store for pages: `location-sdk/outbox/indexeddb`. @module */
export type { IndexedDbStoreOptions } from '../outbox/stores/indexeddb/options.js';
export { indexedDbStore } from '../outbox/stores/indexeddb/store.js';
