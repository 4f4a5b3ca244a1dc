// A process that reads the outbox of the soak again and again, like a status page in a separate process. It uses the
// built package.
import { sqliteStore } from 'location-sdk/outbox/sqlite';
import { startLoop } from './loop.js';

const [file = ''] = process.argv.slice(2);

await startLoop(async () => {
  const store = await sqliteStore({ file });
  await store.counts();
  await store.list({ limit: 20 });
  await store.close?.();
});
