// The operator's connection and transactions, shared by both processes.
import pg from 'pg';

export const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: 10,
  connectionTimeoutMillis: 5_000,
  query_timeout: 15_000, // a cut connection gives no error by itself
  keepAlive: true,
});
// Without both listeners, a connection that breaks ends the process.
pool.on('error', (error) => console.warn(error.message));
pool.on('connect', (client) => void client.on('error', () => {}));

export const db = {
  query: (text, values) => pool.query(text, values),

  async transaction(work) {
    const tx = await pool.connect();
    let broken = false;
    try {
      await tx.query('BEGIN');
      const result = await work(tx);
      await tx.query('COMMIT');
      return result;
    } catch (error) {
      await tx.query('ROLLBACK').catch(() => {
        broken = true; // the server rolls back by itself
      });
      throw error;
    } finally {
      tx.release(broken);
    }
  },
};
