// A bet and its report in one transaction, with Drizzle (npm install pg drizzle-orm): DATABASE_URL=postgres://… node
// examples/postgres/drizzle.js
import { and, eq, isNull, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import { createClient } from 'location-sdk';
import { createOutbox } from 'location-sdk/outbox';
import { postgresStore } from 'location-sdk/outbox/postgres';
import pg from 'pg';
import { clientOptions, databaseUrl, held, placed, settled, TABLE } from './bets.js';

const bets = pgTable('example_bets', { id: text().primaryKey(), stake: integer().notNull(), payout: integer() });

const pool = new pg.Pool({ connectionString: databaseUrl });
// Without listeners a connection that breaks ends the process: an idle one emits on the pool, one in use only on
// itself.
pool.on('error', (error) => console.warn('a connection was lost:', error.message));
pool.on('connect', (client) => void client.on('error', () => {}));
const db = drizzle(pool);
const store = await postgresStore({ database: pool, listen: () => pool.connect() });
const outbox = createOutbox({ client: createClient(clientOptions()), store });

/**
 * Drizzle binds values in its own way: each `$1` of a statement becomes one of its parameters.
 * @param {Pick<typeof db, 'execute'>} transaction
 */
const through = (transaction) => ({
  /** @param {string} statement @param {readonly (string | null)[]} values */
  query: async (statement, values) => {
    const parts = statement
      .split(/\$(\d+)/)
      .map((part, index) => (index % 2 ? sql`${values[Number(part) - 1]}` : sql.raw(part)));
    return transaction.execute(sql.join(parts));
  },
});

/** @param {string} id @param {number} stake */
const place = (id, stake) =>
  db.transaction(async (transaction) => {
    await transaction.insert(bets).values({ id, stake });
    return outbox.within(through(transaction)).reportBetEvent(placed(id, stake));
  });

/** @param {string} id @param {number} payout */
const settle = (id, payout) =>
  db.transaction(async (transaction) => {
    const [bet] = await transaction
      .update(bets)
      .set({ payout })
      .where(and(eq(bets.id, id), isNull(bets.payout)))
      .returning();
    if (!bet) throw new Error(`${id} does not exist, or is settled`);
    return outbox.within(through(transaction)).reportSettledBet(settled(id, bet.stake, payout));
  });

await pool.query(TABLE);
outbox.start();

const id = `BET-${Date.now()}`;
await place(id, 1_500);
const { done } = await settle(id, 4_000);
await settle(id, 9_999).catch((error) =>
  console.log(`the second settlement was rolled back, with its report: ${error.message}`),
);
const { outcome } = await done;
console.log(`${id} is ${outcome}; the gateway has ${held(id).join(', ')}`);

await outbox.stop();
await store.close?.();
await pool.end();
