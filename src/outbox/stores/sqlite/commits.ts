import { isConfigurationError } from '../../../errors/guards.js';
import type { Clock } from '../../../platform/time.js';
import { type Connection, isOutsideTransaction, rollBack } from './database.js';
import { asSqliteError, sqliteCodeOf, sqliteError } from './failure.js';

/** Work for a transaction: done at once, and done again from the start where the transaction had to be taken back. */
export interface Job {
  readonly work: () => unknown;
  /** How many rows it writes, about. */
  readonly rows: number;
  /** Whether it writes with one statement at most, so that it is whole without a transaction around it. */
  readonly isOneStatement: boolean;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

export interface CommitSettings {
  readonly connection: Connection;
  /** The file, for messages. */
  readonly place: string;
  readonly clock: Clock;
  readonly random: () => number;
  /** How long it is tried again while others hold the file. */
  readonly busyMs: number;
  /** Before each transaction; throws where the connection is no longer fit. */
  readonly verify: () => void;
  /** After each commit; throws where the file is no longer the one that was opened. */
  readonly ensureLive: () => void;
  /** After each commit to that file. */
  readonly committed: () => void;
  /** Around the work of each transaction. */
  readonly tally: { reset(): void; write(): void };
}

/** How many rows share a commit, about: others wait for the file meanwhile. */
const LARGEST_COMMIT = 1_000;
const FIRST_WAIT_MS = 2;
const LONGEST_WAIT_MS = 100;

/**
 * Transactions, one after the other. What is asked for in the same turn of the event loop shares one commit, since
 * what a commit costs is the wait for the disk. Others who hold the file are waited for with timers, within a limit.
 */
export function createCommits({ connection, place, clock, random, busyMs, verify, ensureLive, committed, tally }: CommitSettings) {
  const jobs: Job[] = [];
  let running: Promise<void> | undefined;
  let closed = false;

  /** Tries something until others let go of the file. */
  async function patiently<T>(attempt: () => T): Promise<T> {
    const began = performance.now();
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(LONGEST_WAIT_MS, wait * 2)) {
      try {
        if (closed && !running) throw sqliteError('closed', place);
        return attempt();
      } catch (error) {
        // What is refused, and not by SQLite.
        if (isConfigurationError(error)) throw error;
        if (sqliteCodeOf(error) !== 'busy' || performance.now() - began > busyMs) throw asSqliteError(place, error);
      }
      await new Promise<void>((resolve) => clock.setTimeout(resolve, wait * (0.5 + random() / 2)));
    }
  }

  /** Once the file was gone, nothing is done before it is there again. */
  let isGone = false;
  function look(): void {
    isGone = true;
    ensureLive();
    isGone = false;
  }

  function transact(group: readonly Job[]): unknown[] {
    if (isGone) look();
    verify();
    const results = commitTogether(group);
    // What was committed to a file that is gone is lost: it is not acknowledged.
    look();
    committed();
    return results;
  }

  function commitTogether(group: readonly Job[]): unknown[] {
    const [first] = group;
    // BEGIN and COMMIT are statements, too. Within a transaction of somebody else's it would not be committed.
    if (group.length === 1 && first?.isOneStatement && isOutsideTransaction(connection.database)) return [first.work()];
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
      const results = await patiently(() => transact(group));
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as never);
    } catch (error) {
      // What one cannot have must not be refused to the others.
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
      // The end of this turn of the event loop: all that came in by then goes together.
      await new Promise<void>((resolve) => setImmediate(resolve));
      await commit(nextGroup());
    }
    running = undefined;
  }

  return {
    /** Does work within a transaction, which one statement is by itself; resolves once it is committed. */
    write: <T>(work: () => T, { rows = 1, isOneStatement = false } = {}): Promise<T> =>
      new Promise((resolve, reject) => {
        if (closed) return reject(sqliteError('closed', place));
        jobs.push({ work, rows, isOneStatement, resolve, reject });
        running ??= commitAll();
      }),
    /** Reads, outside of any transaction of the store's. */
    read: <T>(work: () => T): Promise<T> =>
      patiently(() => {
        if (isGone) look();
        return work();
      }),
    /** Ends with what was asked for before. */
    async close(): Promise<void> {
      closed = true;
      await running;
    },
  };
}
