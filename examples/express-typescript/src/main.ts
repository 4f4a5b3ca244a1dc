import { stopOnSignals } from 'location-sdk/node';
import { createApp } from './app.js';
import { createTable, openPool } from './database.js';
import { startReporting } from './reporting.js';
import { tracing } from './telemetry.js';

const pool = openPool();
await createTable(pool);
const { outbox, store } = await startReporting(pool);
const port = Number(process.env.PORT ?? 3000);
const server = createApp(pool, outbox).listen(port, () => console.log(`listening on http://localhost:${port}`));

// At SIGTERM: first stop requests, then attempts, then the database.
stopOnSignals(outbox, {
  timeoutMs: 25_000,
  beforeStop: () => new Promise((resolve) => server.close(resolve)),
  afterStop: async () => {
    await store.close?.();
    await pool.end();
    await tracing.shutdown();
    console.log('stopped');
  },
});
