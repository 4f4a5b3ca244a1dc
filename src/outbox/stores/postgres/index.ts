/** An outbox's reports in PostgreSQL: `location-sdk/outbox/postgres`. @module */
export type { PostgresDatabase, PostgresValue } from './database.js';
export { PostgresStoreError, type PostgresStoreErrorCode } from './failure.js';
export type { ListeningClient } from './listen.js';
export type { PostgresStoreOptions } from './options.js';
export { postgresMigrations } from './schema.js';
export { postgresStore } from './store.js';
