import { SCHEMA, type SqliteDatabase } from './database.js';

const ATTACHED = 'location_sdk';

/**
 * Opens a file so that closing it gives its descriptors back at once. libsql keeps a file open until the last of its
 * statements is garbage-collected; a file that is attached to a database in memory is closed when it is detached. It is
 * attached when the connection is first used, so that a lock of others is waited for as with any other statement.
 */
export function openAttached(open: (file: string) => SqliteDatabase, file: string): SqliteDatabase {
  const database = open(':memory:');
  if (file === ':memory:') return database;
  let attached = false;

  function use(): SqliteDatabase {
    if (!attached) database.exec(`ATTACH DATABASE '${file.replaceAll("'", "''")}' AS ${ATTACHED}`);
    attached = true;
    return database;
  }

  const attachedDatabase = {
    [SCHEMA]: ATTACHED,
    exec: (sql: string) => use().exec(sql),
    prepare: (sql: string) => use().prepare(sql),
    get inTransaction() {
      return (database as { readonly inTransaction?: unknown }).inTransaction;
    },
    close() {
      try {
        if (attached) database.exec(`DETACH DATABASE ${ATTACHED}`);
      } finally {
        database.close();
      }
    },
  };
  return attachedDatabase;
}
