import { ConfigurationError } from '../../../errors/errors.js';
import { type Clock, systemClock } from '../../../platform/time.js';
import { issue } from '../../../schema/issue.js';
import { hasMethods, isClock, isFunction, must, option, optional, readOptions } from '../../../schema/option-table.js';
import type { SqliteDatabase } from './database.js';
import type { OpenDatabase } from './open.js';

/** What the SQLite store takes: a file, or your own connection. */
export interface SqliteStoreOptions {
  /**
   * The file, made where there is none, readable by its owner only. On a disk of this machine: over a network share
   * SQLite's locks cannot be relied on.
   */
  file?: string | undefined;
  /**
   * Opens the file, with a library of your choice. Default: `node:sqlite`, else `libsql`, else `better-sqlite3`, whichever is there.
   * With `libsql` in `open`, a closed store gives its file descriptors back at the next garbage collection; without `open`, at once.
   */
  open?: OpenDatabase | undefined;
  /**
   * Instead of `file`: your connection to a file that holds your own tables too, so that a report can be enqueued within
   * your transaction. It is switched to WAL and `synchronous=FULL`, and is yours to close.
   */
  database?: SqliteDatabase | undefined;
  /** How long an operation waits while others hold the file, in milliseconds. Default: 10,000. */
  busyTimeoutMs?: number | undefined;
  /** Times and timers. Default: the system's. All processes on one file should have the same time. */
  clock?: Clock | undefined;
  /** Spreads the waits for the file; from 0 to below 1. Default: `Math.random`. */
  random?: (() => number) | undefined;
}

/** Every option of the SQLite store and its default. */
const optionTable = {
  file: optional<string>(must('a path', (value) => typeof value === 'string' && value !== '')),
  open: optional<OpenDatabase>(must('a function that opens a file', (value) => typeof value === 'function')),
  database: optional<SqliteDatabase>(
    must('a connection of node:sqlite, libsql or better-sqlite3, with exec and prepare', (value) => hasMethods(value, ['exec', 'prepare'])),
  ),
  busyTimeoutMs: option(
    must('a number of milliseconds from 0', (value) => typeof value === 'number' && value >= 0),
    10_000,
  ),
  clock: option<Clock>(isClock, systemClock),
  random: option(isFunction, () => Math.random()),
};

/** The options with their defaults. Throws a `ConfigurationError` that lists every problem. */
export function readSqliteOptions(options: SqliteStoreOptions) {
  const read = readOptions('sqliteStore', optionTable, options, ({ file, database }) =>
    (file === undefined) === (database === undefined) ? [issue(['file'], 'invalid', 'pass either file or database')] : [],
  );
  if (read.problem !== undefined) throw new ConfigurationError(read.problem);
  return read.complete;
}
