// A bet and its report in one transaction, with `pg` (npm install pg): DATABASE_URL=postgres://… node examples/postgres/pg.js
import { createClient } from 'location-sdk';
import { createOutbox } from 'location-sdk/outbox';
import { postgresStore } from 'location-sdk/outbox/postgres';
import pg from 'pg';
import { clientOptions, databaseUrl, held, placed, settled, TABLE } from './bets.js';

const pool = new pg.Pool({ connectionString: databaseUrl });
// Without listeners a connection that breaks ends the process: an idle one tells the pool, one that is lent tells only itself.
pool.on('error', (error) => console.warn('a connection was lost:', error.message));
pool.on('connect', (client) => void client.on('error', () => {}));
const store = await postgresStore({ database: pool, listen: () => pool.connect() });
const outbox = createOutbox({ client: createClient(clientOptions()), store });

/** Commits what the work does, or nothing of it. @template T @param {(client: pg.PoolClient) => Promise<T>} work */
async function transaction(work) {
  const client = await pool.connect();
  let broken = false;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // A connection that cannot even take this is not used again, and the server rolls back by itself.
    await client.query('ROLLBACK').catch(() => {
      broken = true;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/** One statement for the bet and its report: the one that inserts the bet takes the report along. @param {string} id @param {number} stake */
async function place(id, stake) {
  const report = await outbox.prepare('reportBetEvent', placed(id, stake));
  await pool.query('INSERT INTO example_bets (id, stake) VALUES ($1, $2) RETURNING location_sdk.enqueue($3)', [id, stake, report.value]);
}

/** What is reported depends on what the first statement finds: the report has one of its own. @param {string} id @param {number} payout */
const settle = (id, payout) =>
  transaction(async (client) => {
    const { rows } = await client.query('UPDATE example_bets SET payout = $2 WHERE id = $1 AND payout IS NULL RETURNING stake', [id, payout]);
    if (!rows[0]) throw new Error(`${id} is not there, or is settled`);
    return outbox.within(client).reportSettledBet(settled(id, rows[0].stake, payout));
  });

await pool.query(TABLE);
outbox.start();

const id = `BET-${Date.now()}`;
await place(id, 1_500);
const { done } = await settle(id, 4_000);
await settle(id, 9_999).catch((error) => console.log(`the second settlement was rolled back, its report with it: ${error.message}`));
const { outcome } = await done;
console.log(`${id} is ${outcome}; the gateway holds ${held(id).join(', ')}`);

await outbox.stop();
await store.close?.();
await pool.end();
