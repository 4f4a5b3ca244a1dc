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

  /** A file is attached to a database of the same encoding only, and tells its own only then. */
  function attach([next, ...others]: readonly string[]): void {
    try {
      database.exec(`ATTACH DATABASE '${file.replaceAll("'", "''")}' AS ${ATTACHED}`);
    } catch (error) {
      if (next === undefined || !String(error).includes('same text encoding')) throw error;
      database.exec(`PRAGMA encoding = '${next}'`);
      attach(others);
    }
  }

  function use(): SqliteDatabase {
    if (!attached) attach(['UTF-16le', 'UTF-16be']);
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
