import type { OutboxEnvironment } from '../destination.js';
import type { ReceiptHead } from '../receipts/entry.js';
import type { ShownState } from './report-life.js';
import type { ShownPause } from './shown-pause.js';

/** The number of reports in each state. Blocked reports are not counted as waiting. */
export type StateCounts = Readonly<Record<ShownState, number>>;

/** The state of the outbox. */
export interface Overview {
  /** The time of this answer, by the store's clock. */
  readonly now: number;
  /** The counts of all accounts. `quarantined`, `recorded` and `dismissed` are always current. */
  readonly states: StateCounts;
  /**
   * The time at which `waiting`, `blocked` and `in-flight` were counted. A small queue (up to 20,000 reports) is counted for each
   * answer. A larger one is counted in the background, and the counts are up to a minute old. Show their age when it is above 2 s.
   */
  readonly countedAt: number;
  /** `enqueuedAt` of the oldest report that is neither final nor quarantined, at `countedAt`. Null if there is none. */
  readonly oldestOpenAt: number | null;
  /** The counts of each account and environment that was ever used. */
  readonly destinations: readonly DestinationCounts[];
  /** The pauses, including those of breakers. */
  readonly pauses: readonly ShownPause[];
  /** The ids of missing encryption keys that reports wait for. */
  readonly missingKeys: readonly string[];
  /** The environments whose reports this process does not send, since they are bound to another gateway. Empty over a store. */
  readonly otherGateways: readonly OtherGateway[];
  /** The numbers of reports recorded in the last minute and hour, from the receipts. Null if the store does not count them. */
  readonly pace: { readonly lastMinute: number; readonly lastHour: number } | null;
  /** The head of the receipt log. Null while the log is empty, or if its last line is damaged. */
  readonly receipts: ReceiptHead | null;
  /** Whether the last line of the receipt log is damaged. No receipt is added until it is restored. */
  readonly isLogDamaged: boolean;
}

/** An environment that this process would send to another gateway than the store. */
export interface OtherGateway {
  /** The account of the reports. */
  readonly account: string;
  /** The environment of the reports. */
  readonly environment: OutboxEnvironment;
  /** Both addresses, and the action that ends it. */
  readonly message: string;
}

/** The counts of one account and environment. */
export interface DestinationCounts {
  /** The account of the reports. */
  readonly account: string;
  /** The environment to which they go. */
  readonly environment: OutboxEnvironment;
  /** The address of the gateway. */
  readonly gateway: string;
  /** The number of reports in each state. `recorded` and `dismissed` count reports with a receipt; null while they are not counted for each destination. */
  readonly states: Readonly<Record<'waiting' | 'blocked' | 'in-flight' | 'quarantined', number> & Record<'recorded' | 'dismissed', number | null>>;
  /** `enqueuedAt` of the oldest open report. Null if there is none. */
  readonly oldestOpenAt: number | null;
  /** The begin of the latest minute of the last hour in which a report was recorded. Null if there is none. */
  readonly recordedAt: number | null;
}
