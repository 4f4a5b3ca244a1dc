import type { RowState } from './row-state.js';

/** The numbers of rows in a store. */
export interface Counts {
  /** Rows by state, including pruned ones. Blocked rows are not counted as waiting. */
  readonly states: Readonly<Record<RowState | 'blocked', number>>;
  /** `enqueuedAt` of the oldest row that is neither final nor quarantined. */
  readonly oldestOpenAt: number | undefined;
  /** The sum of all rows' attempts. */
  readonly attempts: number;
  /**
   * When the rows that are not final were counted, if the store has kept the counts of a large queue for a while. Absent: they
   * were counted for this answer. A queue of fewer than 20,000 open rows is always counted for the answer.
   */
  readonly countedAt?: number;
}

/** Counters of a store end here, so that a damaged one does not exceed the range of its column. */
export const LARGEST_COUNT = 1_000_000_000;

/** The next number of a counter, at most `LARGEST_COUNT`. */
export const oneMore = (count: number): number => Math.min(count + 1, LARGEST_COUNT);
