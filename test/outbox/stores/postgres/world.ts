import pg from 'pg';
import { inject } from 'vitest';
import type { OutboxStore } from '../../../../src/entries/outbox.js';
import { type PostgresStoreOptions, postgresStore } from '../../../../src/entries/outbox-postgres.js';
import type { Damage } from '../../contract/harness.js';

/** One pool for the tests of a process. It ends with the process. */
export const pool = new pg.Pool({ connectionString: inject('postgresUrl'), max: 24, allowExitOnIdle: true });

/** Whether the tests reach the server through PgBouncer in transaction mode. */
export const isPooled = inject('postgresUrl') !== inject('directPostgresUrl');

const reasons = new Set<string>();

/**
 * The address of the server itself, for a session that must keep its connection. Prints the reason once if the other
 * tests use a pooler.
 */
export function directUrl(why: string): string {
  if (isPooled && !reasons.has(why)) process.stderr.write(`Not through PgBouncer: ${why}.\n`);
  reasons.add(why);
  return inject('directPostgresUrl');
}

/** A listening client that connects to the server itself, as the guide says. */
export async function connectListener(): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: directUrl(
      'the connection that listens, since a pooler in transaction mode passes on no notification',
    ),
  });
  await client.connect();
  return client;
}

/** A pause of a destination that was never paused. */
export const FIRST_PAUSE = {
  account: 'default',
  environment: 'staging',
  version: 0,
  reason: 'unavailable',
  message: 'x',
  strikes: 1,
  forMs: 9,
  continues: false,
  repeats: false,
} as const;

let schemas = 0;

/** The name of a new schema. */
export function newSchema(): string {
  schemas += 1;
  return `outbox_${process.pid}_${schemas}`;
}

export const openStore = (options: Partial<PostgresStoreOptions> = {}): Promise<OutboxStore> =>
  postgresStore({ database: pool, schema: newSchema(), ...options });

/** Moves the clock of a schema forward: it makes stored times older. */
export async function advance(schema: string, milliseconds: number): Promise<void> {
  const by = Math.round(milliseconds);
  await pool.query(
    `UPDATE ${schema}.queue SET due_at = CASE WHEN due_at > 0 THEN due_at - ${by} ELSE due_at END, changed_at = changed_at - ${by}`,
  );
  await pool.query(
    `UPDATE ${schema}.reports SET enqueued_at = enqueued_at - ${by}, due_at = due_at - ${by}, changed_at = changed_at - ${by}`,
  );
  for (const table of ['destinations', 'breakers'])
    await pool.query(
      `UPDATE ${schema}.${table} SET tried_at = tried_at - ${by}, since = since - ${by}, until = until - ${by}`,
    );
  await pool.query(
    `UPDATE ${schema}.destinations SET rate_since = rate_since - ${by}, next_slot = greatest(0, next_slot - ${by} * 1000::bigint)`,
  );
}

/** Values that no store writes, for the columns whose type accepts them. */
const SPOILED = {
  account: "UPDATE :reports SET account = 'dhfault' WHERE id = $1",
  environment: "UPDATE :reports SET environment = 'stbging' WHERE id = $1",
  operation: "UPDATE :reports SET operation = 'reporuBetEvent' WHERE id = $1",
  reference: "UPDATE :reports SET reference = 'other' WHERE id = $1",
  waitsFor: "UPDATE :reports SET waits_for = 'other' WHERE id = $1",
  outcome: "UPDATE :reports SET outcome = 'recordee' WHERE id = $1",
  problem: "UPDATE :queue SET problem = '[]' WHERE sequence = (SELECT sequence FROM :reports WHERE id = $1)",
  decisions: "UPDATE :queue SET decisions = '5' WHERE sequence = (SELECT sequence FROM :reports WHERE id = $1)",
} as const;

/** Writes values that the database's triggers refuse, like a failing disk. */
const unchecked = (text: string, values: string[]): Promise<void> =>
  within(async (client) => {
    await client.query('SET LOCAL session_replication_role = replica');
    await client.query(text, values);
  });

/** Damages parts of the rows of a schema. */
export const damageIn = (schema: string): Damage => ({
  parts: Object.keys(SPOILED) as (keyof typeof SPOILED)[],
  async spoil(id, part) {
    await unchecked(SPOILED[part as keyof typeof SPOILED].replace(/:(\w+)/g, `${schema}.$1`), [id]);
  },
  async replace(id, part, text) {
    await unchecked(`UPDATE ${schema}.reports SET ${part} = $2 WHERE id = $1`, [id, text]);
  },
});

/** Runs work in a transaction on its own connection, like a user of the store. */
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
