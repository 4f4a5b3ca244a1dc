// A bet and its report in one transaction, with `pg` (npm install pg): DATABASE_URL=postgres://… node
// examples/postgres/pg.js
import { createClient } from 'location-sdk';
import { createOutbox } from 'location-sdk/outbox';
import { postgresStore } from 'location-sdk/outbox/postgres';
import pg from 'pg';
import { clientOptions, databaseUrl, held, placed, settled, TABLE } from './bets.js';

const pool = new pg.Pool({ connectionString: databaseUrl });
// Without listeners a connection that breaks ends the process: an idle one emits on the pool, one in use only on
// itself.
pool.on('error', (error) => console.warn('a connection was lost:', error.message));
pool.on('connect', (client) => void client.on('error', () => {}));
const store = await postgresStore({ database: pool, listen: () => pool.connect() });
const outbox = createOutbox({ client: createClient(clientOptions()), store });

/** Commits all of the work, or none of it. @template T @param {(client: pg.PoolClient) => Promise<T>} work */
async function transaction(work) {
  const client = await pool.connect();
  let broken = false;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // A connection that cannot even do this is not reused, and the server rolls back by itself.
    await client.query('ROLLBACK').catch(() => {
      broken = true;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/**
 * One statement for the bet and its report: the statement that inserts the bet also enqueues the report.
 * @param {string} id
 * @param {number} stake
 */
async function place(id, stake) {
  const report = await outbox.prepare('reportBetEvent', placed(id, stake));
  await pool.query('INSERT INTO example_bets (id, stake) VALUES ($1, $2) RETURNING location_sdk.enqueue($3)', [
    id,
    stake,
    report.value,
  ]);
}

/**
 * The report depends on the result of the first statement, so it has its own statement.
 * @param {string} id
 * @param {number} payout
 */
const settle = (id, payout) =>
  transaction(async (client) => {
    const { rows } = await client.query(
      'UPDATE example_bets SET payout = $2 WHERE id = $1 AND payout IS NULL RETURNING stake',
      [id, payout],
    );
    if (!rows[0]) throw new Error(`${id} does not exist, or is settled`);
    return outbox.within(client).reportSettledBet(settled(id, rows[0].stake, payout));
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
