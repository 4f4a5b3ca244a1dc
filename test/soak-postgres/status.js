// A process that reads the outbox of the soak again and again, like a status page in a separate process. It uses the
// built package.
import { postgresStore } from 'location-sdk/outbox/postgres';
import pg from 'pg';
import { startLoop } from '../soak/loop.js';
import { isDisconnected } from './disconnected.js';

const [connectionString = ''] = process.argv.slice(2);

await startLoop(async () => {
  const pool = new pg.Pool({ connectionString, connectionTimeoutMillis: 3_000 });
  // A connection may be lost while no query runs.
  pool.on('error', () => {});
  try {
    const store = await postgresStore({ database: pool });
    await store.counts();
    await store.list({ limit: 20 });
    await store.close?.();
  } finally {
    await pool.end();
  }
}, isDisconnected);
