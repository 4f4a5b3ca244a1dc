import type { Row } from '../../state-machine.js';
import type { PgBossLike, WakeUpJob } from './options.js';

/** The largest number of jobs that wait to be written. The reports of further jobs are found by polling. */
const MOST_WAITING = 1_000;
/** The delay of the job of a transaction, in seconds. The transaction should commit within it. */
const TRANSACTION_SECONDS = 1;

interface Settings {
  readonly boss: PgBossLike;
  readonly queue: string;
  readonly retentionSeconds: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Writes jobs in the background over the connections of pg-boss, one after the other. It never writes a job within the user's
 * transaction: a failed job would fail the transaction, and a rollback to a savepoint would also undo other statements of that
 * connection.
 */
export function createJobs({ boss, queue, retentionSeconds, onError }: Settings) {
  const waiting: { readonly row: Row; readonly startAfter: number }[] = [];
  let writing: Promise<void> | undefined;

  async function send({ account, environment, operation, reference }: Row, startAfter: number): Promise<void> {
    const job: WakeUpJob = { account, environment, operation, reference };
    // A retry of the job would not be faster than polling.
    await boss.send(queue, job, { retentionSeconds, retryLimit: 0, startAfter });
  }

  const tell = (error: unknown) => {
    try {
      onError(error);
    } catch {
      // An error of the listener must not stop the jobs.
    }
  };

  async function writeAll(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) await send(next.row, next.startAfter).catch(tell);
    writing = undefined;
  }

  return {
    /** Writes jobs in the background, for rows that are committed or still in a transaction. */
    write(rows: readonly Row[], inTransaction: boolean): void {
      const startAfter = inTransaction ? TRANSACTION_SECONDS : 0;
      waiting.push(...rows.slice(0, MOST_WAITING - waiting.length).map((row) => ({ row, startAfter })));
      if (waiting.length > 0) writing ??= writeAll();
    },
    /** Resolves once all jobs are written. */
    written: async (): Promise<void> => writing,
  };
}
