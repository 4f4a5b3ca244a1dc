/** An outbox's reports in PostgreSQL: `location-sdk/outbox/postgres`. @module */
export type { PostgresDatabase } from '../outbox/stores/postgres/driver.js';
export type { ListeningClient } from '../outbox/stores/postgres/listen.js';
export type { PostgresStoreOptions } from '../outbox/stores/postgres/options.js';
export { postgresMigrations } from '../outbox/stores/postgres/schema/migration.js';
export { postgresStore } from '../outbox/stores/postgres/store.js';
