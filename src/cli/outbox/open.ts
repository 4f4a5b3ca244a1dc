import { accessSync, constants, statSync } from 'node:fs';
import type { OutboxStore } from '../../outbox/store.js';
import { isNoDatabase, SqliteStoreError } from '../../outbox/stores/sqlite/failure.js';
import { findLibrary, type OpenDatabase } from '../../outbox/stores/sqlite/open.js';
import { holdsOutbox } from '../../outbox/stores/sqlite/schema.js';
import { sqliteStore } from '../../outbox/stores/sqlite/store.js';
import { EXIT, Failure } from '../output.js';

/** How long others may hold the file. */
const BUSY_MS = 5_000;
/** What passes by itself, or once somebody made room. */
const MAY_PASS: readonly string[] = ['busy', 'full', 'io'];

/** Opens the file of an outbox. One that is none is left as it is, and none is made. */
export async function openOutboxFile(file: string): Promise<OutboxStore> {
  ensureDatabase(file);
  const open = await library();
  const openKnown: OpenDatabase = (path) => {
    const database = open(path);
    try {
      // The store asks an empty database in memory for the version of SQLite if this process has the file open already.
      if (path === ':memory:' || holdsOutbox(database)) return database;
    } catch (error) {
      if (isNoDatabase(error)) throw new Failure(noDatabase(file));
      throw error;
    }
    database.close();
    throw new Failure(`${file} is a SQLite database without an outbox in it; it is left as it is`);
  };
  try {
    return await sqliteStore({ file, open: openKnown, busyTimeoutMs: BUSY_MS });
  } catch (error) {
    if (!(error instanceof SqliteStoreError)) throw error;
    if (error.cause instanceof Failure) throw error.cause;
    throw new Failure(error.message, MAY_PASS.includes(error.code) ? EXIT.failed : EXIT.usage);
  }
}

/** The library that opens a file. */
export async function library(): Promise<OpenDatabase> {
  try {
    return await findLibrary();
  } catch {
    throw new Failure(`Node.js ${process.version} cannot read SQLite files: use 22.13 or newer, or npm install libsql (or better-sqlite3) beside location-sdk`);
  }
}

const noDatabase = (file: string): string => `${file} is no SQLite database; it is left as it is`;

/** Looks before SQLite does, which would make what is not there. */
export function ensureDatabase(file: string): void {
  if (/:\/\/|password=/i.test(file)) throw new Failure('the first word must be the path of a file, or an address that begins with postgres://');
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) throw new Failure(`there is no file ${file}; give the one that the outbox's sqliteStore has`);
  if (!found.isFile()) throw new Failure(`${file} is no plain file; give the one that the outbox's sqliteStore has`);
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw new Failure(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
  // SQLite takes an empty file for a new database.
  if (found.size === 0) throw new Failure(noDatabase(file));
}
