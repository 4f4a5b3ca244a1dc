import { accessSync, constants, statSync } from 'node:fs';
import type { OutboxStore } from '../../outbox/store.js';
import { isNoDatabase, SqliteStoreError } from '../../outbox/stores/sqlite/failure.js';
import { findLibrary, type OpenDatabase } from '../../outbox/stores/sqlite/open.js';
import { holdsOutbox } from '../../outbox/stores/sqlite/schema.js';
import { sqliteStore } from '../../outbox/stores/sqlite/store.js';
import { EXIT, Failure } from '../output.js';

/** The time to wait for a lock of another process. */
const BUSY_MS = 5_000;
/** Failures that may pass, by themselves or after a person frees space. */
const MAY_PASS: readonly string[] = ['busy', 'full', 'io'];

/** Opens the file of an outbox. Creates no file, and does not change a file that is not an outbox. */
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
    throw new Failure(`${file} is a SQLite database without an outbox in it; it was not changed`);
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

const noDatabase = (file: string): string => `${file} is not a SQLite database; it was not changed`;

/** Checks the file first, since SQLite would create a missing one. */
export function ensureDatabase(file: string): void {
  if (/:\/\/|password=/i.test(file)) throw new Failure('the first word must be the path of a file, or an address that begins with postgres://');
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) throw new Failure(`there is no file ${file}; give the file of the outbox's sqliteStore`);
  if (!found.isFile()) throw new Failure(`${file} is not a regular file; give the file of the outbox's sqliteStore`);
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw new Failure(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
  // SQLite treats an empty file as a new database.
  if (found.size === 0) throw new Failure(noDatabase(file));
}
