// Opens a database, reads it and closes it properly, like the `sqlite3` shell. It does not use this package.
const library = await import('node:sqlite')
  .then(({ DatabaseSync }) => DatabaseSync)
  .catch(() => import('@photostructure/sqlite').then(({ DatabaseSync }) => DatabaseSync));

const [file = ''] = process.argv.slice(2);
const database = new library(file);
database.exec('SELECT count(*) FROM outbox_rows');
database.close();

export {};
