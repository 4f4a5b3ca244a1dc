/** 60 steps of a minute, 48 of an hour, or 30 of a day. */
export type ChartRange = 'minutes' | 'hours' | 'days';

/**
 * Read from counters that the store keeps for the charts: they are written with the receipts, a few numbers for each 500 lines, so
 * that neither enqueueing nor a worker's turn pays for them, and a chart of 30 days reads some hundred rows.
 */
export interface Charts {
  /** As it was asked for. */
  readonly range: ChartRange;
  /** The length of a step, in milliseconds. */
  readonly stepMs: number;
  /** The time of this answer, by the store's clock. */
  readonly now: number;
  /** Every step of the range, the oldest first, empty ones too; days begin at midnight UTC. */
  readonly steps: readonly ChartStep[];
  /** Receipts that are not counted yet: after an upgrade, older ones are counted step by step. 0: all is in the charts. */
  readonly behind: number;
}

/** Reports that ended within one step. */
export interface ChartStep {
  /** When the step begins. */
  readonly start: number;
  /** Recorded by the gateway, or declared so by a person. */
  readonly recorded: number;
  /** Dismissed by a person. */
  readonly dismissed: number;
  /** From enqueueing to recorded, of those that the gateway recorded: upper bounds in milliseconds, of 12 classes from 1 s to a week; null where there is none. */
  readonly medianMs: number | null;
  /** The same for 95 of 100. */
  readonly p95Ms: number | null;
  /** The mean, exact; null where there is none. */
  readonly meanMs: number | null;
}
