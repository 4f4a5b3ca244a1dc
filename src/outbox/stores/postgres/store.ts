import { ConfigurationError } from '../../../errors/errors.js';
import type { OutboxStore } from '../../store.js';
import { isStorable } from '../storable.js';
import { createOpenCounts } from './console/open.js';
import { postgresConsole } from './console/store.js';
import { readCounts } from './counts.js';
import { createRun, type Patience, type Run, runWithin } from './database.js';
import { bind, rebind, writePause } from './destinations.js';
import { createEnqueue, LONGEST_LOCK_MS } from './enqueue.js';
import { postgresError } from './failure.js';
import { isOutsideTransaction, isPool } from './lend.js';
import { listRows } from './list.js';
import { listen } from './listen.js';
import { readMissingKeys } from './missing-keys.js';
import { isDatabase, type PostgresStoreOptions, readPostgresOptions } from './options.js';
import { readOutlook } from './outlook.js';
import { pruneStep, readPrunedBefore } from './prune.js';
import { createReceipts } from './receipts.js';
import { readRow, selectRows } from './row-columns.js';
import { prepareSchema } from './schema.js';
import { openSettings } from './settings.js';
import { takeTurn } from './turn.js';

/**
 * Makes a store in PostgreSQL, for any number of instances on any number of machines. Accepted reports are as safe as the commits
 * of that database: you set `synchronous_commit` and replication. It needs PostgreSQL 12 or newer, a database with the encoding
 * UTF8, and the isolation level `read committed`. Rejects with a `PostgresStoreError` if the database cannot be used, and with a
 * `ConfigurationError` if the options are wrong.
 *
 * @example
 * ```ts
 * import pg from 'pg';
 * import { postgresStore } from 'location-sdk/outbox/postgres';
 *
 * const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5_000 });
 * const outbox = createOutbox({ client, store: await postgresStore({ database: pool }) });
 * ```
 */
export const postgresStore = (options: PostgresStoreOptions): Promise<OutboxStore> => openPostgresStore(options);

/** The same with a parameter for the lock limits, which tests shorten. */
export async function openPostgresStore(options: PostgresStoreOptions, longestLockMs = LONGEST_LOCK_MS): Promise<OutboxStore> {
  const { database, schema, migrate, notify, listen: connect, timeoutMs, clock, random } = readPostgresOptions(options);
  const send = createRun(database, schema, { clock, random, timeoutMs });
  const watchers = new Set<() => void>();
  let closed = false;
  const run: Run = (text, values) => (closed ? Promise.reject(postgresError('closed', schema)) : send(text, values));
  const storeId = await prepareSchema(run, schema, migrate);
  const remember = await openSettings(run, schema);
  const { enqueue, asValue } = createEnqueue(schema, storeId, notify ? schema : null, longestLockMs);

  const open = createOpenCounts(run, schema);
  return {
    durable: true,
    transactional: true,
    concurrent: true,
    enqueue: async (rows, transaction) =>
      transaction === undefined ? enqueue(run, rows, true) : enqueue(runOf(transaction, schema, { clock, timeoutMs }), rows, false),
    asValue,
    turn: (turn) => takeTurn(run, schema, turn),
    bind: (given) => bind(run, schema, given),
    rebind: (change) => rebind(run, schema, change),
    outlook: (accounts) => readOutlook(run, schema, accounts),
    pause: (change) => writePause(run, schema, change),
    get: async (ids) => {
      if (ids.length === 0) return [];
      const found = await run(selectRows(schema, 'WHERE r.id IN (SELECT json_array_elements_text($1::text::json))'), [JSON.stringify(ids.filter(isStorable))]);
      const rows = new Map(found.map(readRow).map((row) => [row.id, row]));
      return ids.map((id) => rows.get(id));
    },
    missingKeys: (accounts) => readMissingKeys(run, schema, accounts),
    list: (query) => listRows(run, schema, query),
    counts: (accounts) => readCounts(run, schema, open, accounts),
    prune: (request) => pruneStep(run, schema, request),
    prunedBefore: (account) => readPrunedBefore(run, schema, account),
    remember,
    receipts: createReceipts(run, schema),
    console: postgresConsole(run, schema, open),
    ...(connect && {
      watch: (listener, onProblem) => {
        const notify = (payload: string) => run('SELECT pg_notify($1::text, $2::text)::text AS sent', [schema, payload]);
        const onDeaf = () => onProblem?.(postgresError('no-notifications', schema));
        const stop = listen({ connect, channel: schema, notify, onDeaf, clock, random }, listener);
        watchers.add(stop);
        return () => {
          watchers.delete(stop);
          stop();
        };
      },
    }),
    close: async () => {
      closed = true;
      for (const stop of watchers) stop();
      watchers.clear();
    },
  };
}

/** Makes the function that sends statements within the user's transaction. */
function runOf(transaction: unknown, schema: string, patience: Patience): Run {
  const refuse = (why: string) => new ConfigurationError(`transaction: ${why}. Nothing was enqueued.`);
  if (!isDatabase(transaction)) throw refuse('expected the client that has begun it, with query(text, values)');
  if (isPool(transaction)) throw refuse('a pool sends each statement over any connection; pass the client that has begun the transaction');
  if (isOutsideTransaction(transaction)) throw postgresError('no-transaction', schema);
  return runWithin(transaction, schema, patience);
}
