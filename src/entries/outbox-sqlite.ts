/** An outbox's reports in a SQLite file: `location-sdk/outbox/sqlite`. @module */
export type { SqliteDatabase } from '../outbox/stores/sqlite/database.js';
export type { SqliteStoreOptions } from '../outbox/stores/sqlite/options.js';
export { sqliteStore } from '../outbox/stores/sqlite/store.js';
