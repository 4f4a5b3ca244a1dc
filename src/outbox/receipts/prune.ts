import { ConfigurationError } from '../../errors/errors.js';
import type { Clock } from '../../platform/time.js';
import type { AbortSignalLike } from '../../platform/web-types.js';
import { DAY_MS, type PruneOptions } from '../retention.js';
import type { OutboxStore } from '../store.js';
import { appendReceipts } from './log.js';

/** How many rows a commit looks at: others wait for a SQLite file meanwhile. */
const STEP = 1_000;
/** A pause of at least this length, and as long as the commit before took, lets others write. */
const SHORTEST_PAUSE_MS = 2;

/** What pruning takes beside the store. */
export interface Pruning {
  readonly account: string;
  readonly olderThanDays: number;
  readonly clock: Clock;
  readonly onProgress?: ((pruned: number) => void) | undefined;
  readonly signal?: AbortSignalLike | undefined;
}

/** Deletes old final rows of an account, in steps that are commits of their own; gives their number. */
export async function pruneReports(store: OutboxStore, { account, olderThanDays, clock, onProgress, signal }: Pruning): Promise<number> {
  if (!store.prune)
    throw new ConfigurationError('prune: the store of this outbox cannot delete reports. Nothing was deleted. Use sqliteStore or postgresStore.');
  await appendReceipts(store);
  let pruned = 0;
  for (let after: number | undefined = 0; after !== undefined && !signal?.aborted; ) {
    const began = performance.now();
    const step = await store.prune({ account, olderThanMs: olderThanDays * DAY_MS, after, limit: STEP });
    const tookMs = performance.now() - began;
    pruned += step.pruned;
    after = step.next;
    onProgress?.(pruned);
    if (after !== undefined) await new Promise<void>((resolve) => clock.setTimeout(resolve, Math.max(SHORTEST_PAUSE_MS, tookMs)));
  }
  return pruned;
}

/** The days of `prune`, or why nothing is deleted. */
export function readPruneOptions({ olderThanDays, keepReceipts }: Partial<PruneOptions> = {}): number {
  const refuse = (why: string) => new ConfigurationError(`prune: ${why}. Nothing was deleted.`);
  if (!Number.isSafeInteger(olderThanDays) || Number(olderThanDays) < 1) throw refuse('olderThanDays: expected a whole number of days, 1 or more');
  if (keepReceipts !== true)
    throw refuse('keepReceipts: expected true; the log of receipts does not verify without its beginning, so receipts are never deleted');
  return Number(olderThanDays);
}
