import { ConfigurationError } from '../../../core/errors/errors.js';
import { systemClock } from '../../../core/platform/time.js';
import type { SeenPauses } from '../../rules/pause.js';
import { newSecret, OWN_SECRET } from '../../seal/key-ring.js';
import type { OutboxStore, Turn, TurnResult } from '../../store/store.js';
import { createDestinationChanges } from '../sql/destinations.js';
import { createSharedStatements } from '../sql/statements.js';
import { isStorable } from '../storable-text.js';
import { addThroughput, createOpenCounts, readCounts, readFinals } from './counts.js';
import { createRun, isPool, type Run, runWithin, type TimeLimit, transactionStatus } from './database.js';
import { createDecisions } from './decisions.js';
import { createDestinations } from './destinations.js';
import { sendsStatements } from './driver.js';
import { createEnqueue, LONGEST_LOCK_MS } from './enqueue.js';
import { postgresCodeOf, postgresError } from './failure.js';
import { createFinalRows } from './final-rows.js';
import { listen } from './listen.js';
import { type PostgresStoreOptions, readPostgresOptions } from './options.js';
import { prepareSchema } from './schema/prepare.js';
import { createQueries, searchRows } from './search.js';
import { dialectOf, NOW_MS, readRow, rowOf, SELECT_BY_IDS, toPostgresJson, wholeDelay } from './sql-parts.js';

/**
 * Makes a store in PostgreSQL, for any number of instances on any number of machines. Accepted reports are as safe as
 * the commits of that database: you set `synchronous_commit` and replication. It needs PostgreSQL 13 or newer, a
 * database with the encoding UTF8, and the isolation level `read committed`. Rejects with a `StoreError` if the
 * database cannot be used, and with a `ConfigurationError` if the options are wrong.
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

/**
 * The same with the lock limits and the clock, which tests replace. `isReader`: it makes no secret before a report needs
 * one.
 */
export async function openPostgresStore(
  options: PostgresStoreOptions,
  { locks = LONGEST_LOCK_MS, clock = systemClock, isReader = false } = {},
): Promise<OutboxStore> {
  const { database, schema, migrate, notify, listen: connect, timeoutMs } = readPostgresOptions(options);
  const send = createRun(database, schema, { clock, timeoutMs });
  const watchers = new Set<() => void>();
  let closed = false;
  const run: Run = (text, values) => (closed ? Promise.reject(postgresError('closed', schema)) : send(text, values));
  const { store: storeId } = await prepareSchema(run, schema, migrate);
  const dialect = dialectOf(run);
  const reads = createSharedStatements(dialect);
  const secret = isReader ? undefined : await readSecret(reads.getOrCreateSetting);
  const { enqueue, asValue } = createEnqueue(schema, storeId, notify ? schema : null, locks);

  const open = createOpenCounts(run);
  const decisions = createDecisions(run);
  const { receipts, prune } = createFinalRows(run);
  return {
    durable: true,
    transactional: true,
    concurrent: true,
    enqueue: async (rows, transaction) =>
      transaction === undefined
        ? enqueue(run, rows, true)
        : enqueue(await runInTransaction(transaction, schema, { clock, timeoutMs }), rows, false),
    asValue,
    turn: (turn) => takeTurn(run, turn),
    ...createDestinations(run),
    ...createDestinationChanges(dialect),
    get: async (ids, transaction) => {
      if (ids.length === 0) return [];
      const within = transaction === undefined ? run : runOf(transaction, schema, { clock, timeoutMs });
      const found = await within(SELECT_BY_IDS, [JSON.stringify(ids.filter(isStorable))]);
      const rows = new Map(found.map(readRow).map((row) => [row.id, row]));
      return ids.map((id) => rows.get(id));
    },
    ...createQueries(run),
    counts: (accounts) => readCounts(run, open, accounts),
    prune,
    prunedBefore: reads.prunedBefore,
    getOrCreateSetting: async (name, value) =>
      (name === OWN_SECRET ? secret : undefined) ?? reads.getOrCreateSetting(name, value),
    receipts: { ...receipts, ...reads.receipts },
    operator: {
      ...reads.operator,
      now: async () => Number((await run(`SELECT (${NOW_MS})::text AS now`))[0]?.now),
      open,
      finals: (accounts) => readFinals(run, accounts),
      search: async (wanted) => searchRows(run, wanted, await reads.readSearchRange(wanted)),
      async begin(decision) {
        await decisions.add(decision);
        return reads.begun(decision.id);
      },
      step: decisions.step,
      erase: decisions.erase,
      addThroughput: (from, to, counts) => addThroughput(run, { from, to, counts }),
    },
    ...(connect && {
      watch: (listener, onProblem) => {
        const notify = (payload: string) =>
          run('SELECT pg_notify($1::text, $2::text)::text AS sent', [schema, payload]);
        const onDeaf = () => onProblem?.(postgresError('no-notifications', schema));
        const stop = listen({ connect, channel: schema, notify, onDeaf, clock, random: Math.random }, listener);
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

/** Makes the writes, then the claim, in one statement: `schema/turn.sql`. */
async function takeTurn(run: Run, { writes, claim }: Turn): Promise<TurnResult> {
  const request = {
    // An unstorable id becomes empty and matches no row. A repaired id could match another row.
    writes: writes.map(({ id, expected, change }) => ({
      id: isStorable(id) ? id : '',
      expected,
      change: wholeDelay(change),
    })),
    claim: claim && { ...claim, leaseMs: Math.round(claim.leaseMs) },
  };
  const [found] = await run(
    `SELECT schema.turn($1::text::jsonb) AS result, (SELECT json_agg(json_build_object('account', b.account, 'environment', b.environment, 'operation', b.operation, 'strikes', b.strikes))
      FROM schema.breakers AS b WHERE b.reason IS NULL AND b.strikes > 0)::text AS struck`,
    [toPostgresJson(request)],
  );
  const { written, claimed } = JSON.parse(found?.result ?? '{}') as { written: boolean[]; claimed: unknown[] };
  return { written, claimed: claimed.map(rowOf), struck: JSON.parse(found?.struck ?? '[]') as SeenPauses };
}

function runOf(transaction: unknown, schema: string, timeLimit: TimeLimit): Run {
  const refuse = (why: string) => new ConfigurationError(`transaction: ${why}. Nothing was enqueued.`);
  if (!sendsStatements(transaction))
    throw refuse('expected the object of your library that has begun it, such as a client of pg');
  if (isPool(transaction))
    throw refuse('a pool sends each statement over any connection; pass the client that has begun the transaction');
  if (transactionStatus(transaction) === 'I') throw postgresError('no-transaction', schema);
  return runWithin(transaction, schema, timeLimit);
}

/** The same, for writing: the server refuses a lock outside of a transaction, if the client cannot tell. */
async function runInTransaction(transaction: unknown, schema: string, timeLimit: TimeLimit): Promise<Run> {
  const run = runOf(transaction, schema, timeLimit);
  if (transactionStatus(Object(transaction)) === undefined) await run(`LOCK TABLE schema.meta IN ACCESS SHARE MODE`);
  return run;
}

/**
 * Makes and reads the outbox's own secret at the start, so that a report within the user's transaction needs no second
 * connection. Otherwise, transactions that hold the whole pool would wait for ever.
 */
const readSecret = (getOrCreateSetting: OutboxStore['getOrCreateSetting']): Promise<string | undefined> =>
  getOrCreateSetting(OWN_SECRET, newSecret()).catch((error) => {
    // A role that may only read does not need it.
    if (['read-only', 'privileges'].includes(postgresCodeOf(error))) return undefined;
    throw error;
  });
