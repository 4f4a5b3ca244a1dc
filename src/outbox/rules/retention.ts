import { DAY_MS } from '../../core/platform/time.js';
import type { AbortSignalLike } from '../../core/platform/web-types.js';

/**
 * Rows that ended before this time may be pruned. It is a midnight in UTC, so that all steps of a day use the same
 * time.
 */
export const cutoffOf = (now: number, olderThanMs: number): number => Math.floor((now - olderThanMs) / DAY_MS) * DAY_MS;

/**
 * The prefix of the settings that hold the pruned times of an account. A setting never changes, so each time has its
 * own.
 */
export const prunedSetting = (account: string): string => `pruned:${account}:`;

/** The options of `prune`. */
export interface PruneOptions {
  /** The smallest age of a report since it became final, in whole days of UTC. At least 1. */
  olderThanDays: number;
  /** Always true: receipts are linked, and the log cannot be verified without its first lines. */
  keepReceipts: true;
  /** Called after each commit with the number of reports deleted so far. */
  onProgress?: (pruned: number) => void;
  /** Cancels it after the current commit. */
  signal?: AbortSignalLike;
}

/** The result of `prune`. */
export interface Pruned {
  /** The number of deleted reports. */
  readonly pruned: number;
}

/** The rows to delete: final rows of an account that have their line in the log. */
export interface PruneRequest {
  readonly account: string;
  /** The smallest age of a row, by the store's clock, counted from the last midnight in UTC (`cutoffOf`). */
  readonly olderThanMs: number;
  readonly after: number;
  readonly limit: number;
}

export interface PruneStep {
  readonly pruned: number;
  /** `after` of the next step. Undefined if no older row is left to read. */
  readonly next: number | undefined;
}
