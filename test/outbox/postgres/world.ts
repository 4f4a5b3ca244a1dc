import pg from 'pg';
import { afterAll, inject } from 'vitest';
import type { OutboxStore } from '../../../src/outbox/index.js';
import { type PostgresStoreOptions, postgresStore } from '../../../src/outbox/stores/postgres/index.js';

/** One pool for the tests of a file. */
export const pool = new pg.Pool({ connectionString: inject('postgresUrl'), max: 24 });
afterAll(() => pool.end());

let schemas = 0;

/** A schema that is not there yet. */
export function newSchema(): string {
  schemas += 1;
  return `outbox_${process.pid}_${schemas}`;
}

export const openStore = (options: Partial<PostgresStoreOptions> = {}): Promise<OutboxStore> =>
  postgresStore({ database: pool, schema: newSchema(), ...options });

/** Lets the time of a schema go on: what is stored becomes older. */
export async function advance(schema: string, milliseconds: number): Promise<void> {
  const by = Math.round(milliseconds);
  await pool.query(`UPDATE ${schema}.queue SET due_at = due_at - ${by}, changed_at = changed_at - ${by}`);
  await pool.query(`UPDATE ${schema}.reports SET enqueued_at = enqueued_at - ${by}, due_at = due_at - ${by}, changed_at = changed_at - ${by}`);
  await pool.query(`UPDATE ${schema}.destinations SET since = since - ${by}, until = until - ${by}`);
}

/** Runs work in a transaction of its own connection, as a user of the store does. */
export async function within<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
