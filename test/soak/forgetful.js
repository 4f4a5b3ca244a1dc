// Deletes the pauses and bindings of the soak's file again and again with plain SQL, while the workers run: like a
// backup from before them. It uses nothing of this package.
import { startLoop } from './loop.js';
import { sleep } from './random.js';

const library = await import('node:sqlite')
  .then(({ DatabaseSync }) => DatabaseSync)
  .catch(() => import('@photostructure/sqlite').then(({ DatabaseSync }) => DatabaseSync));
const [file = ''] = process.argv.slice(2);
const EVERY_MS = 700;

await startLoop(async () => {
  await sleep(EVERY_MS);
  const database = new library(file);
  try {
    database.exec(
      'PRAGMA busy_timeout = 1000; PRAGMA synchronous = FULL; DELETE FROM outbox_destinations; DELETE FROM outbox_breakers',
    );
  } finally {
    database.close();
  }
});
