import { requireOptions } from '../../../core/errors/errors.js';
import { isFlag, isLimit, must, option, optional, required } from '../../../core/schema/option-rules.js';
import { type PostgresDatabase, sendsStatements } from './driver.js';
import type { ListeningClient } from './listen.js';
import { DEFAULT_SCHEMA, isSchemaName, SCHEMA_RULE } from './schema/name.js';

/** The options of the PostgreSQL store. */
export interface PostgresStoreOptions {
  /** A pool of `pg`, or the object of another library: any pooler works. Close it yourself. */
  database: PostgresDatabase;
  /** The schema of the outbox's tables. Default: `'location_sdk'`. */
  schema?: string | undefined;
  /** Whether the store creates missing tables. Default: true. */
  migrate?: boolean | undefined;
  /**
   * Whether the commit of a report notifies the listening workers (`NOTIFY`). PostgreSQL runs these commits one after
   * the other: switch it off for many transactions per second. Default: true.
   */
  notify?: boolean | undefined;
  /**
   * Connects a client that is used only for listening, such as `() => pool.connect()` of `pg`: an idle worker then
   * finds a report at once. Default: workers only poll (the outbox's `pollMs`).
   */
  listen?: (() => PromiseLike<ListeningClient>) | undefined;
  /**
   * The limit for a statement and the wait for its connection, in milliseconds. After it the call rejects with the code
   * `'timeout'`. Give any other library than `pg` its own shorter limit, which frees its connection. Default: 30,000.
   */
  timeoutMs?: number | undefined;
}

const optionTable = {
  database: required<PostgresDatabase>(must('an object that sends statements, such as a pool of pg', sendsStatements)),
  schema: option(must(SCHEMA_RULE, isSchemaName), DEFAULT_SCHEMA),
  migrate: option(isFlag, true),
  notify: option(isFlag, true),
  listen: optional<NonNullable<PostgresStoreOptions['listen']>>(
    must('a function that connects a client, such as () => pool.connect()', (value) => typeof value === 'function'),
  ),
  timeoutMs: option(isLimit, 30_000),
};

export const readPostgresOptions = (options: PostgresStoreOptions) =>
  requireOptions('postgresStore', optionTable, options).complete;
