import { isStoreError } from '../../core/errors/store-error.js';
import { memberOf } from '../../core/platform/as-record.js';
import { type Clock, withTimeout } from '../../core/platform/time.js';
import type { Enqueued, NewRow, OutboxStore } from '../store/store.js';

interface Queued {
  readonly row: NewRow;
  readonly resolve: (enqueued: Enqueued) => void;
  readonly reject: (error: unknown) => void;
}

export const LARGEST_COMMIT = 500;
/** The time after which the next commit begins in parallel, in a concurrent store. */
const SLOW_COMMIT_MS = 100;
const MOST_COMMITS = 4;

/** Commits rows in batches. Rows that arrive during a commit share the next one. */
export function createInsertBatch(store: Pick<OutboxStore, 'enqueue' | 'concurrent'>, clock: Clock) {
  let queue: Queued[] = [];
  /** The rows that were taken from the queue, and are neither committed nor refused. */
  const underWay = new Set<Queued>();
  let commits = 0;
  const most = memberOf(store, 'concurrent') === true ? MOST_COMMITS : 1;
  let committing = false;
  /** After these every further row would fail the same way. A store that commits one by one is busy as a whole. */
  const over: readonly unknown[] = ['connection', 'timeout', 'closed', most === 1 && 'busy'];
  const isStoreFailure = (error: unknown): boolean => isStoreError(error) && over.includes(error.code);

  /**
   * Refuses rows. If the store failed, also the queued rows of the same references, so that no settlement is committed
   * without its initiated report.
   */
  function refuse(rows: readonly Queued[], error: unknown): void {
    const references = new Set(rows.map(({ row }) => row.reference));
    const behind = isStoreFailure(error) ? queue.filter(({ row }) => references.has(row.reference)) : [];
    if (behind.length > 0) queue = queue.filter(({ row }) => !references.has(row.reference));
    for (const one of [...rows, ...behind]) {
      underWay.delete(one);
      one.reject(error);
    }
  }

  /** Commits a batch. Resolves with the error if the store failed. */
  async function commit(batch: readonly Queued[]): Promise<unknown> {
    try {
      const enqueued = await store.enqueue(batch.map(({ row }) => row));
      batch.forEach((queued, index) => {
        const one = enqueued[index];
        underWay.delete(queued);
        if (one) queued.resolve(one);
        else queued.reject(new Error('The store returned no result.'));
      });
    } catch (error) {
      const isOver = isStoreFailure(error);
      // One row that the store cannot hold must not refuse the others.
      if (batch.length > 1 && !isOver) return commitEach(batch);
      refuse(batch, error);
      return isOver ? error : undefined;
    }
    return undefined;
  }

  /** Commits each row by itself, never two of the same reference at once. Stops once the store fails. */
  async function commitEach(batch: readonly Queued[]): Promise<unknown> {
    let failed: unknown;
    const commitOne = async (one: Queued) => {
      if (failed !== undefined) return refuse([one], failed);
      const error = await commit([one]);
      if (error !== undefined) failed = error;
    };
    if (most === 1) {
      for (const one of batch) await commitOne(one);
      return failed;
    }
    const references = new Map<string, Queued[]>();
    for (const one of batch) references.set(one.row.reference, [...(references.get(one.row.reference) ?? []), one]);
    const rest = references.values();
    const commitRest = async () => {
      for (const same of rest) for (const one of same) await commitOne(one);
    };
    await Promise.all(Array(most).fill(undefined).map(commitRest));
    return failed;
  }

  /** Skips references that are under way, so that their reports are committed in order. */
  function takeBatch(): Queued[] {
    if (underWay.size === 0) return queue.splice(0, LARGEST_COMMIT);
    const busy = new Set([...underWay].map(({ row }) => row.reference));
    const batch = queue.filter(({ row }) => !busy.has(row.reference)).slice(0, LARGEST_COMMIT);
    const taken = new Set(batch);
    queue = queue.filter((one) => !taken.has(one));
    return batch;
  }

  /** Begins the next commit once the previous one is done or slow, up to the largest number of parallel commits. */
  async function commitNext(): Promise<void> {
    if (committing || commits >= most) return;
    const batch = takeBatch();
    if (batch.length === 0) return;
    committing = true;
    commits += 1;
    for (const one of batch) underWay.add(one);
    const work = commit(batch).then(() => {
      commits -= 1;
      void commitNext();
    });
    await (most === 1 ? work : withTimeout(() => work, { clock, milliseconds: SLOW_COMMIT_MS }));
    committing = false;
    void commitNext();
  }

  return (row: NewRow): Promise<Enqueued> =>
    new Promise((resolve, reject) => {
      queue.push({ row, resolve, reject });
      // Later, so that rows of the same turn of the event loop share a commit. By a promise, which no test can fake.
      if (!committing) void Promise.resolve().then(commitNext);
    });
}
