// Opens a database, reads it and closes it properly, as the `sqlite3` shell does. It knows nothing of this package.
const library = await import('node:sqlite').then(({ DatabaseSync }) => DatabaseSync).catch(() => import('libsql').then(({ default: Database }) => Database));

const [file = ''] = process.argv.slice(2);
const database = new library(file);
// Without a statement, which libsql would keep.
database.exec('SELECT count(*) FROM outbox_rows');
database.close();

export {};
