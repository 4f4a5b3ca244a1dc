import type { Row } from '../../state-machine.js';
import type { PgBossLike, WakeUpJob } from './options.js';

/** As many jobs wait to be written at most; the reports of those beyond are found by polling. */
const MOST_WAITING = 1_000;
/** Seconds that a transaction is given to commit, before the instances are told to look. */
const TRANSACTION_SECONDS = 1;

interface Settings {
  readonly boss: PgBossLike;
  readonly queue: string;
  readonly retentionSeconds: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Writes jobs over the connections of pg-boss, one after the other, and nobody waits for them. None is written in a
 * transaction of the user's: one that failed would take the transaction with it, and a savepoint to go back to would
 * also take back what else was sent over that connection meanwhile.
 */
export function createJobs({ boss, queue, retentionSeconds, onError }: Settings) {
  const waiting: { readonly row: Row; readonly startAfter: number }[] = [];
  let writing: Promise<void> | undefined;

  async function send({ account, environment, operation, reference }: Row, startAfter: number): Promise<void> {
    const job: WakeUpJob = { account, environment, operation, reference };
    // Tried again it would wake nobody sooner than polling does.
    await boss.send(queue, job, { retentionSeconds, retryLimit: 0, startAfter });
  }

  const tell = (error: unknown) => {
    try {
      onError(error);
    } catch {
      // The listener's own affair.
    }
  };

  async function writeAll(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) await send(next.row, next.startAfter).catch(tell);
    writing = undefined;
  }

  return {
    /** Has jobs written for rows that are committed, or that a transaction still has to commit. */
    write(rows: readonly Row[], inTransaction: boolean): void {
      const startAfter = inTransaction ? TRANSACTION_SECONDS : 0;
      waiting.push(...rows.slice(0, MOST_WAITING - waiting.length).map((row) => ({ row, startAfter })));
      if (waiting.length > 0) writing ??= writeAll();
    },
    /** Once what waits is written. */
    written: async (): Promise<void> => writing,
  };
}
