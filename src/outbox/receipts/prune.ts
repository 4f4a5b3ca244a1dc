import { ConfigurationError } from '../../core/errors/errors.js';
import { type Clock, DAY_MS } from '../../core/platform/time.js';
import type { AbortSignalLike } from '../../core/platform/web-types.js';
import type { PruneOptions } from '../rules/retention.js';
import type { OutboxStore } from '../store/store.js';
import { appendReceipts } from './log.js';

/** The rows that a commit reads. Other writers of a SQLite file wait during the commit. */
const STEP = 1_000;
/** A pause is at least as long as the commit before it, so that others can write. */
const SHORTEST_PAUSE_MS = 2;

interface Pruning {
  readonly account: string;
  readonly olderThanDays: number;
  readonly clock: Clock;
  readonly onProgress?: ((pruned: number) => void) | undefined;
  readonly signal?: AbortSignalLike | undefined;
}

/** Deletes old final rows of an account, step by step. Returns their number. */
export async function pruneReports(
  store: OutboxStore,
  { account, olderThanDays, clock, onProgress, signal }: Pruning,
): Promise<number> {
  if (!store.prune)
    throw new ConfigurationError(
      'prune: the store of this outbox cannot delete reports. Nothing was deleted. Use sqliteStore or postgresStore.',
    );
  await appendReceipts(store);
  let pruned = 0;
  for (let after: number | undefined = 0; after !== undefined && !signal?.aborted; ) {
    const began = performance.now();
    const step = await store.prune({ account, olderThanMs: olderThanDays * DAY_MS, after, limit: STEP });
    const tookMs = performance.now() - began;
    pruned += step.pruned;
    after = step.next;
    onProgress?.(pruned);
    if (after !== undefined)
      await new Promise<void>((resolve) => clock.setTimeout(resolve, Math.max(SHORTEST_PAUSE_MS, tookMs)));
  }
  return pruned;
}

export function readPruneOptions({ olderThanDays, keepReceipts }: Partial<PruneOptions> = {}): number {
  const refuse = (why: string) => new ConfigurationError(`prune: ${why}. Nothing was deleted.`);
  if (!Number.isSafeInteger(olderThanDays) || Number(olderThanDays) < 1)
    throw refuse('olderThanDays: expected a whole number of days, 1 or more');
  if (keepReceipts !== true)
    throw refuse(
      'keepReceipts: expected true; receipts are never deleted, since the log cannot be verified without its first lines',
    );
  return Number(olderThanDays);
}
