import pg from 'pg';

export function openPool(): pg.Pool {
  const pool = new pg.Pool({
    connectionString: process.env.DATABASE_URL,
    max: 10,
    connectionTimeoutMillis: 5_000,
    query_timeout: 15_000,
    keepAlive: true,
  });
  // Without both listeners a connection that breaks ends the process.
  pool.on('error', (error) => console.warn('an idle connection was lost:', error.message));
  pool.on('connect', (client) => void client.on('error', () => {}));
  return pool;
}

/** Use your migrations instead. */
export const createTable = (pool: pg.Pool) =>
  pool.query(`
    CREATE TABLE IF NOT EXISTS bets (
      id text PRIMARY KEY, player text NOT NULL, key text NOT NULL, stake numeric NOT NULL, payout numeric,
      UNIQUE (player, key)
    )`);
