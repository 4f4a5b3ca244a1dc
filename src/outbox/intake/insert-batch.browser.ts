import type { Enqueued, NewRow, OutboxStore } from '../store.js';
import type { Queued } from './insert-batch.js';

/** See the original. */
export const LARGEST_COMMIT = 500;

/** As the original, one commit after the other: no store of a page does several at once. */
export function createCommits(store: Pick<OutboxStore, 'enqueue'>) {
  const queue: Queued[] = [];
  let committing = false;

  async function commit(batch: readonly Queued[]): Promise<void> {
    try {
      const enqueued = await store.enqueue(batch.map(({ row }) => row));
      batch.forEach(({ resolve, reject }, index) => {
        const one = enqueued[index];
        if (one) resolve(one);
        else reject(new Error('The store did not say what became of the row.'));
      });
    } catch (error) {
      if (batch.length > 1) for (const one of batch) await commit([one]);
      else for (const { reject } of batch) reject(error);
    }
  }

  async function commitAll(): Promise<void> {
    if (committing) return;
    committing = true;
    while (queue.length > 0) await commit(queue.splice(0, LARGEST_COMMIT));
    committing = false;
  }

  return (row: NewRow): Promise<Enqueued> =>
    new Promise((resolve, reject) => {
      queue.push({ row, resolve, reject });
      if (!committing) queueMicrotask(() => void commitAll());
    });
}
