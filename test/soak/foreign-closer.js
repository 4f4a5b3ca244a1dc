// Opens the file of the soak, reads it and closes it properly, again and again, like the `sqlite3` shell. It uses
// nothing of this package.
import { startLoop } from './loop.js';

const library = await import('node:sqlite')
  .then(({ DatabaseSync }) => DatabaseSync)
  .catch(() => import('@photostructure/sqlite').then(({ DatabaseSync }) => DatabaseSync));
const [file = ''] = process.argv.slice(2);

await startLoop(async () => {
  const database = new library(file);
  try {
    database.exec('PRAGMA busy_timeout = 1000; SELECT count(*) FROM outbox_rows');
  } finally {
    database.close();
  }
});
