import { systemClock, withTimeout } from '../../../platform/time.js';
import type { OutboxStore } from '../../store.js';
import { createJobs } from './jobs.js';
import { makeQueue } from './make-queue.js';
import { type PgBossStoreOptions, readPgBossOptions } from './options.js';

/** The time limit of `close` for jobs that are being written. */
const CLOSE_MS = 5_000;

/**
 * Makes a store that also writes a pg-boss job for each new report. The instance that takes the job wakes its outbox. Only the
 * rows decide which reports are sent, when and in which order. So a lost, late or repeated job has no effect: polling (`pollMs`)
 * finds rows without a job.
 *
 * A job is never written within your transaction, so that a failure of pg-boss does not fail it. The job of a report in a
 * transaction uses pg-boss's own connection, and its delay of a second gives you time to commit. Polling finds a report that
 * commits later. A job contains account, environment, operation and reference, and no personal data.
 *
 * Rejects with a `ConfigurationError` for wrong options, and with the error of pg-boss if the queue cannot be made. Use one
 * outbox for each pg-boss and queue.
 *
 * @example
 * ```ts
 * const boss = new PgBoss(url);
 * await boss.start();
 * const store = await pgBossStore({ store: await postgresStore({ database: pool, notify: false }), boss });
 * const outbox = createOutbox({ client, store, pollMs: 10_000 });
 * ```
 */
export async function pgBossStore(options: PgBossStoreOptions): Promise<OutboxStore> {
  const settings = readPgBossOptions(options);
  const { store, boss, queue, batchSize, pollingIntervalSeconds, onError } = settings;
  const jobs = createJobs(settings);
  await makeQueue(boss, queue);

  function watch(listener: () => void, onProblem?: (cause: unknown) => void): () => void {
    const unwatch = store.watch?.(listener, onProblem);
    // Waking the outbox completes the job. The rows show whether the report was sent.
    const begun = boss.work(queue, { batchSize, pollingIntervalSeconds }, async () => listener());
    begun.catch(onError);
    return () => {
      unwatch?.();
      begun.then(() => boss.offWork(queue)).catch(() => {});
    };
  }

  return {
    ...store,
    get durable() {
      return store.durable;
    },
    async enqueue(rows, transaction) {
      const enqueued = await store.enqueue(rows, transaction);
      const added = enqueued.filter((one) => one.added).map(({ row }) => row);
      jobs.write(added, transaction !== undefined);
      return enqueued;
    },
    watch,
    async close() {
      await withTimeout(jobs.written, { clock: systemClock, milliseconds: CLOSE_MS });
      await store.close?.();
    },
  };
}
