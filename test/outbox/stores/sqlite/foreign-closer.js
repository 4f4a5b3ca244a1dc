// Opens a database, reads it and closes it properly, like the `sqlite3` shell. It does not use this package.
const library = await import('node:sqlite').then(({ DatabaseSync }) => DatabaseSync).catch(() => import('libsql').then(({ default: Database }) => Database));

const [file = ''] = process.argv.slice(2);
const database = new library(file);
// Without a prepared statement, which libsql would keep.
database.exec('SELECT count(*) FROM outbox_rows');
database.close();

export {};
