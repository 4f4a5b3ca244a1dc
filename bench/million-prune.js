// Prunes reports older than 400 days on request, and returns their number.
import pg from 'pg';
import { createOutbox } from '../dist/outbox.js';
import { postgresStore } from '../dist/outbox-postgres.js';
import { clientOf, NOWHERE } from './reports.js';

const pool = new pg.Pool({ connectionString: process.argv[2], max: 1 });
const outbox = createOutbox({ client: await clientOf(NOWHERE), store: await postgresStore({ database: pool }) });
process.once('message', async () => {
  const { pruned } = await outbox.prune({ olderThanDays: 400, keepReceipts: true });
  await pool.end();
  process.send?.(pruned);
});
process.send?.('ready');
