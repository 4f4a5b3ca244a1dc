/** An outbox's reports in a SQLite file: `location-sdk/outbox/sqlite`. @module */
export type { SqliteDatabase } from './database.js';
export { SqliteStoreError, type SqliteStoreErrorCode } from './failure.js';
export { type SqliteStoreOptions, sqliteStore } from './store.js';
