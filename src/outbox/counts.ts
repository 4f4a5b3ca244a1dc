import type { RowState } from './row-state.js';

/** How many rows a store holds. */
export interface Counts {
  /** Rows by state, those that were pruned included; blocked ones are not among the waiting. */
  readonly states: Readonly<Record<RowState | 'blocked', number>>;
  /** `enqueuedAt` of the oldest row that is neither final nor quarantined. */
  readonly oldestOpenAt: number | undefined;
  /** The sum of all rows' attempts. */
  readonly attempts: number;
  /**
   * When rows that are not final were counted. Left out: for this answer. A store that keeps the counts of a large queue for a while
   * says so here; those of fewer than 20,000 open rows are always counted for the answer.
   */
  readonly countedAt?: number;
}

/** No counter of a store grows above this: a damaged one must not run out of its column's range. */
export const LARGEST_COUNT = 1_000_000_000;

/** One more, as far as a counter goes. */
export const oneMore = (count: number): number => Math.min(count + 1, LARGEST_COUNT);
