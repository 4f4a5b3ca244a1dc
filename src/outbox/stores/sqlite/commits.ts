import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { hasCode } from '../../../core/errors/errors.js';
import type { StoreError } from '../../../core/errors/store-error.js';
import type { Clock } from '../../../core/platform/time.js';
import { type Connection, isOutsideTransaction, rollBack } from './database.js';
import { asSqliteError, sqliteCodeOf, sqliteError } from './failure.js';
import type { FileGuard } from './file-checks.js';

/** Synchronous work for a transaction. It runs again from the start if the transaction was rolled back. */
export interface Job {
  readonly work: () => unknown;
  /** The approximate number of rows that it writes. */
  readonly rows: number;
  /**
   * Does the work with one statement, which is atomic without a transaction. Undefined: the work needs a transaction.
   */
  readonly alone: (() => unknown) | undefined;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

interface CommitSettings {
  readonly connection: Connection;
  readonly place: string;
  readonly retryWhileBusy: RetryWhileBusy;
  readonly guard: FileGuard;
  /** The counts: reset before the work of a transaction, and written after it. */
  readonly tally: { reset(): void; write(): void };
}

const FIRST_WAIT_MS = 2;
const LONGEST_BUSY_WAIT_MS = 100;
/** The approximate number of rows in a commit. Other writers wait for the file during the commit. */
const LARGEST_COMMIT = 1_000;

/**
 * Runs transactions one after the other. Jobs of the same turn of the event loop share one commit and its wait for the
 * disk.
 */
export function createCommits({ connection, place, retryWhileBusy, guard, tally }: CommitSettings) {
  const { look, ensureBack, attempt } = createAttempts({ place, retryWhileBusy, guard });
  const jobs: Job[] = [];
  let running: Promise<void> | undefined;
  let closed = false;

  function transact(group: readonly Job[]): unknown[] {
    ensureBack();
    guard.verify();
    const result = commitAlone(group);
    const results = result === undefined ? commitTogether(group) : [result];
    // A commit to a missing file is lost, so it must not be acknowledged.
    look();
    if (result === undefined) guard.note();
    return results;
  }

  /** Saves BEGIN and COMMIT. This is not possible within the user's transaction, which would not be committed. */
  function commitAlone([job, ...others]: readonly Job[]): unknown {
    if (!job?.alone || others.length > 0 || !isOutsideTransaction(connection.database)) return undefined;
    return job.alone();
  }

  function commitTogether(group: readonly Job[]): unknown[] {
    connection.run('BEGIN IMMEDIATE');
    try {
      tally.reset();
      const results = group.map(({ work }) => work());
      tally.write();
      connection.run('COMMIT');
      return results;
    } catch (error) {
      rollBack(connection.database);
      throw error;
    }
  }

  async function commit(group: readonly Job[]): Promise<void> {
    try {
      const results = await attempt(() => transact(group));
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as never);
    } catch (error) {
      // The failure of one job must not fail the others.
      if (group.length > 1 && sqliteCodeOf(error) !== 'busy') for (const job of group) await commit([job]);
      else for (const { reject } of group) reject(error);
    }
  }

  function nextGroup(): Job[] {
    let rows = 0;
    const end = jobs.findIndex((job) => {
      rows += job.rows;
      return rows >= LARGEST_COMMIT;
    });
    return jobs.splice(0, end < 0 ? jobs.length : end + 1);
  }

  async function commitAll(): Promise<void> {
    while (jobs.length > 0) {
      // Wait for the end of this turn of the event loop, so that its jobs share a commit.
      await nextTurn();
      await commit(nextGroup());
    }
    running = undefined;
  }

  return {
    /** Runs work in a transaction. Resolves once it is committed. */
    write: <T>(
      work: () => T,
      { rows = 1, alone }: { rows?: number; alone?: (() => T | undefined) | undefined } = {},
    ): Promise<T> =>
      new Promise((resolve, reject) => {
        if (closed) return reject(sqliteError('closed', place));
        jobs.push({ work, rows, alone, resolve, reject });
        running ??= commitAll();
      }),
    /** Runs reading work outside of the store's transactions. */
    read: <T>(work: () => T): Promise<T> =>
      attempt(() => {
        if (closed && !running) throw sqliteError('closed', place);
        ensureBack();
        return work();
      }),
    async close(): Promise<void> {
      closed = true;
      await running;
    },
  };
}

export type Commits = ReturnType<typeof createCommits>;

/** Attempts to use the file. They remember that it was missing, or is damaged. */
function createAttempts({ place, retryWhileBusy, guard }: Omit<CommitSettings, 'connection' | 'tally'>) {
  /** The error of a damaged file. From then on every call rejects with it. */
  let damage: StoreError | undefined;

  let isGone = false;
  function look(): void {
    isGone = true;
    guard.ensureLive();
    isGone = false;
  }

  /** The error of a failure. A file that was replaced or restored looks damaged, too. */
  function failureOf(error: unknown): unknown {
    // A refusal of the outbox, and not an error of SQLite.
    if (hasCode(error, 'configuration')) return error;
    if (sqliteCodeOf(error) !== 'corrupt') return asSqliteError(place, error);
    try {
      look();
      guard.verify();
    } catch (other) {
      return asSqliteError(place, other);
    }
    damage = asSqliteError(place, error);
    return damage;
  }

  return {
    /** Throws if the file is missing. */
    look,
    /** Throws if the file was missing, and is not back. */
    ensureBack(): void {
      if (isGone) look();
    },
    /** Runs work, again while others hold the file. Rejects with the store's own error. */
    attempt: <T>(work: () => T): Promise<T> =>
      retryWhileBusy(() => {
        if (damage) throw damage;
        return work();
      }).catch((error) => {
        throw failureOf(error);
      }),
  };
}

/** Runs an attempt again while others hold the file, for at most `busyMs`. Rejects with the error of the last one. */
export function createRetryWhileBusy({
  clock,
  random,
  busyMs,
}: {
  readonly clock: Clock;
  readonly random: () => number;
  readonly busyMs: number;
}) {
  return async <T>(attempt: () => T): Promise<T> => {
    const began = performance.now();
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(LONGEST_BUSY_WAIT_MS, wait * 2)) {
      try {
        return attempt();
      } catch (error) {
        if (sqliteCodeOf(error) !== 'busy' || performance.now() - began > busyMs) throw error;
      }
      await new Promise<void>((resolve) => clock.setTimeout(resolve, wait * (0.5 + random() / 2)));
    }
  };
}

type RetryWhileBusy = ReturnType<typeof createRetryWhileBusy>;

let waiting: (() => void)[] = [];
let ports: { readonly from: MessagePort; readonly to: MessagePort } | undefined;

/** One channel for all stores: to open one takes longer than a commit may. */
function openPorts() {
  const { port1: to, port2: from } = new MessageChannel();
  to.on('message', () => {
    const turn = waiting;
    waiting = [];
    to.unref();
    for (const resolve of turn) resolve();
  });
  return { from, to };
}

/**
 * Resolves in the next turn of the event loop. By a message: a test that fakes `setImmediate` and the other timers
 * would wait forever.
 */
const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    ports ??= openPorts();
    if (waiting.push(resolve) > 1) return;
    ports.to.ref();
    ports.from.postMessage(undefined);
  });

/** The interval of the check for commits of other processes. The check is cheap: SQLite has the number in memory. */
const WATCH_MS = 100;

/** Calls the listener when another connection has committed. Returns a function that stops this. */
export function watchCommits(version: () => unknown, listener: () => void, clock: Clock): () => void {
  let timer: unknown;
  let seen: unknown;

  function look(): unknown {
    try {
      return version();
    } catch {
      // Others hold the file for a moment. The next check reads it.
      return seen;
    }
  }

  function next(): void {
    timer = clock.setTimeout(() => {
      const now = look();
      if (now !== seen) listener();
      seen = now;
      next();
    }, WATCH_MS);
    // The timer must not keep the process alive.
    (timer as { unref?: () => void } | undefined)?.unref?.();
  }

  seen = look();
  next();
  return () => clock.clearTimeout(timer);
}
