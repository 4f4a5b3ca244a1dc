import { postgresStore as openPostgres } from '../dist/outbox-postgres.js';
import { sqliteStore as openSqlite } from '../dist/outbox-sqlite.js';

// The types of the package leave the internal methods of a store out.

/** @typedef {import('../src/outbox/store/store.js').OutboxStore} OutboxStore */

export const postgresStore = /** @type {(...given: Parameters<typeof openPostgres>) => Promise<OutboxStore>} */ (
  openPostgres
);
export const sqliteStore = /** @type {(...given: Parameters<typeof openSqlite>) => Promise<OutboxStore>} */ (
  openSqlite
);
