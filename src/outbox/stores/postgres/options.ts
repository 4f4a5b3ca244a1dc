import { ConfigurationError } from '../../../errors/errors.js';
import { type Clock, systemClock } from '../../../platform/time.js';
import { isClock, isFlag, isFunction, isLimit, must, option, optional, readOptions, required } from '../../../schema/option-table.js';
import type { PostgresDatabase } from './database.js';
import type { ListeningClient } from './listen.js';
import { isSchemaName, SCHEMA_RULE } from './schema.js';

/** What the PostgreSQL store takes. */
export interface PostgresStoreOptions {
  /** A pool, or whatever else sends a statement. The store makes single statements only, so that any pooler serves. It is yours to close. */
  database: PostgresDatabase;
  /** The schema that holds the outbox's tables; made where there is none. Default: `'location_sdk'`. */
  schema?: string | undefined;
  /** Whether tables that are missing or older are made or updated. Default: true. */
  migrate?: boolean | undefined;
  /**
   * Whether an enqueued report is told to those who listen, with the commit (`NOTIFY`). PostgreSQL makes such commits one
   * after the other: switch it off where many transactions a second enqueue, and workers find reports by polling.
   * Default: true.
   */
  notify?: boolean | undefined;
  /**
   * Connects a client that is kept for listening, such as `() => pool.connect()` of `pg`: an idle worker then takes up a
   * report as soon as it is committed. A connection that is lost is made again; behind it, workers poll. Default: they
   * only poll (the outbox's `pollMs`).
   */
  listen?: (() => PromiseLike<ListeningClient>) | undefined;
  /**
   * How long a statement may take, the wait for a connection included, in milliseconds; it then rejects with the code
   * `'timeout'`, and a connection of a pool of `pg` is closed. A wait without a limit cannot be had: 0 and `Infinity` are
   * refused, and the most is 2,147,483,647. Over another library than `pg`, give that a shorter limit of its own, which frees
   * its connection. Default: 30,000.
   */
  timeoutMs?: number | undefined;
  /** Timers, for limits, waits between tries and for the listening connection. All times of reports are the database's. Default: the system's. */
  clock?: Clock | undefined;
  /** Spreads waits; from 0 to below 1. Default: `Math.random`. */
  random?: (() => number) | undefined;
}

/** Every option of the PostgreSQL store and its default. */
const optionTable = {
  database: required<PostgresDatabase>(must('an object with query(text, values), such as a pool of pg', (value) => isDatabase(value))),
  schema: option(must(SCHEMA_RULE, isSchemaName), 'location_sdk'),
  migrate: option(isFlag, true),
  notify: option(isFlag, true),
  listen: optional<NonNullable<PostgresStoreOptions['listen']>>(
    must('a function that connects a client, such as () => pool.connect()', (value) => typeof value === 'function'),
  ),
  timeoutMs: option(isLimit, 30_000),
  clock: option<Clock>(isClock, systemClock),
  random: option(isFunction, () => Math.random()),
};

/** The options with their defaults. Throws a `ConfigurationError` that lists every problem. */
export function readPostgresOptions(options: PostgresStoreOptions) {
  const read = readOptions('postgresStore', optionTable, options);
  if (read.problem !== undefined) throw new ConfigurationError(read.problem);
  return read.complete;
}

/** Whether something can send a statement. */
export const isDatabase = (value: unknown): value is PostgresDatabase =>
  (typeof value === 'object' || typeof value === 'function') && value !== null && typeof (value as { query?: unknown }).query === 'function';
