import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { openAttached } from './attached.js';
import { connect, type OpenDatabase, pragma, type SqliteDatabase, schemaOf } from './database.js';
import { SqliteStoreError, sqliteCodeOf, sqliteError } from './failure.js';
import { ensureSameLibrary } from './one-library.js';
import { migrate, readVersion } from './schema.js';

export type { OpenDatabase };

/** Above this the check of the whole file would hold up a start for seconds; what is damaged is then found when it is read. */
const MOST_CHECKED_BYTES = 256 * 1024 * 1024;
/** How long SQLite itself waits for a lock. It blocks the process, so the rest of the waiting is done by timers. */
const BLOCKING_WAIT_MS = 50;
const MOST_WAL_BYTES = 64 * 1024 * 1024;
const FULL = 2;

interface Library {
  /** Gives its constructor, or undefined where it is not installed, or this Node.js is older. A bundler leaves the import alone. */
  readonly load: () => Promise<unknown>;
  /** How a file is opened with it, if not by its constructor alone. */
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

/** The first library that is there; none is needed where a connection is given. */
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
 * Makes a file that only this user may read, since reports hold personal data. It gets its name once its descriptor is
 * closed: closing one later would drop the locks of another thread that has opened the file by then.
 */
function makeFile(file: string): void {
  const unnamed = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}.new`;
  closeSync(openSync(unnamed, 'wx', 0o600));
  try {
    linkSync(unnamed, file);
  } catch (error) {
    // With EEXIST another process or thread was faster; other codes come from file systems without links.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') closeSync(openSync(file, 'a', 0o600));
  } finally {
    rmSync(unnamed);
  }
  if (process.platform === 'win32') return;
  // Else the entry of the folder may be lost with the power, and the file with it.
  const folder = openSync(dirname(file), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/** Opens a file of its own, looks whether it is sound and known, and only then writes to it. */
export async function openFile(name: string, open?: OpenDatabase): Promise<{ database: SqliteDatabase; place: string }> {
  const openDatabase = open ?? (await findLibrary());
  if (name === ':memory:') return { database: openDatabase(name), place: name };
  // An absolute path is never taken for an address, as some libraries do with `file:` or `http:`.
  const file = resolve(name);
  if (!existsSync(file)) makeFile(file);
  ensureSameLibrary(openDatabase, file);
  return { database: openDatabase(file), place: file };
}

/** Makes a connection fit for the outbox; throws where it cannot be made so. Returns whether its commits outlive the process. */
export function prepareDatabase(database: SqliteDatabase, place: string, own: boolean): boolean {
  if (own) database.exec(`PRAGMA busy_timeout = ${BLOCKING_WAIT_MS}`);
  // The checks keep other tools from writing damage; a damaged row that is there already must not keep a store from opening.
  if (own) database.exec('PRAGMA ignore_check_constraints = ON');
  const version = readVersion(connect(database), place);
  const file = fileOf(database);
  if (own && version > 0 && file !== '' && statSync(file).size <= MOST_CHECKED_BYTES) {
    const found = pragma(database, 'quick_check(1)');
    if (found !== 'ok') throw sqliteError('corrupt', place);
  }
  if (own) pragma(database, `journal_size_limit = ${MOST_WAL_BYTES}`);
  // A body that is removed is overwritten, not only forgotten; its cost was not measured apart.
  if (own) pragma(database, 'secure_delete = ON');
  if (file !== '') {
    const mode = pragma(database, 'journal_mode = WAL');
    if (mode !== 'wal') throw sqliteError('unsafe', place, undefined, `: its journal_mode stays ${String(mode)}, expected wal`);
  }
  // Without it, macOS returns before the disk has it.
  database.exec('PRAGMA fullfsync = ON');
  ensureFull(database, place);
  migrate(database, place);
  return file !== '';
}

/** Makes each commit wait until the disk has it, and verifies that: within a transaction, say, the pragma does nothing. */
export function ensureFull(database: SqliteDatabase, place: string): void {
  if (Number(pragma(database, 'synchronous')) >= FULL) return;
  database.exec(`PRAGMA ${schemaOf(database)}.synchronous = FULL`);
  const level = Number(pragma(database, 'synchronous'));
  if (level < FULL) throw sqliteError('unsafe', place, undefined, `: PRAGMA synchronous stays ${level}, expected ${FULL} (FULL)`);
}

/**
 * Closes a connection. All is moved into the file first, as libsql does it only once its statements are collected. One whose
 * file was deleted, replaced or restored stays open until the process ends: closing it may write over what is there now.
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
    // Others are at it, or the disk is full: what is committed is in the -wal file, and is found there.
  }
  database.close();
}

/** The file of a connection; empty for one in memory, or a temporary one. */
export function fileOf(database: SqliteDatabase): string {
  const databases = connect(database).all('PRAGMA database_list');
  return String(databases.find(({ name }) => name === schemaOf(database))?.file ?? '');
}
