/**
 * What is wrong: `'busy'`, others held the file for too long; `'full'`, the disk is; `'io'`, the disk failed;
 * `'corrupt'`, the file is damaged or no database; `'newer'`, a newer version of this package made it; `'older'`, one made it that this package cannot read; `'moved'`, its
 * reports were moved to PostgreSQL; `'moving'`, such a move has begun and must be finished; `'read-only'`, it cannot be
 * written; `'replaced'`, it was deleted or replaced while it was open; `'restored'`, an older copy was written over it while it was open; `'library'`, this process has it open with another
 * library; `'unsafe'`, commits would not outlive a power loss; `'unavailable'`, it cannot be opened, or no library is
 * there that could; `'text'`, a report holds text that SQLite does not keep; `'closed'`, the store is; `'other'`.
 */
export type SqliteStoreErrorCode =
  | 'busy'
  | 'full'
  | 'io'
  | 'corrupt'
  | 'newer'
  | 'older'
  | 'moved'
  | 'moving'
  | 'read-only'
  | 'replaced'
  | 'restored'
  | 'library'
  | 'unsafe'
  | 'unavailable'
  | 'text'
  | 'closed'
  | 'other';

/**
 * What the SQLite store rejects with; whatever was asked for is then not done. The `cause` is the library's own error.
 * Neither holds anything of a report.
 *
 * @example
 * ```ts
 * outbox.on('error', ({ cause }) => {
 *   if (cause instanceof SqliteStoreError && cause.code === 'full') alarm('the disk of the outbox is full');
 * });
 * ```
 */
export class SqliteStoreError extends Error {
  /** The name of its class. */
  override readonly name = 'SqliteStoreError';
  /** A stable name of what is wrong. */
  readonly code: SqliteStoreErrorCode;

  constructor(code: SqliteStoreErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

const NO_DATABASE = 26;

/** SQLite's primary result codes, and what the libraries call them. */
const CODES: Readonly<Record<number, readonly [name: string, code: SqliteStoreErrorCode]>> = {
  5: ['SQLITE_BUSY', 'busy'],
  6: ['SQLITE_LOCKED', 'busy'],
  8: ['SQLITE_READONLY', 'read-only'],
  10: ['SQLITE_IOERR', 'io'],
  11: ['SQLITE_CORRUPT', 'corrupt'],
  13: ['SQLITE_FULL', 'full'],
  14: ['SQLITE_CANTOPEN', 'unavailable'],
  [NO_DATABASE]: ['SQLITE_NOTADB', 'corrupt'],
};

const SENTENCES: Readonly<Record<SqliteStoreErrorCode, string>> = {
  busy: 'is locked by others for too long; look for a process that holds a transaction open',
  full: 'cannot grow: the disk is full. Make room; reports are accepted again then',
  io: 'cannot be read or written: the disk failed, or the file is gone',
  corrupt: 'is damaged, or is no SQLite database. Keep it and its -wal file for an inquiry, and restore or recover it (sqlite3 has .recover)',
  newer: 'was made by a newer version of this package; use that version',
  older:
    'was made by an older version of this package, which this one cannot read; it is left as it is. Let that version record its reports, and begin a new file',
  moved: 'was moved to PostgreSQL, with all of its reports; use the store there, and never this file again',
  moving:
    'is being moved to PostgreSQL, and nobody knows whether all of it arrived; run the same `location-sdk outbox … move` again, or give it up with its --abandon',
  'read-only': 'cannot be written; look at the permissions of the file and of its folder',
  replaced:
    'was deleted or replaced while it was open. Nothing was accepted or sent since. End every process of this outbox, put the file back together with its -wal file, and start again',
  restored:
    'went back to an older state while it was open: a backup was copied over it. Nothing was accepted or sent since this was seen; reports that were enqueued after the backup are missing from the file. End every process of this outbox, delete the -wal and -shm files, copy the backup again, start, and enqueue the missing reports again from your books',
  library:
    'is open in this process with another SQLite library, and each of the two would drop the locks of the other. It was not opened: use the same library everywhere in a process',
  unsafe: 'would lose commits at a power loss',
  unavailable: 'cannot be opened; look whether the folder exists, and at its permissions',
  text: 'does not keep such text',
  closed: 'is closed',
  other: 'did not do what the outbox needs',
};

/** SQLite's primary result code of a library's error, where it has one that is known here. */
function resultOf(error: unknown): number | undefined {
  const { code, errcode, rawCode } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  const number = typeof rawCode === 'number' ? rawCode : errcode;
  if (typeof number === 'number') return number & 0xff;
  const known = Object.entries(CODES).find(([, [name]]) => typeof code === 'string' && code.startsWith(name));
  return known && Number(known[0]);
}

/** Whether a library says that a file is no database at all. */
export const isNoDatabase = (error: unknown): boolean => resultOf(error) === NO_DATABASE;

/** What a library's error means. */
export function sqliteCodeOf(error: unknown): SqliteStoreErrorCode {
  if (error instanceof SqliteStoreError) return error.code;
  // The connection is in a transaction of the user's, which ends soon.
  if (error instanceof Error && isNested(error.message)) return 'busy';
  return CODES[resultOf(error) ?? 0]?.[1] ?? 'other';
}

export const isNested = (message: unknown): boolean => typeof message === 'string' && message.includes('within a transaction');

/** The store's own error for a library's. */
export function asSqliteError(place: string, error: unknown): SqliteStoreError {
  if (error instanceof SqliteStoreError) return error;
  const code = sqliteCodeOf(error);
  return sqliteError(code, place, error);
}

/** An error in the words of its code. */
export const sqliteError = (code: SqliteStoreErrorCode, place: string, cause?: unknown, more = ''): SqliteStoreError =>
  new SqliteStoreError(code, `The outbox's database ${place} ${SENTENCES[code]}${more}.`, cause);
