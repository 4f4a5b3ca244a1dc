import type { AbortSignalLike } from '../platform/web-types.js';

export const DAY_MS = 24 * 60 * 60 * 1000;

/** Rows that ended before this time are old enough to be pruned: a midnight in UTC, so that all steps of a day have the same. */
export const cutoffOf = (now: number, olderThanMs: number): number => Math.floor((now - olderThanMs) / DAY_MS) * DAY_MS;

/** The beginning of the names of settings that keep up to which time an account was pruned: a setting never changes, so each time has its own. */
export const prunedSetting = (account: string): string => `pruned:${account}:`;

/** What `prune` deletes, and how it says how far it is. */
export interface PruneOptions {
  /** How long ago a report must have ended, in whole days of UTC. At least 1. */
  olderThanDays: number;
  /** Receipts are always kept: the log is linked, and does not verify without its beginning. */
  keepReceipts: true;
  /** Is called after each commit with the number of reports deleted so far. */
  onProgress?: (pruned: number) => void;
  /** Ends it after the commit that is under way. */
  signal?: AbortSignalLike;
}

/** What `prune` did. */
export interface Pruned {
  /** How many reports were deleted. */
  readonly pruned: number;
}

/** Which rows are deleted: final ones of an account that have their line in the log. */
export interface PruneRequest {
  /** Whose rows. */
  readonly account: string;
  /** Only rows that ended so long ago, by the store's clock, counted from the last midnight in UTC (`cutoffOf`). */
  readonly olderThanMs: number;
  /** Only rows after this `sequence`. */
  readonly after: number;
  /** How many rows are looked at in this commit. */
  readonly limit: number;
}

/** What came of one step of pruning. */
export interface PruneStep {
  /** How many rows were deleted. */
  readonly pruned: number;
  /** `after` of the next step; undefined where no older row is left to look at. */
  readonly next: number | undefined;
}

/** What a store can do that deletes old rows: both or neither. */
export interface Retention {
  /**
   * Deletes final rows that are old enough and have their line in the log, and remembers up to which time (`prunedBefore`) in the
   * same commit. Rows that are not final, or have no line yet, stay. `counts` goes on counting the deleted rows. Without it,
   * `Outbox.prune` rejects.
   */
  prune?(request: PruneRequest): Promise<PruneStep>;

  /** Rows of this account that ended before this time may have been pruned; undefined where none was. */
  prunedBefore?(account: string): Promise<number | undefined>;
}
