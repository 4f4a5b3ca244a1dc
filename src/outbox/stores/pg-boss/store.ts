import { systemClock, withTimeout } from '../../../platform/time.js';
import type { OutboxStore } from '../../store.js';
import { createJobs } from './jobs.js';
import { makeQueue } from './make-queue.js';
import { type PgBossStoreOptions, readPgBossOptions } from './options.js';

/** How long closing waits for jobs that are being written. */
const CLOSE_MS = 5_000;

/**
 * A store that also tells pg-boss: each new report becomes a job that says "there is work for this reference", and the
 * instance that takes the job wakes its outbox. What is sent, when and in which order is decided by the rows alone, so a
 * job that is lost, late or repeated harms nothing: polling (`pollMs`) finds rows without one. No job is written in a
 * transaction of yours, so that trouble with pg-boss fails none: the job of a report that is enqueued in one goes over
 * pg-boss's own connection and waits a second, for the commit. One that commits later is found by polling; of one that is
 * rolled back, there is nothing to find. A job holds account, environment, operation and reference, nothing of a person. Throws a `ConfigurationError` for wrong options, and rejects where the queue cannot be
 * made. One outbox for each pg-boss and queue.
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
    // The job is done with the waking: whether its report was sent is in the rows.
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
