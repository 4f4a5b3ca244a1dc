import { underSymbol } from '../platform/as-record.js';

/** The kind of a failure of a store. After `'connection'` and `'timeout'` the result is unknown; else nothing was changed. */
export type StoreErrorCode =
  /** Locked for too long. Look for a long transaction, and at PostgreSQL's `lock_timeout`. */
  | 'busy'
  /** The disk, the browser's storage, or the number of connections is at its limit. */
  | 'full'
  /** A newer version of this package made the tables. Use that version. In a page, load it again. */
  | 'newer'
  /** An older version made the tables. Let that version record its reports, and begin a new file, schema or name. */
  | 'older'
  /** The file or the session cannot write. Look at permissions and the mount; use the primary server. */
  | 'read-only'
  /** A reference holds a NUL or half a character. Look at where it comes from. */
  | 'text'
  /** `close` was called. Close the store last, after `outbox.stop()`. */
  | 'closed'
  /** No answer within `timeoutMs`. End your own open transaction, or the other tab. */
  | 'timeout'
  /** The file cannot be opened, no SQLite library is installed, or the browser's storage is missing or switched off. */
  | 'unavailable'
  /** SQLite: the disk failed, or the file is gone. Look at the disk, and restart. */
  | 'io'
  /** SQLite: the file is damaged. The outbox stops. Restore a backup, or save what can be read. */
  | 'corrupt'
  /** SQLite: the reports were moved. Use the store that the message names. */
  | 'moved'
  /** SQLite: a move began, and its result is unknown. Run the same `outbox <file> move` again. */
  | 'moving'
  /**
   * SQLite: the open file or its `-wal` file was deleted or replaced. End every process, put both back, and start
   * again.
   */
  | 'replaced'
  /** SQLite: a backup was copied over the open file. End every process, and restore it again. */
  | 'restored'
  /** SQLite: this process has the file open with another library. Use one. */
  | 'library'
  /** SQLite: a commit would not survive a power loss. */
  | 'unsafe'
  /** PostgreSQL: the server cannot be reached, or refused the login. */
  | 'connection'
  /** PostgreSQL: a deadlock or a serialization failure. Run the transaction again. */
  | 'conflict'
  /** PostgreSQL: the tables do not exist. Run the migrations, or look at `schema`. */
  | 'missing'
  /** PostgreSQL: the role may not do this. Run the statements of the message. */
  | 'privileges'
  /** PostgreSQL: an earlier statement of your transaction failed. Roll back, and run it again. */
  | 'aborted'
  /** PostgreSQL: the isolation level is too high. Set `read committed` for the store's connections. */
  | 'isolation'
  /** PostgreSQL: your transaction is not open. Await `BEGIN`, and every report before `COMMIT` or `ROLLBACK`. */
  | 'no-transaction'
  /** PostgreSQL: the database is not in UTF8. Create one with `ENCODING 'UTF8'`. */
  | 'encoding'
  /** PostgreSQL: the server is older than version 13. Upgrade it. */
  | 'version'
  /**
   * PostgreSQL: `LISTEN` gets no notification, and the outbox polls. Give `listen` a client that connects to the server
   * itself.
   */
  | 'no-notifications'
  /** Any other failure. Look at `cause` or `sqlState`. */
  | 'other';

const BRAND = Symbol.for('location-sdk.store-error');

/**
 * The error of the methods of every store. It contains no data of a report. After `'connection'` and `'timeout'` the
 * result is unknown: enqueue the same report again, which is safe. After any other code nothing was changed. Your own
 * transaction over PostgreSQL has failed, as after any error.
 *
 * @example
 * ```ts
 * outbox.on('error', ({ cause }) => {
 *   if (isStoreError(cause) && cause.code === 'full') alarm('the disk of the outbox is full');
 * });
 * ```
 */
export class StoreError extends Error {
  /** The name of its class. */
  override readonly name = 'StoreError';
  /** The kind of the failure, to branch on. */
  readonly code: StoreErrorCode;
  /** `'row'`: the store cannot hold this report, and may accept others. `'store'`: it may refuse every report. */
  readonly concerns: 'row' | 'store';
  /** PostgreSQL's own code, such as `40001`, or the system's, such as `ECONNREFUSED`. Undefined if there is none. */
  readonly sqlState: string | undefined;

  constructor(
    code: StoreErrorCode,
    message: string,
    details: {
      /** The error of the library. */
      readonly cause?: unknown;
      /** The code of the server or of the system. */
      readonly sqlState?: string | undefined;
      /** Given if a code of one report means the store here. */
      readonly concerns?: 'store';
    } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.concerns = details.concerns ?? (code === 'text' || code === 'other' ? 'row' : 'store');
    this.sqlState = details.sqlState;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/**
 * Whether a value is a `StoreError`. Unlike `instanceof`, it also recognises those of other copies of the package, for
 * example of its CommonJS build beside ESM.
 *
 * @example
 * ```ts
 * if (isStoreError(error)) console.error(error.code, error.message);
 * ```
 */
export const isStoreError = (value: unknown): value is StoreError => underSymbol(value, BRAND) === true;
