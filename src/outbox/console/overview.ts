import type { OutboxEnvironment } from '../destination.js';
import type { ReceiptHead } from '../receipts/entry.js';
import type { ShownState } from './report-life.js';
import type { ShownPause } from './shown-pause.js';

/** Reports by where they stand; blocked ones are not among the waiting. */
export type StateCounts = Readonly<Record<ShownState, number>>;

/** How the outbox is doing. */
export interface Overview {
  /** The time of this answer, by the store's clock. */
  readonly now: number;
  /** All accounts together. `quarantined`, `recorded` and `dismissed` are always those of now. */
  readonly states: StateCounts;
  /**
   * When `waiting`, `blocked` and `in-flight` were counted. A small queue (up to 20,000 reports) is counted for each answer. A larger
   * one takes the database too long: it is counted in the background, and this is up to a minute old. Show its age when it is above 2 s.
   */
  readonly countedAt: number;
  /** `enqueuedAt` of the oldest report that is neither final nor quarantined, as of `countedAt`; null for none. */
  readonly oldestOpenAt: number | null;
  /** For each account and environment that was ever used. */
  readonly destinations: readonly DestinationCounts[];
  /** What is paused, breakers included. */
  readonly pauses: readonly ShownPause[];
  /** Ids of encryption keys that waiting reports lacked when they were last tried. */
  readonly missingKeys: readonly string[];
  /** Recorded in the last minute and hour, by the receipts; null where the store keeps no pace. */
  readonly pace: { readonly lastMinute: number; readonly lastHour: number } | null;
  /** The head of the log of receipts; null while it is empty. */
  readonly receipts: ReceiptHead | null;
}

/** Where the reports of one account and environment stand. */
export interface DestinationCounts {
  /** Whose reports. */
  readonly account: string;
  /** Where they go. */
  readonly environment: OutboxEnvironment;
  /** The address of the gateway. */
  readonly gateway: string;
  /** `recorded` and `dismissed` are those that have their receipt; null where the store does not keep them apart. */
  readonly states: Readonly<Record<'waiting' | 'blocked' | 'in-flight' | 'quarantined', number> & Record<'recorded' | 'dismissed', number | null>>;
  /** `enqueuedAt` of the oldest open one; null for none. */
  readonly oldestOpenAt: number | null;
}
