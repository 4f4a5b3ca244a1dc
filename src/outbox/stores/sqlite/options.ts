import { requireOptions } from '../../../core/errors/errors.js';
import { type Clock, systemClock } from '../../../core/platform/time.js';
import { issue } from '../../../core/schema/issue.js';
import { hasMethods, isClock, isFunction, must, option, optional } from '../../../core/schema/option-rules.js';
import type { OpenDatabase, SqliteDatabase } from './database.js';

/** The options of the SQLite store. Pass either a file or your own connection. */
export interface SqliteStoreOptions {
  /**
   * The path of the file. If the file does not exist, the store makes it, and only its owner can read it. Use a local
   * disk, since SQLite's locks are unreliable on network shares.
   */
  file?: string | undefined;
  /**
   * Opens the file with a library of your choice. Default: the first of `node:sqlite`, `@photostructure/sqlite` and
   * `better-sqlite3` that is installed; pass it where `import()` is refused, as under Jest. Its SQLite must be 3.51.3 or newer, 3.50.7 or 3.44.6: others lose commits.
   * If you open `@photostructure/sqlite` here, a closed store releases its file descriptors at the next garbage
   * collection.
   */
  open?: OpenDatabase | undefined;
  /**
   * Your connection, instead of `file`, to a database that also contains your own tables. Then you can enqueue a report
   * within your transaction. The store switches it to WAL and `synchronous=FULL`. Close it yourself.
   */
  database?: SqliteDatabase | undefined;
  /** The time limit of an operation while others hold the file, in milliseconds. Default: 10,000. */
  busyTimeoutMs?: number | undefined;
  /** The clock and timers. Default: the system's. Processes on one file take the time of the clock that is ahead. */
  clock?: Clock | undefined;
  /** The source of the jitter, from 0 to below 1. Default: `Math.random`. */
  random?: (() => number) | undefined;
}

const optionTable = {
  file: optional<string>(must('a path', (value) => typeof value === 'string' && value !== '')),
  open: optional<OpenDatabase>(must('a function that opens a file', (value) => typeof value === 'function')),
  database: optional<SqliteDatabase>(
    must('a connection of node:sqlite, @photostructure/sqlite or better-sqlite3, with exec and prepare', (value) =>
      hasMethods(value, ['exec', 'prepare']),
    ),
  ),
  busyTimeoutMs: option(
    must('a number of milliseconds from 0', (value) => typeof value === 'number' && value >= 0),
    10_000,
  ),
  clock: option<Clock>(isClock, systemClock),
  random: option(isFunction, () => Math.random()),
};

export const readSqliteOptions = (options: SqliteStoreOptions) =>
  requireOptions('sqliteStore', optionTable, options, ({ file, database }) =>
    (file === undefined) === (database === undefined)
      ? [issue(['file'], 'invalid', 'pass either file or database')]
      : [],
  ).complete;
