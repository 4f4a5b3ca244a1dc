import { ConfigurationError } from '../../../errors/errors.js';
import { ownOptions } from '../../../platform/as-record.js';
import { type Clock, LONGEST_TIMER_MS, systemClock } from '../../../platform/time.js';
import type { PostgresDatabase } from './database.js';
import type { ListeningClient } from './listen.js';
import { checkedSchema } from './schema.js';

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

const NAMES = ['database', 'schema', 'migrate', 'notify', 'listen', 'timeoutMs', 'clock', 'random'];

/** The options with their defaults. Throws a `ConfigurationError` that lists every problem. */
export function readOptions(options: PostgresStoreOptions) {
  const given: Partial<PostgresStoreOptions> = typeof options === 'object' && options !== null ? ownOptions(options) : {};
  const { database, schema = 'location_sdk', migrate = true, notify = true, listen, timeoutMs = 30_000, clock = systemClock, random = Math.random } = given;
  const problems = Object.keys(given)
    .filter((name) => !NAMES.includes(name))
    .map((name) => `${name} is not an option; known are ${NAMES.join(', ')}`);
  if (!isDatabase(database)) problems.push('database: expected an object with query(text, values), such as a pool of pg');
  if (typeof migrate !== 'boolean') problems.push('migrate: expected true or false');
  if (typeof notify !== 'boolean') problems.push('notify: expected true or false');
  if (listen !== undefined && typeof listen !== 'function') problems.push('listen: expected a function that connects a client, such as () => pool.connect()');
  if (typeof timeoutMs !== 'number' || !(timeoutMs >= 1 && timeoutMs <= LONGEST_TIMER_MS))
    problems.push(`timeoutMs: expected milliseconds from 1 to ${LONGEST_TIMER_MS}`);
  if (problems.length > 0 || !isDatabase(database)) throw new ConfigurationError(`The options of the PostgreSQL store cannot be used: ${problems.join('; ')}.`);
  return { database, schema: checkedSchema(schema), migrate, notify, listen, timeoutMs, clock, random };
}

/** Whether something can send a statement. */
export const isDatabase = (value: unknown): value is PostgresDatabase =>
  (typeof value === 'object' || typeof value === 'function') && value !== null && typeof (value as { query?: unknown }).query === 'function';
