import type { OperationName } from '../../protocol/operations.js';
import type { OutboxEnvironment } from '../destination.js';
import type { Row } from '../state-machine.js';
import type { ShownPause } from './shown-pause.js';

/** Where a report stands, as people see it: one that waits for another report is blocked. */
export type ShownState = Row['state'] | 'blocked';

/** Why the latest attempt did not end well. */
export interface ShownProblem {
  /** A stable name of the kind of failure; `'conflict'` where the gateway holds other data. */
  readonly code: string;
  /** What happened; the gateway's words in it are masked. */
  readonly message: string;
  /** The HTTP status of the answer; null for none. */
  readonly status: number | null;
  /** The id that the gateway gave to the request; null for none. */
  readonly requestId: string | null;
  /** What the gateway answered, masked, as JSON text; null for none. */
  readonly details: string | null;
}

/** A report in a list. */
export interface ReportSummary {
  /** Account, environment, operation and reference, with colons between. */
  readonly id: string;
  /** The order of enqueueing. */
  readonly sequence: number;
  /** Whose report it is. */
  readonly account: string;
  /** Where it goes. */
  readonly environment: OutboxEnvironment;
  /** The called function, for example `'reportBetEvent'`. */
  readonly operation: OperationName;
  /** Its `bet_id` or `request_id`. */
  readonly reference: string;
  /** Where it stands. */
  readonly state: ShownState;
  /** Attempts that count: those that a pause turned away do not. */
  readonly attempts: number;
  /** Whether the gateway may hold it. */
  readonly inDoubt: boolean;
  /** When it was enqueued. */
  readonly enqueuedAt: number;
  /** When its state last changed. */
  readonly changedAt: number;
  /** Why the latest attempt did not end well; null: it did, or there was none. */
  readonly problem: ShownProblem | null;
}

/** All that is known of a report, as `outbox show` prints it, and its life. */
export interface ReportLife extends ReportSummary {
  /** What its state means, in a sentence. */
  readonly means: string;
  /** The report that must be final first; null: none, or it is final. */
  readonly waitsFor: string | null;
  /** When it may be sent next; null where it is not waiting for its time. */
  readonly dueAt: number | null;
  /** How a recorded one came to be so; null until then. */
  readonly outcome: 'recorded' | 'already-recorded' | 'accepted' | null;
  /** The gateway's words when it recorded, masked; null for none. */
  readonly message: string | null;
  /** The id that the gateway gave to the request that it recorded; null for none. */
  readonly requestId: string | null;
  /** Tells the same bytes from others. */
  readonly fingerprint: string;
  /** What is kept of the body; `keyId`: of the key that it is encrypted with. */
  readonly body: { readonly kept: boolean; readonly keyId: string | null };
  /** The initiated report to a settled one, or the other way round; null where it is not in this outbox. */
  readonly sibling: ReportSummary | null;
  /** What happened, the oldest first. */
  readonly timeline: readonly LifeEvent[];
  /** What can be decided now, each with the exact line for the command line. */
  readonly actions: readonly LifeAction[];
  /** The line that prints this report. */
  readonly command: string;
}

/**
 * What happened to a report. The store keeps how many attempts counted (`attempts`), the problem of the last one, and each decision with
 * the problem that it answered: those attempts are here, with the ids of their requests. Failed attempts between them are only counted, since
 * a worker that wrote down each of them would be slower for all reports; and once a report is recorded, only its last request is named.
 */
export type LifeEvent =
  | { readonly kind: 'enqueued'; readonly at: number }
  /** The last attempt, or the last before a decision, that failed. `at` is null where a decision came after it: its time is not kept. */
  | { readonly kind: 'attempt'; readonly at: number | null; readonly problem: ShownProblem }
  /** A worker has it. `until`: another one may take it then. */
  | { readonly kind: 'in-flight'; readonly at: number; readonly until: number }
  /** The gateway may hold it, since an attempt whose time is not kept; no answer has proved otherwise. */
  | { readonly kind: 'doubt'; readonly at: number | null }
  /** Its destination, or its operation, is paused now. Pauses that are over are not kept. */
  | { readonly kind: 'paused'; readonly at: number; readonly pause: ShownPause }
  /** A person decided. `who` is null where a program did, without a name. `undoneAt`: it was taken back. */
  | {
      readonly kind: 'decided';
      readonly at: number;
      readonly action: 'retry' | 'recorded' | 'dismissed';
      readonly who: string | null;
      readonly reason: string;
      /** The decision that it was part of; null for one of the command line, or of a program. */
      readonly decision: string | null;
      readonly undone: { readonly at: number; readonly who: string; readonly reason: string } | null;
    }
  /** It is quarantined since then. */
  | { readonly kind: 'quarantined'; readonly at: number }
  /** It is recorded, or dismissed: final. */
  | { readonly kind: 'ended'; readonly at: number; readonly state: 'recorded' | 'dismissed'; readonly requestId: string | null }
  /** Its line in the log of receipts. `index` is null where it has none yet, or was not found near the time of its end. */
  | { readonly kind: 'receipt'; readonly at: number; readonly index: number | null; readonly hash: string | null };

/** What a person can decide about a report. */
export interface LifeAction {
  /** What is decided. */
  readonly action: 'retry' | 'recorded' | 'dismissed' | 'undo';
  /** The line for the command line, with `"…"` where the reason goes; null where the command line has none. */
  readonly command: string | null;
  /** For `'undo'`: the decision that can be taken back; else null. */
  readonly decision: string | null;
  /** What else comes of it, in a sentence; null for nothing. */
  readonly warning: string | null;
}
