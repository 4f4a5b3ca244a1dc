import type { OpenCounts, OperatorStore } from '../../store/operator-store.js';
import type { OutboxStore } from '../../store/store.js';
import { createDestinationChanges } from '../sql/destinations.js';
import { isStorable } from '../storable-text.js';
import { watchCommits } from './commits.js';
import { addThroughput, countOpen, countRows } from './counts.js';
import { pragma } from './database.js';
import { createDecisions, emptyLog, eraseRows } from './decisions.js';
import { createDestinations, type Destinations } from './destinations.js';
import { connectionWithin, createEnqueue } from './enqueue.js';
import { createReceipts, pruneStep } from './final-rows.js';
import { openStoreFile, type StoreFile } from './open-store.js';
import type { SqliteStoreOptions } from './options.js';
import { createRows, ROW, type Rows, rowOf } from './rows.js';
import { listRows, readMissingKeys, searchRows } from './search.js';
import { createTurn } from './turn.js';

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
  const file = await openStoreFile(options);
  const { connection, place, durable, tally, clock, dialect, reads } = file;
  const { read, write } = file.commits;
  const { now } = file.time;
  const { database } = connection;
  const rows = createRows(connection, tally);
  const destinations = createDestinations(connection);
  const receipts = createReceipts(connection);
  let closing: Promise<void> | undefined;

  return {
    durable,
    transactional: true,
    enqueue: createEnqueue(file, rows, destinations),
    turn: createTurn(file, rows, destinations),
    bind: async (given) => {
      // Usually all destinations are bound, and a read is enough.
      const isBound = await read(() => given.every(destinations.isBound));
      const bind = () => given.map(destinations.bind);
      return isBound ? read(bind) : write(bind);
    },
    ...createDestinationChanges(dialect),
    outlook: (accounts) => read(() => destinations.outlook(now(), accounts)),
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
    operator: operatorOf(file, rows, destinations),
    receipts: {
      unlogged: (limit) => read(() => receipts.unlogged(limit)),
      append: (lines) => write(() => receipts.append(lines), { rows: lines.length }),
      ...reads.receipts,
    },
    watch: (listener) => watchCommits(() => pragma(database, 'data_version'), listener, clock),
    close: () => {
      closing ??= file.close();
      return closing;
    },
  };
}

function operatorOf(
  { connection, place, tally, commits: { read, write }, time: { now }, reads }: StoreFile,
  rows: Rows,
  destinations: Destinations,
): OperatorStore {
  const decisions = createDecisions(connection, rows.write);
  return {
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
      const range = await reads.readSearchRange(wanted);
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
  };
}
