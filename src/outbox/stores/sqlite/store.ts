import { newSecret, OWN_SECRET } from '../../seal/key-ring.js';
import type { OutboxStore, Turn, TurnResult } from '../../store.js';
import { isStorable } from '../storable.js';
import { createCommits } from './commits.js';
import { sqliteConsole } from './console/store.js';
import { contradiction, isSound } from './damage.js';
import { connect, fileOf, pragma } from './database.js';
import { createDestinations } from './destinations.js';
import { SqliteStoreError, sqliteCodeOf, sqliteError } from './failure.js';
import { listRows } from './list.js';
import { watchFiles, watchProgress } from './live-file.js';
import { readMissingKeys } from './missing-keys.js';
import { noteOpen } from './one-library.js';
import { closeFile, ensureFull, type OpenDatabase, openFile, prepareDatabase } from './open.js';
import { readSqliteOptions, type SqliteStoreOptions } from './options.js';
import { createPrune } from './prune.js';
import { createReceipts } from './receipts.js';
import { ROW, rowOf } from './row-columns.js';
import { createRows, isOneStatement } from './rows.js';
import { createSettings } from './settings.js';
import { createTally } from './tally.js';
import { enqueueWithin } from './transaction.js';
import { watchCommits } from './watch.js';

/**
 * Makes a store in a SQLite file, for one machine with any number of processes. Accepted reports outlive the process and a
 * power loss: commits are made in WAL mode with `synchronous=FULL`. Rejects with a `SqliteStoreError` and changes nothing if the
 * file is damaged, newer than this package or cannot be opened. Rejects with a `ConfigurationError` if the options are wrong.
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
  const opened = given ? { database: given, place: fileOf(given) || ':memory:' } : await openOrReject(file ?? '', open);
  const { database, place } = opened;
  /** Checks the file after something that should not happen. A file that is too large to check counts as damaged then. */
  const suspect = () => {
    if (isSound(connection, !given) !== true) throw contradiction('a row or an index entry is missing');
  };
  let isTextSeen = false;
  const connection = connect(database, () => {
    if (isTextSeen) return;
    isTextSeen = true;
    if (isSound(connection, !given) === false) throw contradiction('a text is not valid Unicode');
  });
  const tally = createTally(connection, suspect);
  let progress: ReturnType<typeof watchProgress> | undefined;
  const verify = () => {
    if (given) ensureFull(database, place);
    progress?.verify();
  };
  let ensureLive = () => {};
  let noteClosed = () => {};
  const commits = createCommits({ connection, place, clock, random, busyMs, verify, ensureLive: () => ensureLive(), committed: () => progress?.note(), tally });

  const settings = createSettings(connection, commits);

  let durable: boolean;
  try {
    durable = await commits.read(() => prepareDatabase(database, place, !given));
    const real = fileOf(database);
    noteClosed = noteOpen(database, real);
    ensureLive = watchFiles(given ? real : place, real);
    progress = await commits.read(() => watchProgress(real, connection));
    // The first report may come in a transaction of the user, which keeps the store from writing.
    await settings.remember(OWN_SECRET, newSecret());
  } catch (error) {
    noteClosed();
    if (!given) database.close();
    throw error;
  }

  const ensureSame = () => {
    ensureLive();
    progress?.verify();
  };
  const close = async () => {
    await commits.close();
    noteClosed();
    if (!given) closeFile(database, ensureSame);
    connection.forget();
  };
  let closing: Promise<void> | undefined;

  const rows = createRows(connection, tally, suspect);
  const destinations = createDestinations(connection);
  const receipts = createReceipts(connection);
  const prune = createPrune(connection);
  const { read, write } = commits;

  async function turn({ writes, claim }: Turn): Promise<TurnResult> {
    const open = (now: number) => (claim ? destinations.open(claim, now) : []);
    // An idle worker only reads, so that others can write.
    if (writes.length === 0) {
      const now = clock.now();
      if (!claim || !(await read(() => destinations.hasDue(open(now), now)))) return { written: [], claimed: [] };
    }
    return write(
      () => {
        const now = clock.now();
        const written = writes.map((one) => rows.write(one, now));
        const claimed = claim ? rows.claim(claim, open(now), now) : [];
        // A turn without changes must not commit, since that would wake the workers of other processes.
        if (written.includes(true) || claimed.length > 0) tally.turn();
        return { written, claimed };
      },
      { rows: writes.length + (claim?.limit ?? 0) },
    );
  }

  return {
    durable,
    transactional: true,
    enqueue: (added, transaction) =>
      transaction === undefined
        ? write(
            () => {
              destinations.ensure(added);
              return added.map((row) => rows.add(row, clock.now()));
            },
            { rows: added.length, isOneStatement: () => isOneStatement(added) && added.every(destinations.isBound) },
          )
        : enqueueWithin(transaction, { own: database, place, ensureLive: ensureSame, rows: added, now: clock.now() }),
    turn,
    bind: async (given) => {
      // Usually all destinations are bound, and a read is enough.
      const isBound = await read(() => given.every(destinations.isBound));
      const bind = () => given.map(destinations.bind);
      return isBound ? read(bind) : write(bind);
    },
    rebind: (change) => write(() => destinations.rebind(change, clock.now())),
    outlook: (accounts) => read(() => destinations.outlook(clock.now(), accounts)),
    pause: (change) => write(() => destinations.change(change, clock.now())),
    get: (ids) =>
      read(() =>
        ids.map((id) => {
          const found = isStorable(id) && connection.first(`SELECT ${ROW} FROM outbox_rows WHERE id = ?`, id);
          return found ? rowOf(found) : undefined;
        }),
      ),
    missingKeys: (accounts) => read(() => readMissingKeys(connection, accounts ?? destinations.accounts())),
    list: (query) => read(() => listRows(connection, query)),
    counts: (accounts) => read(() => tally.read(accounts ?? destinations.accounts())),
    prune: (request) => write(() => prune.step(request, clock.now()), { rows: request.limit }),
    prunedBefore: (account) => read(() => prune.before(account)),
    remember: settings.remember,
    console: sqliteConsole({
      connection,
      now: clock.now,
      read,
      write,
      change: rows.write,
      finals: (accounts) => tally.finals(accounts ?? destinations.accounts()),
      turned: tally.turn,
    }),
    receipts: {
      unlogged: (limit) => read(() => receipts.unlogged(limit)),
      append: (lines) => write(() => receipts.append(lines), { rows: lines.length }),
      read: (from, limit) => read(() => receipts.read(from, limit)),
      last: () => read(receipts.last),
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
    if (error instanceof SqliteStoreError) throw error;
    const code = sqliteCodeOf(error);
    throw sqliteError(code === 'other' ? 'unavailable' : code, file, error);
  }
}
