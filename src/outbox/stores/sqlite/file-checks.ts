import { lstatSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Connection, connect, type OpenDatabase, pragma, type SqliteDatabase } from './database.js';
import { sqliteCodeOf, sqliteError } from './failure.js';
import { LATEST_SEQUENCE } from './schema.js';

/**
 * The device and the number of the file at a path. It uses the path and no descriptor, since closing a descriptor of a
 * database file would drop all locks of this process on it.
 */
function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

/** The time after which a further change of a folder has another time, also on a file system with coarse times. */
const SETTLED_MS = 2_500;
/** The files are looked at after this time, even if their folder has not changed: a mount over a file changes none. */
const LONGEST_UNSEEN_MS = 5_000;

/**
 * The folder of a file and its last change. Each file in it that is deleted or replaced is a change. The time is that
 * of the folder's own record, which no program can set back, as it can the time of its contents.
 */
function folderOf(file: string): string | undefined {
  const found = statSync(dirname(file), { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino} ${found.ctimeMs}`;
}

/**
 * Remembers the files that a database has open, and returns a check that throws once one of them was deleted or
 * replaced. Data in a deleted file is lost when the last process closes it. Without the opened -shm file, another
 * process would treat the database as unused. `given` may be a link to `real`. SQLite keeps the other two files beside
 * `real`.
 *
 * The check runs after each commit. While their folder stays as it is, it looks at the files every few seconds only:
 * the next commit costs a fifth more if someone has read the times of the -wal file.
 */
function watchFiles(given: string, real: string): () => void {
  const opened = [given, `${real}-wal`, `${real}-shm`]
    .map((path) => ({ path, identity: identityOf(path) }))
    .filter(({ identity }) => identity !== undefined);
  const isLink = lstatSync(given, { throwIfNoEntry: false })?.isSymbolicLink() !== false;
  let seen = { folder: folderOf(given), at: performance.now() };
  let nextLook = 0;
  return () => {
    const folder = folderOf(given);
    const now = performance.now();
    if (folder !== seen.folder || folder === undefined || isLink) seen = { folder, at: now };
    const isSettled = now - seen.at > SETTLED_MS;
    if (isSettled && now < nextLook) return;
    for (const { path, identity } of opened) if (identityOf(path) !== identity) throw sqliteError('replaced', path);
    // A look before the folder has settled may precede a change at the same time of the file system.
    nextLook = isSettled ? now + LONGEST_UNSEEN_MS : 0;
  };
}

/** The progress of a database. Both numbers only grow. */
const PROGRESS = `SELECT ${LATEST_SEQUENCE} AS rows, coalesce((SELECT number FROM outbox_counts WHERE account = '' AND name = 'turns'), 0) AS turns`;

/**
 * Finds out whether an older copy was written over the file, which keeps its identity. Before a transaction `verify`
 * reads the time and size of the file, which change with each checkpoint of any process, and with a copy. After a
 * change it drops the pages in memory, and compares the progress of the file with the latest one, which `note` keeps.
 */
function watchProgress(path: string, { first, database }: Connection) {
  const read = () => {
    const { rows, turns } = first(PROGRESS) ?? {};
    return { rows: Number(rows), turns: Number(turns) };
  };
  const stamp = () => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found && `${found.mtimeMs} ${found.size}`;
  };
  let written = stamp();
  let furthest = read();
  let isRestored = false;
  return {
    verify() {
      const now = stamp();
      if (now !== written && !isRestored) {
        database.exec('PRAGMA shrink_memory');
        const { rows, turns } = read();
        isRestored = rows < furthest.rows || turns < furthest.turns;
        written = now;
      }
      if (isRestored) throw sqliteError('restored', path);
    },
    note() {
      furthest = read();
    },
    reach(sequence: number) {
      furthest = { ...furthest, rows: sequence };
    },
  };
}

export interface FileGuard {
  /** Called after each commit. Throws if the file was deleted or replaced. */
  readonly ensureLive: () => void;
  /** Called before each transaction. Throws if an older copy was written over the file. */
  readonly verify: () => void;
  /** Called after each successful transaction. */
  readonly note: () => void;
  /** Called instead after a commit that only added the row with this number. */
  readonly reach: (sequence: number) => void;
}

export const guardFile = (given: string, real: string, connection: Connection): FileGuard =>
  real === ''
    ? { ensureLive() {}, verify() {}, note() {}, reach() {} }
    : { ensureLive: watchFiles(given, real), ...watchProgress(real, connection) };

interface OpenFile {
  readonly library: string;
  stores: number;
}

const KEY = Symbol.for('location-sdk.sqlite-files');

/** The open files of this thread, shared by all copies of this package. */
function openFiles(): Map<string, OpenFile> {
  const holder = globalThis as { [KEY]?: Map<string, OpenFile> };
  holder[KEY] ??= new Map();
  return holder[KEY];
}

/** The build, since two libraries may contain the same version of SQLite. */
const libraryOf = (database: SqliteDatabase): string => String(connect(database).first(LIBRARY)?.library);
const LIBRARY = `SELECT sqlite_source_id() || (SELECT group_concat(compile_options) FROM pragma_compile_options) AS library`;

/**
 * Throws if a store of this process has the file open with another library. When one library closes a file, the locks
 * of the other library are lost. So the check runs before the file is opened, with a database in memory.
 */
export function ensureSameLibrary(open: OpenDatabase, file: string): void {
  const known = openFiles().get(identityOf(file) ?? '');
  if (!known) return;
  const probe = open(':memory:');
  const library = libraryOf(probe);
  probe.close();
  if (library !== known.library) throw sqliteError('library', file);
}

export function noteOpen(database: SqliteDatabase, file: string): () => void {
  const key = identityOf(file);
  if (key === undefined) return () => {};
  const files = openFiles();
  const library = libraryOf(database);
  const known = files.get(key) ?? { library, stores: 0 };
  if (library !== known.library) throw sqliteError('library', file);
  known.stores += 1;
  files.set(key, known);
  return () => {
    known.stores -= 1;
    if (known.stores === 0) files.delete(key);
  };
}

/** An error for contradictions that only a damaged file can have. It counts as an error of SQLite. */
export const contradiction = (what: string): Error =>
  Object.assign(new Error(`The file contradicts itself: ${what}.`), { code: 'SQLITE_CORRUPT' });

/** Whether SQLite finds no damage in a file, stale indexes and values that the tables refuse included. */
export function isSound(database: SqliteDatabase): boolean {
  try {
    return pragma(database, 'integrity_check(1)') === 'ok';
  } catch (error) {
    if (sqliteCodeOf(error) === 'corrupt') return false;
    throw error;
  }
}
