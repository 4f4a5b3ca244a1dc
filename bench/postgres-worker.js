// One of the workers that share an outbox in PostgreSQL: it sends until it is told to stop.
import pg from 'pg';
import { createOutbox } from '../dist/outbox.js';
import { postgresStore } from '../dist/outbox-postgres.js';
import { clientOf } from './reports.js';

const [url = '', schema = '', gateway = '', concurrency = '8'] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 4 });
// One that the server ends while it is closing would end this process.
pool.on('error', () => {});
const store = await postgresStore({ database: pool, schema, listen: () => pool.connect() });
const outbox = createOutbox({ client: await clientOf(gateway), store, concurrency: Number(concurrency) });
process.once('message', () => outbox.start());
process.once('SIGTERM', async () => {
  await outbox.stop();
  await store.close?.();
  await pool.end();
  process.disconnect?.();
});
process.send?.('ready');
