import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { StoreError } from '../../../core/errors/store-error.js';
import { asRecord } from '../../../core/platform/as-record.js';
import {
  connect,
  ensureReadable,
  fileOf,
  isOutsideTransaction,
  type OpenDatabase,
  pragma,
  SCHEMA,
  type SqliteDatabase,
  schemaOf,
} from './database.js';
import { sqliteCodeOf, sqliteError } from './failure.js';
import { ensureSameLibrary, isSound } from './file-checks.js';
import { createTables, readVersion } from './schema.js';

/** The time for which SQLite itself waits for a lock. It blocks the process, so timers do the rest of the wait. */
const BLOCKING_WAIT_MS = 50;
const MOST_WAL_BYTES = 64 * 1024 * 1024;
const FULL = 2;
/** A larger file is not checked, since that would block the process for more than a few seconds. */
const MOST_CHECKED_BYTES = 256 * 1024 * 1024;

interface Library {
  readonly name: string;
  /** Loads the constructor. The comments, and the `catch` behind the import, keep bundlers from resolving it. */
  readonly load: () => Promise<unknown>;
  /** Opens a file, if the constructor alone is not enough. */
  readonly open?: (openDatabase: OpenDatabase, file: string) => SqliteDatabase;
}

const rethrow = (error: unknown): never => {
  throw error;
};

const LIBRARIES: readonly Library[] = [
  // Without import(), which test runners may refuse.
  { name: 'node:sqlite', load: async () => asRecord(process.getBuiltinModule?.('node:sqlite')).DatabaseSync },
  {
    name: '@photostructure/sqlite',
    load: () =>
      import(/* webpackIgnore: true */ /* @vite-ignore */ '@photostructure/sqlite')
        .then(({ DatabaseSync }) => DatabaseSync)
        .catch(rethrow),
    open: openAttached,
  },
  {
    name: 'better-sqlite3',
    load: () =>
      import(/* webpackIgnore: true */ /* @vite-ignore */ 'better-sqlite3')
        .then((library) => library.default)
        .catch(rethrow),
  },
];

/** The first releases without the fault that `keepsCommits` describes, of the lines that got it, the newest first. */
const MENDED: readonly (readonly [line: string, patch: number])[] = [
  ['3.51', 3],
  ['3.50', 7],
  ['3.44', 6],
];

/**
 * Whether a version of SQLite keeps all commits of several connections. From 3.7.0 to 3.51.2, one connection that
 * empties the log while another one commits may lose that commit (https://www.sqlite.org/wal.html#walresetbug).
 */
function keepsCommits(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (major > 3 || (major === 3 && minor > 51)) return true;
  return MENDED.some(([line, mended]) => line === `${major}.${minor}` && patch >= mended);
}

const versionOf = (database: SqliteDatabase): string =>
  String(connect(database).first(`SELECT sqlite_version() AS version`)?.version);

const ADVICE = 'Run npm install @photostructure/sqlite, or use a Node.js with SQLite 3.51.3 or newer';

export function ensureKeepsCommits(database: SqliteDatabase, place: string): void {
  const version = versionOf(database);
  if (!keepsCommits(version))
    throw sqliteError('unsafe', place, undefined, `: SQLite ${version} may lose some. ${ADVICE}`);
}

/** Finds the first installed library that can be loaded and keeps all commits. */
export async function findLibrary(): Promise<OpenDatabase> {
  const unfit: string[] = [];
  for (const { name, load, open } of LIBRARIES) {
    try {
      const Database = await load();
      if (typeof Database !== 'function') continue;
      const construct: OpenDatabase = (file) => new (Database as new (name: string) => SqliteDatabase)(file);
      const probe = construct(':memory:');
      const version = versionOf(probe);
      probe.close();
      if (keepsCommits(version)) return open ? (file) => open(construct, file) : construct;
      unfit.push(`SQLite ${version} of ${name} may lose commits`);
    } catch (error) {
      const { code } = asRecord(error);
      if (code !== 'ERR_MODULE_NOT_FOUND') unfit.push(`${name} cannot be loaded (${String(code ?? 'no addon')})`);
    }
  }
  const found = unfit.length > 0 ? ` that can be used: ${unfit.join('; ')}` : '';
  throw new StoreError(
    'unavailable',
    `There is no SQLite here${found}. ${ADVICE}. If one is installed, as under Jest, load it yourself and pass the option open: (file) => new DatabaseSync(file). No file was opened.`,
  );
}

/**
 * Makes a file that only this user may read, since reports contain personal data. The file gets its name after its
 * descriptor is closed. Closing it later would drop the locks of another thread that has opened the file in the
 * meantime.
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

export async function openFile(
  name: string,
  open?: OpenDatabase,
): Promise<{ database: SqliteDatabase; place: string }> {
  const openDatabase = open ?? (await findLibrary());
  if (name === ':memory:') return { database: openDatabase(name), place: name };
  // Some libraries read `file:` or `http:` as an address, but never an absolute path.
  const file = resolve(name);
  if (!existsSync(file)) makeFile(file);
  ensureSameLibrary(openDatabase, file);
  return { database: openDatabase(file), place: file };
}

/**
 * Checks and configures a connection. Throws if it is not suitable. Returns whether its commits outlive the process.
 */
export function prepareDatabase(database: SqliteDatabase, place: string, own: boolean): boolean {
  if (own) ensureReadable(database);
  const file = fileOf(database);
  if (file !== '') ensureKeepsCommits(database, place);
  if (own) database.exec(`PRAGMA busy_timeout = ${BLOCKING_WAIT_MS}`);
  const bytes = Number(pragma(database, 'page_count')) * Number(pragma(database, 'page_size'));
  if (readVersion(connect(database), place) > 0 && own && bytes <= MOST_CHECKED_BYTES && !isSound(database))
    throw sqliteError('corrupt', place);
  if (own) pragma(database, `journal_size_limit = ${MOST_WAL_BYTES}`);
  // Deleted bodies are overwritten with zeros.
  if (own) pragma(database, 'secure_delete = ON');
  if (file !== '') {
    const mode = pragma(database, 'journal_mode = WAL');
    if (mode !== 'wal')
      throw sqliteError('unsafe', place, undefined, `: its journal_mode stays ${String(mode)}, expected wal`);
  }
  // Without it, macOS returns before the data is on the disk.
  database.exec('PRAGMA fullfsync = ON');
  // Some libraries lower the default at the first use of a file in WAL mode.
  if (own || isOutsideTransaction(database)) setFull(database);
  ensureFull(database, place);
  createTables(database, place);
  return file !== '';
}

const setFull = (database: SqliteDatabase) => database.exec(`PRAGMA ${schemaOf(database)}.synchronous = FULL`);

/**
 * Makes each commit wait for the disk, and verifies the setting, since the pragma has no effect within a transaction.
 */
export function ensureFull(database: SqliteDatabase, place: string): void {
  if (Number(pragma(database, 'synchronous')) >= FULL) return;
  try {
    setFull(database);
  } catch {
    // SQLite refuses it within a transaction.
  }
  const level = Number(pragma(database, 'synchronous'));
  if (level < FULL)
    throw sqliteError(
      'unsafe',
      place,
      undefined,
      `: PRAGMA synchronous stays ${level}, expected ${FULL} (FULL); set it before the transaction begins`,
    );
}

/**
 * Closes a connection. It runs a checkpoint first, since `@photostructure/sqlite` does so only after garbage
 * collection. If the file was deleted, replaced or restored, the connection stays open until the process ends, since
 * closing it may overwrite the new file.
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

const ATTACHED = 'location_sdk';

/**
 * Opens a file so that closing it releases its descriptors at once. `@photostructure/sqlite` keeps a file open until
 * the last of its statements is garbage-collected, but closes a file that is detached from a database in memory. The
 * file is attached at the first use of the connection, so that a foreign lock is handled as for any other statement.
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
    get isTransaction() {
      return (database as { readonly isTransaction?: unknown }).isTransaction;
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
