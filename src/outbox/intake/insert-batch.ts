import { asRecord, memberOf } from '../../platform/as-record.js';
import { type Clock, withTimeout } from '../../platform/time.js';
import type { Enqueued, NewRow, OutboxStore } from '../store.js';

/** A row that waits for its commit. */
export interface Queued {
  readonly row: NewRow;
  readonly resolve: (enqueued: Enqueued) => void;
  readonly reject: (error: unknown) => void;
}

/** How many rows share a commit at most. */
export const LARGEST_COMMIT = 500;
/** How long a commit may take before the next one goes beside it, in a store that can do several at once. */
const SLOW_COMMIT_MS = 100;
/** How many go beside each other. */
const MOST_COMMITS = 4;
/** What is wrong with the store and with no row: the same would be waited for again with each of them. */
const OF_THE_STORE: readonly unknown[] = ['connection', 'timeout', 'closed'];
const isOfTheStore = (error: unknown): boolean => OF_THE_STORE.includes(asRecord(error).code);

/** Commits rows; what comes while a commit is under way shares the next one. */
export function createInsertBatch(store: Pick<OutboxStore, 'enqueue' | 'concurrent'>, clock: Clock) {
  let queue: Queued[] = [];
  /** Taken from the queue, and neither committed nor refused. */
  const underWay = new Set<Queued>();
  let commits = 0;
  const most = memberOf(store, 'concurrent') === true ? MOST_COMMITS : 1;
  let committing = false;

  /**
   * Refuses rows; and where nobody knows what became of them, those of the same references that were asked for after them,
   * so that none goes without the one before it.
   */
  function refuse(rows: readonly Queued[], error: unknown): void {
    const references = new Set(rows.map(({ row }) => row.reference));
    const behind = isOfTheStore(error) ? queue.filter(({ row }) => references.has(row.reference)) : [];
    if (behind.length > 0) queue = queue.filter(({ row }) => !references.has(row.reference));
    for (const one of [...rows, ...behind]) {
      underWay.delete(one);
      one.reject(error);
    }
  }

  /** Resolves with what is wrong with the store, where that is what went wrong. */
  async function commit(batch: readonly Queued[]): Promise<unknown> {
    try {
      const enqueued = await store.enqueue(batch.map(({ row }) => row));
      batch.forEach((queued, index) => {
        const one = enqueued[index];
        underWay.delete(queued);
        if (one) queued.resolve(one);
        else queued.reject(new Error('The store did not say what became of the row.'));
      });
    } catch (error) {
      const isOver = isOfTheStore(error);
      // One row that the store cannot hold must not refuse the others.
      if (batch.length > 1 && !isOver) return commitEach(batch);
      refuse(batch, error);
      return isOver ? error : undefined;
    }
    return undefined;
  }

  /** One row after the other; or some at once, but never two of the same reference. Once the store fails, the rest is not tried. */
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
    await Promise.all(Array.from({ length: most }, commitRest));
    return failed;
  }

  /** What may be committed now: nothing of a reference that is under way, since its reports are told in order. */
  function takeBatch(): Queued[] {
    if (underWay.size === 0) return queue.splice(0, LARGEST_COMMIT);
    const busy = new Set([...underWay].map(({ row }) => row.reference));
    const batch = queue.filter(({ row }) => !busy.has(row.reference)).slice(0, LARGEST_COMMIT);
    const taken = new Set(batch);
    queue = queue.filter((one) => !taken.has(one));
    return batch;
  }

  /** Begins the next commit, unless the one before is quick or enough are under way; called again when that may have changed. */
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

  /** Resolves once the row is committed. */
  return (row: NewRow): Promise<Enqueued> =>
    new Promise((resolve, reject) => {
      queue.push({ row, resolve, reject });
      // Those of the same turn of the event loop go together.
      if (!committing) queueMicrotask(() => void commitNext());
    });
}
