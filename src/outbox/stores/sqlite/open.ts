import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { openAttached } from './attached.js';
import { isSound } from './damage.js';
import { connect, fileOf, type OpenDatabase, pragma, type SqliteDatabase, schemaOf } from './database.js';
import { SqliteStoreError, sqliteCodeOf, sqliteError } from './failure.js';
import { ensureSameLibrary } from './one-library.js';
import { migrate, readVersion } from './schema.js';

export type { OpenDatabase };

/** The time for which SQLite itself waits for a lock. It blocks the process, so timers do the rest of the wait. */
const BLOCKING_WAIT_MS = 50;
const MOST_WAL_BYTES = 64 * 1024 * 1024;
const FULL = 2;

interface Library {
  /** Loads the constructor. Undefined if the library is not installed or Node.js is too old. The comments keep bundlers from resolving it. */
  readonly load: () => Promise<unknown>;
  /** Opens a file, if the constructor alone is not enough. */
  readonly open?: (openDatabase: OpenDatabase, file: string) => SqliteDatabase;
}

const LIBRARIES: readonly Library[] = [
  {
    load: () => import(/* webpackIgnore: true */ /* @vite-ignore */ 'node:sqlite').then(({ DatabaseSync }) => DatabaseSync).catch(() => undefined),
  },
  {
    load: () => import(/* webpackIgnore: true */ /* @vite-ignore */ 'libsql').then((library) => library.default).catch(() => undefined),
    open: openAttached,
  },
  {
    load: () => import(/* webpackIgnore: true */ /* @vite-ignore */ 'better-sqlite3').then((library) => library.default).catch(() => undefined),
  },
];

/** Finds the first installed library. */
export async function findLibrary(): Promise<OpenDatabase> {
  for (const { load, open } of LIBRARIES) {
    const Database = await load();
    if (typeof Database !== 'function') continue;
    const construct = (file: string) => new (Database as new (name: string) => SqliteDatabase)(file);
    return open ? (file) => open(construct, file) : construct;
  }
  throw new SqliteStoreError(
    'unavailable',
    'There is no SQLite here: use Node.js 22.13 or newer, or npm install libsql (or better-sqlite3). No file was opened.',
  );
}

/**
 * Makes a file that only this user may read, since reports contain personal data. The file gets its name after its descriptor
 * is closed. Closing it later would drop the locks of another thread that has opened the file in the meantime.
 */
function makeFile(file: string): void {
  const unnamed = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}.new`;
  closeSync(openSync(unnamed, 'wx', 0o600));
  try {
    linkSync(unnamed, file);
  } catch (error) {
    // EEXIST: another process or thread was faster. Other codes come from file systems without links.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') closeSync(openSync(file, 'a', 0o600));
  } finally {
    rmSync(unnamed);
  }
  if (process.platform === 'win32') return;
  // Otherwise a power loss may remove the entry from the folder, and so the file.
  const folder = openSync(dirname(file), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/** Opens a file. Makes it first if it does not exist. */
export async function openFile(name: string, open?: OpenDatabase): Promise<{ database: SqliteDatabase; place: string }> {
  const openDatabase = open ?? (await findLibrary());
  if (name === ':memory:') return { database: openDatabase(name), place: name };
  // Some libraries read `file:` or `http:` as an address, but never an absolute path.
  const file = resolve(name);
  if (!existsSync(file)) makeFile(file);
  ensureSameLibrary(openDatabase, file);
  return { database: openDatabase(file), place: file };
}

/** Checks and configures a connection. Throws if it is not suitable. Returns whether its commits outlive the process. */
export function prepareDatabase(database: SqliteDatabase, place: string, own: boolean): boolean {
  if (own) database.exec(`PRAGMA busy_timeout = ${BLOCKING_WAIT_MS}`);
  // The constraints stop other tools from writing damage. They must not stop the store, which quarantines damaged rows.
  if (own) database.exec('PRAGMA ignore_check_constraints = ON');
  if (readVersion(connect(database), place) > 0 && own && isSound(connect(database), own) === false) throw sqliteError('corrupt', place);
  const file = fileOf(database);
  if (own) pragma(database, `journal_size_limit = ${MOST_WAL_BYTES}`);
  // Deleted bodies are overwritten with zeros.
  if (own) pragma(database, 'secure_delete = ON');
  if (file !== '') {
    const mode = pragma(database, 'journal_mode = WAL');
    if (mode !== 'wal') throw sqliteError('unsafe', place, undefined, `: its journal_mode stays ${String(mode)}, expected wal`);
  }
  // Without it, macOS returns before the data is on the disk.
  database.exec('PRAGMA fullfsync = ON');
  ensureFull(database, place);
  migrate(database, place);
  return file !== '';
}

/** Makes each commit wait for the disk, and verifies the setting, since the pragma has no effect within a transaction. */
export function ensureFull(database: SqliteDatabase, place: string): void {
  if (Number(pragma(database, 'synchronous')) >= FULL) return;
  database.exec(`PRAGMA ${schemaOf(database)}.synchronous = FULL`);
  const level = Number(pragma(database, 'synchronous'));
  if (level < FULL) throw sqliteError('unsafe', place, undefined, `: PRAGMA synchronous stays ${level}, expected ${FULL} (FULL)`);
}

/**
 * Closes a connection. It runs a checkpoint first, since libsql does so only after garbage collection. If the file was deleted,
 * replaced or restored, the connection stays open until the process ends, since closing it may overwrite the new file.
 */
export function closeFile(database: SqliteDatabase, ensureLive: () => void): void {
  try {
    ensureLive();
  } catch (error) {
    if (['replaced', 'restored'].includes(sqliteCodeOf(error))) return;
    throw error;
  }
  try {
    pragma(database, 'wal_checkpoint(TRUNCATE)');
  } catch {
    // Others use the file, or the disk is full. The commits are in the -wal file, and SQLite finds them there.
  }
  database.close();
}
