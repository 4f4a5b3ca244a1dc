import { SCHEMA, type SqliteDatabase } from './database.js';

const ATTACHED = 'location_sdk';

/**
 * Opens a file so that closing it releases its descriptors at once. libsql keeps a file open until the last of its
 * statements is garbage-collected, but closes a file that is detached from a database in memory. The file is attached at the
 * first use of the connection, so that a foreign lock is handled as for any other statement.
 */
export function openAttached(open: (file: string) => SqliteDatabase, file: string): SqliteDatabase {
  const database = open(':memory:');
  if (file === ':memory:') return database;
  let attached = false;

  /** Tries each encoding: a file can only be attached to a database of the same encoding, and cannot be read before. */
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
