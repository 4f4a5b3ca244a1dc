// The operator's own tables, and one transaction over them: shared by both processes.
import pg from 'pg';

export const databaseUrl = process.env.DATABASE_URL ?? '';
if (databaseUrl === '') {
  console.error('Set the address of PostgreSQL, for example DATABASE_URL=postgres://bets:bets@127.0.0.1:5432/bets');
  process.exit(2);
}

export const pool = new pg.Pool({
  connectionString: databaseUrl,
  max: 10,
  connectionTimeoutMillis: 5_000,
  query_timeout: 15_000, // a cut connection gives no error by itself
  keepAlive: true,
});
// Without both listeners a connection that breaks ends the process.
pool.on('error', (error) => console.warn('an idle connection was lost:', error.message));
pool.on('connect', (client) => void client.on('error', () => {}));

/** Your migrations do this. The lock lets several processes begin at once on an empty database. */
export const createTables = () =>
  transaction(async (client) => {
    await client.query('SELECT pg_advisory_xact_lock(4711)');
    await client.query(`
      CREATE TABLE IF NOT EXISTS bets (
        id text PRIMARY KEY, player text NOT NULL, key text NOT NULL, stake numeric NOT NULL, payout numeric,
        UNIQUE (player, key)
      );
      CREATE TABLE IF NOT EXISTS withdrawals (
        id text PRIMARY KEY, player text NOT NULL, key text NOT NULL, amount numeric NOT NULL, status text,
        UNIQUE (player, key)
      )`);
  });

/** Commits all of the work, or none of it. @template T @param {(client: pg.PoolClient) => Promise<T>} work */
export async function transaction(work) {
  const client = await pool.connect();
  let broken = false;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {
      broken = true; // the server rolls back by itself
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
