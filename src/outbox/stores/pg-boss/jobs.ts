import { ConfigurationError } from '../../../errors.js';
import type { Row } from '../../record.js';
import type { JobDatabase, PgBossLike, WakeUpJob } from './options.js';

/** As many jobs wait to be written at most; the reports of those beyond are found by polling. */
const MOST_WAITING = 1_000;
const SAVEPOINT = 'location_sdk_job';

interface Settings {
  readonly boss: PgBossLike;
  readonly queue: string;
  readonly retentionSeconds: number;
  readonly onError: (error: unknown) => void;
}

/** Writes jobs: with a transaction of the user's in it, else after the commit of their rows and one after the other. */
export function createJobs({ boss, queue, retentionSeconds, onError }: Settings) {
  const waiting: Row[] = [];
  let writing: Promise<void> | undefined;

  async function send({ environment, operation, reference }: Row, db?: JobDatabase): Promise<void> {
    const job: WakeUpJob = { environment, operation, reference };
    // Tried again it would wake nobody sooner than polling does.
    await boss.send(queue, job, { retentionSeconds, retryLimit: 0, ...(db && { db }) });
  }

  const tell = (error: unknown) => {
    try {
      onError(error);
    } catch {
      // The listener's own affair.
    }
  };

  async function writeAll(): Promise<void> {
    for (let row = waiting.shift(); row; row = waiting.shift()) await send(row).catch(tell);
    writing = undefined;
  }

  return {
    /** Nobody waits for these. */
    later(rows: readonly Row[]): void {
      waiting.push(...rows.slice(0, MOST_WAITING - waiting.length));
      writing ??= writeAll();
    },
    /** A job that fails must not take the transaction with it: the savepoint is what it goes back to. */
    async within(transaction: unknown, rows: readonly Row[]): Promise<void> {
      const db = jobDatabase(transaction);
      if (rows.length === 0) return;
      await db.executeSql(`SAVEPOINT ${SAVEPOINT}`, []);
      try {
        for (const row of rows.slice(0, MOST_WAITING)) await send(row, db);
      } catch (error) {
        await db.executeSql(`ROLLBACK TO SAVEPOINT ${SAVEPOINT}`, []);
        tell(error);
      }
      await db.executeSql(`RELEASE SAVEPOINT ${SAVEPOINT}`, []);
    },
    /** Once what waits is written. */
    written: async (): Promise<void> => writing,
  };
}

/** The user's transaction as pg-boss wants it. */
function jobDatabase(transaction: unknown): JobDatabase {
  const { query } = Object(transaction) as { query?: (text: string, values: unknown[]) => PromiseLike<{ readonly rows: readonly unknown[] }> };
  if (typeof query !== 'function') throw new ConfigurationError('transaction: expected the client whose transaction it is, with query(text, values).');
  return { executeSql: async (text, values) => ({ rows: [...(await query.call(transaction, text, values)).rows] }) };
}
