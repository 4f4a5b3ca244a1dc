import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { isStoreError, StoreError, type StoreErrorCode } from '../../../core/errors/store-error.js';
import { asRecord } from '../../../core/platform/as-record.js';

const NO_DATABASE = 26;

/** SQLite's primary result codes, with their names in the libraries and SQLite's own words. */
const CODES: Readonly<Record<number, readonly [name: string, code: Code, words: string]>> = {
  3: ['SQLITE_PERM', 'read-only', 'access permission denied'],
  5: ['SQLITE_BUSY', 'busy', 'database is locked'],
  6: ['SQLITE_LOCKED', 'busy', 'database table is locked'],
  8: ['SQLITE_READONLY', 'read-only', 'attempt to write a readonly database'],
  10: ['SQLITE_IOERR', 'io', 'disk I/O error'],
  11: ['SQLITE_CORRUPT', 'corrupt', 'database disk image is malformed'],
  13: ['SQLITE_FULL', 'full', 'database or disk is full'],
  14: ['SQLITE_CANTOPEN', 'unavailable', 'unable to open database file'],
  // In a sound file, the statements of the store break no rule of its tables.
  19: ['SQLITE_CONSTRAINT', 'corrupt', 'constraint failed'],
  20: ['SQLITE_MISMATCH', 'corrupt', 'datatype mismatch'],
  [NO_DATABASE]: ['SQLITE_NOTADB', 'corrupt', 'file is not a database'],
};

const SENTENCES = {
  busy: 'is locked by others for too long; look for a process that holds a transaction open',
  full: 'cannot grow: the disk is full. Make room; reports are accepted again then',
  io: 'cannot be read or written: the disk failed, or the file is gone',
  corrupt:
    'is damaged, or is not a SQLite database. The outbox accepts and sends nothing more from it. End every process of this outbox, keep the file with its -wal file, restore a backup or save what can be read into a new file, and compare that one with your books',
  newer: 'was made by a newer version of this package; use that version',
  older:
    'was made by an older version of this package, which this one cannot read; it is unchanged. Let that version record its reports, and begin a new file',
  moved: 'was moved, with all of its reports; use its new place and no longer this file',
  moving:
    'is being moved, and it is unknown whether all of it arrived; run the same `location-sdk outbox … move` again',
  'read-only': 'cannot be written; look at the permissions of the file and of its folder',
  replaced:
    'was deleted or replaced while it was open. The outbox has accepted and sent nothing since then. End every process of this outbox, put the file back together with its -wal file, and start again',
  restored:
    'went back to an older state while it was open: a backup was copied over it. The outbox has accepted and sent nothing since it found this; reports that were enqueued after the backup are missing from the file. End every process of this outbox, delete the -wal and -shm files, copy the backup again, start, and enqueue the missing reports again from your books',
  library:
    'is open in this process with another SQLite library, and each library would drop the locks of the other. It was not opened: use one library in the whole process',
  unsafe: 'would not keep all commits',
  unavailable: 'cannot be opened; check that the folder exists, and check its permissions',
  text: 'cannot store this text',
  closed: 'is closed',
  other: 'failed',
} as const satisfies Partial<Record<StoreErrorCode, string>>;

type Code = keyof typeof SENTENCES;

const ERRNOS: Readonly<Record<string, Code>> = {
  EROFS: 'read-only',
  ENOSPC: 'full',
  EDQUOT: 'full',
  EIO: 'io',
};

/** SQLite's primary result code of a library's error. Undefined if the error has none of the known codes. */
function resultOf(error: unknown): number | undefined {
  const { code, errcode, message } = asRecord(error);
  if (typeof errcode === 'number') return errcode & 0xff;
  // @photostructure/sqlite gives no number for an error while it reads several rows.
  const known = Object.entries(CODES).find(([, [name, , words]]) =>
    code === 'ERR_SQLITE_ERROR' ? String(message).includes(words) : typeof code === 'string' && code.startsWith(name),
  );
  return known && Number(known[0]);
}

/** SQLite's extended result code of a trigger that called RAISE. */
const CONSTRAINT_TRIGGER = 1811;

function isOfTrigger(error: unknown): boolean {
  const { code, errcode } = asRecord(error);
  return code === 'SQLITE_CONSTRAINT_TRIGGER' || errcode === CONSTRAINT_TRIGGER;
}

/** SQLite's extended result code if there is no room for its -shm file. */
const SHM_SIZE = 4874;

function isWithoutRoom(error: unknown): boolean {
  const { code, errcode, sqliteExtendedCode } = asRecord(error);
  return code === 'SQLITE_IOERR_SHMSIZE' || errcode === SHM_SIZE || sqliteExtendedCode === SHM_SIZE;
}

export const isNoDatabase = (error: unknown): boolean => resultOf(error) === NO_DATABASE;

export const sqliteCodeOf = (error: unknown): StoreErrorCode =>
  isStoreError(error) ? error.code : libraryCodeOf(error);

export function libraryCodeOf(error: unknown): Code {
  // The connection is in the user's transaction, which ends soon.
  if (error instanceof Error && isNested(error.message)) return 'busy';
  // A trigger of the user refuses a row, and the file is sound.
  if (isOfTrigger(error)) return 'other';
  if (isWithoutRoom(error)) return 'full';
  // The tables and indexes of an outbox never go by themselves.
  if (
    error instanceof Error &&
    /^(no such (table|column|index)|no query solution|malformed)|already exists$/.test(error.message)
  )
    return 'corrupt';
  return CODES[resultOf(error) ?? 0]?.[1] ?? ERRNOS[String(asRecord(error).code)] ?? 'other';
}

export const isNested = (message: unknown): boolean =>
  typeof message === 'string' && message.includes('within a transaction');

export const asSqliteError = (place: string, error: unknown): StoreError =>
  isStoreError(error) ? error : sqliteError(libraryCodeOf(error), place, error);

export function sqliteError(given: Code, place: string, cause?: unknown, more = ''): StoreError {
  // SQLite has the same codes for permissions, mounts and connections.
  const refused = given === 'read-only' || given === 'unavailable' ? refusalOf(place) : undefined;
  const code = refused === 'EROFS' ? 'read-only' : given;
  const words = refused === 'EROFS' ? MOUNTED : code === 'read-only' && !refused ? ONLY_READS : SENTENCES[code];
  const end = code === 'corrupt' ? `: ${saving(place)}` : '';
  return new StoreError(code, `The outbox's database ${place} ${words}${end}${more}.`, { cause });
}

const MOUNTED =
  'cannot be written: its file system is mounted read-only, and permissions do not change that. Mount it for writing, or choose another folder';
const ONLY_READS =
  'cannot be written: permissions allow it, but the connection is read-only; look at readOnly and at PRAGMA query_only';

/** The errno with which the system refuses to write a file or its folder. */
function refusalOf(place: string): unknown {
  try {
    for (const path of [dirname(place), place]) accessSync(path, constants.W_OK);
    return undefined;
  } catch (error) {
    return asRecord(error).code;
  }
}

function saving(place: string): string {
  const quote = (path: string) => (/^[\w./:@%+=,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
  return `sqlite3 ${quote(place)} .dump | sed 's/^ROLLBACK;.*/COMMIT;/' | sqlite3 ${quote(`${place}.saved`)}`;
}
