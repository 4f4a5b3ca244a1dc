/** The range of a chart: 60 steps of a minute, 48 of an hour, or 30 of a day. */
export type ChartRange = 'minutes' | 'hours' | 'days';

/**
 * The values of the charts. The store keeps counters for them and updates them from the receipt log in the background. So they slow
 * down neither enqueueing nor sending, and a chart of 30 days reads only some hundred rows.
 */
export interface Charts {
  /** The requested range. */
  readonly range: ChartRange;
  /** The length of a step, in milliseconds. */
  readonly stepMs: number;
  /** The time of this answer, by the store's clock. */
  readonly now: number;
  /** Every step of the range, including empty ones, the oldest first. Days begin at midnight UTC. */
  readonly steps: readonly ChartStep[];
  /** The number of receipts that are not counted yet. After an upgrade, older ones are counted step by step. */
  readonly behind: number;
}

/** Reports that ended within one step. */
export interface ChartStep {
  /** The begin of the step. */
  readonly start: number;
  /** The number of reports that the gateway recorded, or that a person declared as recorded. */
  readonly recorded: number;
  /** The number of reports that a person dismissed. */
  readonly dismissed: number;
  /** The median time from enqueueing to recording by the gateway, as the upper limit of one of 12 classes from 1 s to a week. Null if there is none. */
  readonly medianMs: number | null;
  /** The same limit for 95 % of the reports. */
  readonly p95Ms: number | null;
  /** The exact mean of these times. Null if there is none. */
  readonly meanMs: number | null;
}
