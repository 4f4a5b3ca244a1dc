import { hasCode } from '../../../core/errors/errors.js';
import { isStoreError } from '../../../core/errors/store-error.js';
import { newSecret, OWN_SECRET } from '../../seal/key-ring.js';
import type { OpenCounts } from '../../store/operator-store.js';
import type { Enqueued, NewRow, OutboxStore, Turn, TurnResult } from '../../store/store.js';
import { rebind, writePause } from '../sql/destinations.js';
import type { Dialect } from '../sql/dialect.js';
import { createSharedStatements } from '../sql/shared-statements.js';
import { isStorable } from '../storable-text.js';
import { createCommits, createRetryWhileBusy, watchCommits } from './commits.js';
import { addThroughput, countOpen, countRows, createTally } from './counts.js';
import {
  type Connection,
  connect,
  ensureReadable,
  fileOf,
  pragma,
  rollBack,
  type SqliteDatabase,
  type SqliteValue,
} from './database.js';
import { createDecisions, emptyLog, eraseRows } from './decisions.js';
import { createDestinations } from './destinations.js';
import { asSqliteError, isNested, libraryCodeOf, sqliteError } from './failure.js';
import { guardFile, noteOpen } from './file-checks.js';
import { createFileTime } from './file-time.js';
import { createReceipts, pruneStep } from './final-rows.js';
import { closeFile, ensureFull, ensureKeepsCommits, type OpenDatabase, openFile, prepareDatabase } from './open.js';
import { readSqliteOptions, type SqliteStoreOptions } from './options.js';
import { BODILESS, createRows, ROW, rowOf } from './rows.js';
import { listRows, readMissingKeys, searchRows } from './search.js';

/**
 * Makes a store in a SQLite file, for one machine with any number of processes. Accepted reports outlive the process
 * and a power loss: commits are made in WAL mode with `synchronous=FULL`. Rejects with a `StoreError` and changes
 * nothing if the file is damaged, newer than this package or cannot be opened. Rejects with a `ConfigurationError` if
 * the options are wrong.
 *
 * @example
 * ```ts
 * import { sqliteStore } from 'location-sdk/outbox/sqlite';
 *
 * const outbox = createOutbox({ client, store: await sqliteStore({ file: '/var/lib/bets/outbox.db' }) });
 * ```
 */
export async function sqliteStore(options: SqliteStoreOptions): Promise<OutboxStore> {
  const { file, open, database: given, busyTimeoutMs: busyMs, clock, random } = readSqliteOptions(options);
  if (given) ensureReadable(given);
  const opened = given ? { database: given, place: fileOf(given) || ':memory:' } : await openOrReject(file ?? '', open);
  const { database, place } = opened;
  const connection = connect(database);
  const tally = createTally(connection);
  const retryWhileBusy = createRetryWhileBusy({ clock, random, busyMs });
  let noteClosed = () => {};
  const forget = () => {
    noteClosed();
    connection.forget();
  };

  /** Prepares the file. The store does not exist before, so nothing is committed without its checks. */
  async function prepare() {
    const durable = await retryWhileBusy(() => prepareDatabase(database, place, !given));
    const real = fileOf(database);
    noteClosed = noteOpen(database, real);
    const guard = await retryWhileBusy(() => guardFile(given ? real : place, real, connection));
    const verify = () => {
      if (given) ensureFull(database, place);
      guard.verify();
    };
    const commits = createCommits({ connection, place, retryWhileBusy, guard: { ...guard, verify }, tally });
    const time = await retryWhileBusy(() => createFileTime(connection, clock));
    const dialect = dialectOf(connection, time.now, commits);
    const reads = createSharedStatements(dialect);
    // The first report may come in a transaction of the user, which keeps the store from writing.
    await reads.getOrCreateSetting(OWN_SECRET, newSecret());
    return { durable, guard, commits, time, dialect, reads };
  }

  const { durable, guard, commits, time, dialect, reads } = await prepare().catch((error) => {
    forget();
    const isUnfit = hasCode(error, 'configuration');
    if (!given && !isUnfit) database.close();
    throw isUnfit ? error : asSqliteError(place, error);
  });

  const ensureSame = () => {
    guard.ensureLive();
    guard.verify();
  };
  const close = async () => {
    await commits.close();
    try {
      if (!given) closeFile(database, ensureSame);
    } catch (error) {
      throw asSqliteError(place, error);
    }
    forget();
  };
  let closing: Promise<void> | undefined;

  const { now } = time;
  const rows = createRows(connection, tally);
  const destinations = createDestinations(connection);
  const receipts = createReceipts(connection);
  const decisions = createDecisions(connection, rows.write);
  const { read, write } = commits;

  async function turn({ writes, claim }: Turn): Promise<TurnResult> {
    const open = (at: number) => (claim ? destinations.open(claim, at) : []);
    // An idle worker only reads, so that others can write.
    if (writes.length === 0) {
      const at = now();
      if (!claim || !(await read(() => destinations.hasDue(open(at), at)))) return { written: [], claimed: [] };
    }
    return write(
      () => {
        const at = time.catchUp();
        const written = writes.map((one) => rows.write(one, at));
        const claimed = claim ? rows.claim(claim, open(at), at) : [];
        // A turn without changes must not commit, since that would wake the workers of other processes.
        if (written.includes(true) || claimed.length > 0) {
          tally.turn();
          time.store(at);
        }
        return { written, claimed };
      },
      { rows: writes.length + (claim?.limit ?? 0) },
    );
  }

  function enqueue(added: readonly NewRow[]): Promise<readonly Enqueued[]> {
    const [first, ...others] = added;
    const insertFirst = (given: NewRow) => {
      const row = rows.insertOne(given, now());
      if (!row) return undefined;
      guard.reach(row.sequence);
      return [{ row, added: true }];
    };
    return write(
      () => {
        destinations.ensure(added);
        return added.map((row) => rows.add(row, now()));
      },
      {
        rows: added.length,
        alone: first && others.length === 0 && first.waitsFor === undefined ? () => insertFirst(first) : undefined,
      },
    );
  }

  /**
   * Adds rows within the user's transaction, on the store's connection or another one to the same file. Adds all rows
   * or none. They are visible once the user commits.
   */
  async function enqueueWithin(transaction: unknown, added: readonly NewRow[]): Promise<readonly Enqueued[]> {
    const within = connectionWithin(transaction, place, database);
    ensureSame();
    ensureFull(within.database, place);
    const counted = createTally(within);
    within.database.exec('SAVEPOINT outbox');
    try {
      createDestinations(within).ensure(added);
      const { add } = createRows(within, counted);
      const at = now();
      const enqueued = added.map((row) => add(row, at));
      counted.write();
      within.database.exec('RELEASE outbox');
      return enqueued;
    } catch (error) {
      rollBack(within.database, 'ROLLBACK TO outbox; RELEASE outbox');
      throw hasCode(error, 'configuration') ? error : asSqliteError(place, error);
    }
  }

  return {
    durable,
    transactional: true,
    enqueue: (added, transaction) => (transaction === undefined ? enqueue(added) : enqueueWithin(transaction, added)),
    turn,
    bind: async (given) => {
      // Usually all destinations are bound, and a read is enough.
      const isBound = await read(() => given.every(destinations.isBound));
      const bind = () => given.map(destinations.bind);
      return isBound ? read(bind) : write(bind);
    },
    rebind: (change) => rebind(dialect, change),
    outlook: (accounts) => read(() => destinations.outlook(now(), accounts)),
    pause: (change) => writePause(dialect, change),
    get: (ids, transaction) =>
      read(() => {
        const { first } = transaction === undefined ? connection : connectionWithin(transaction, place, database);
        return ids.map((id) => {
          const found = isStorable(id) && first(`SELECT ${ROW} FROM outbox_rows WHERE id = ?`, id);
          return found ? rowOf(found) : undefined;
        });
      }),
    missingKeys: (accounts) => read(() => readMissingKeys(connection, accounts ?? destinations.accounts())),
    list: (query) => read(() => listRows(connection, query)),
    counts: (accounts) => read(() => countRows(connection, tally, accounts ?? destinations.accounts())),
    prune: (request) => write(() => pruneStep(connection, request, Math.trunc(clock.now())), { rows: request.limit }),
    prunedBefore: reads.prunedBefore,
    getOrCreateSetting: reads.getOrCreateSetting,
    operator: {
      ...reads.operator,
      now: async () => now(),
      open: () =>
        read(() => {
          const places = countOpen(connection, destinations.accounts());
          const isShown = (place: OpenCounts) =>
            destinations.isBound(place) || place.oldestOpenAt !== undefined || place.quarantined > 0;
          return { countedAt: now(), places: places.filter(isShown) };
        }),
      finals: (accounts) => read(() => tally.read(accounts ?? destinations.accounts())),
      async search(wanted) {
        const range = await reads.rangeOf(wanted);
        return read(() => searchRows(connection, wanted, range));
      },
      async begin(decision) {
        await write(() => decisions.add(decision, now()));
        return reads.begun(decision.id);
      },
      step: (step) =>
        write(
          () => {
            const written = decisions.step(step, now());
            if (written?.includes(true)) tally.turn();
            return written;
          },
          { rows: step.writes.length },
        ),
      erase: (decision, erased) => write(() => eraseRows(connection, decision, erased), { rows: erased.length }),
      emptyLog: () =>
        read(() => emptyLog(connection, place)).then(
          () => true,
          () => false,
        ),
      addThroughput: (from, to, counts) => write(() => addThroughput(connection, { from, to, counts }, now())),
    },
    receipts: {
      unlogged: (limit) => read(() => receipts.unlogged(limit)),
      append: (lines) => write(() => receipts.append(lines), { rows: lines.length }),
      ...reads.receipts,
    },
    watch: (listener) => watchCommits(() => pragma(database, 'data_version'), listener, clock),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

async function openOrReject(file: string, open: OpenDatabase | undefined) {
  try {
    return await openFile(file, open);
  } catch (error) {
    if (isStoreError(error)) throw error;
    const code = libraryCodeOf(error);
    throw sqliteError(code === 'other' ? 'unavailable' : code, file, error);
  }
}

/** The shared statements in the words of SQLite. */
function dialectOf(
  connection: Connection,
  now: () => number,
  { read, write }: Pick<ReturnType<typeof createCommits>, 'read' | 'write'>,
): Dialect {
  const all = (text: string, values: readonly SqliteValue[]) => connection.all(text.replaceAll('?#', '?'), ...values);
  const first = (text: string, values: readonly SqliteValue[]) =>
    connection.first(text.replaceAll('?#', '?'), ...values);
  return {
    table: (name) => `outbox_${name}`,
    columns: (...given) => given.join(', '),
    all: (text, ...values) => read(() => all(text, values)),
    first: (text, ...values) => read(() => first(text, values)),
    change: (text, ...values) => write(() => first(text, values)),
    changeByClock: (text, ...values) =>
      write(() => first(`WITH clock AS (SELECT ? AS now) ${text}`, [now(), ...values])),
    appended: (column, members) => `json_insert(${column}, '$[#]', json_object(${members}))`,
    bodiless: (sequences, ...values) =>
      read(() =>
        all(`SELECT ${BODILESS} FROM outbox_rows WHERE sequence IN (${sequences}) ORDER BY sequence`, values).map(
          rowOf,
        ),
      ),
    rowsTable: 'outbox_rows',
    quarantinedTable: 'outbox_rows AS q INDEXED BY outbox_problems',
    joinOfOperation: '',
    countOfSettlements: `(SELECT count(*) FROM outbox_rows AS d INDEXED BY outbox_dependents
      WHERE d.waits_for = q.id AND d.state = 'waiting' AND d.blocked = 1)`,
    elements: 'json_each(?)',
  };
}

/** The connection of the user's transaction. Throws if it is not one to the store's file, with an open transaction. */
function connectionWithin(transaction: unknown, place: string, own: SqliteDatabase): Connection {
  const database = transaction as SqliteDatabase;
  if (typeof database?.exec !== 'function' || typeof database.prepare !== 'function')
    throw unfit(place, 'expected the connection that has begun it');
  if (database !== own) {
    ensureReadable(database);
    if (fileOf(database) !== fileOf(own)) throw unfit(place, 'the connection has another file open');
    ensureKeepsCommits(database, place);
  }
  if (!isWithin(database)) throw unfit(place, 'the connection has no open transaction');
  return connect(database);
}

const unfit = (place: string, why: string) => sqliteError('other', place, undefined, `: transaction: ${why}`);

/** Whether a transaction is open. It tries to begin one, since the libraries have different names for the state. */
function isWithin(database: SqliteDatabase): boolean {
  try {
    database.exec('BEGIN');
  } catch (error) {
    return isNested((error as Error).message);
  }
  database.exec('ROLLBACK');
  return false;
}
