import type { OperationName } from '../../protocol/operations.js';
import type { OutboxEnvironment } from '../destination.js';
import type { Row } from '../state-machine.js';
import type { ShownPause } from './shown-pause.js';

/** The state of a report in the console. A report that waits for another one is `'blocked'`. */
export type ShownState = Row['state'] | 'blocked';

/** The problem of the latest attempt. */
export interface ShownProblem {
  /** A stable name of the kind of failure. `'conflict'`: the gateway holds other data. */
  readonly code: string;
  /** The problem in a sentence. The gateway's text in it is masked. */
  readonly message: string;
  /** The HTTP status of the answer. Null if there was none. */
  readonly status: number | null;
  /** The id that the gateway gave to the request. Null if there is none. */
  readonly requestId: string | null;
  /** The masked answer of the gateway as JSON text. Null if there was none. */
  readonly details: string | null;
}

/** A report in a list. */
export interface ReportSummary {
  /** Account, environment, operation and reference, with colons between them. */
  readonly id: string;
  /** A number that rises in the order of enqueueing. */
  readonly sequence: number;
  /** The account of the report. */
  readonly account: string;
  /** The environment to which it goes. */
  readonly environment: OutboxEnvironment;
  /** The called function, for example `'reportBetEvent'`. */
  readonly operation: OperationName;
  /** Its `bet_id` or `request_id`. */
  readonly reference: string;
  /** Its current state. */
  readonly state: ShownState;
  /** The number of attempts, without those that ended in a pause. */
  readonly attempts: number;
  /** Whether the gateway may hold it. */
  readonly inDoubt: boolean;
  /** The time of enqueueing. */
  readonly enqueuedAt: number;
  /** The time of the last change of its state. */
  readonly changedAt: number;
  /** The problem of the latest attempt. Null if there is none. */
  readonly problem: ShownProblem | null;
}

/** A report with the details that `outbox show` prints, and its timeline. */
export interface ReportLife extends ReportSummary {
  /** The meaning of its state, in a sentence. */
  readonly means: string;
  /** The id of the report that must be final first. Null if it is not blocked. */
  readonly waitsFor: string | null;
  /** The time from which it may be sent. Null if it does not wait, or is blocked. */
  readonly dueAt: number | null;
  /** The result of a recorded report. Null before. */
  readonly outcome: 'recorded' | 'already-recorded' | 'accepted' | null;
  /** The masked message of the gateway when it recorded the report. Null if there is none. */
  readonly message: string | null;
  /** The id that the gateway gave to the recorded request. Null if there is none. */
  readonly requestId: string | null;
  /** Identifies the bytes of the report. */
  readonly fingerprint: string;
  /** Whether the body is stored, and the id of the key that encrypts it. */
  readonly body: { readonly kept: boolean; readonly keyId: string | null };
  /** The settled report of an initiated one, or the initiated report of a settled one. Null if it is not in this outbox. */
  readonly sibling: ReportSummary | null;
  /** The events of the report, the oldest first. */
  readonly timeline: readonly LifeEvent[];
  /** The possible decisions, each with the exact command line. */
  readonly actions: readonly LifeAction[];
  /** The command that prints this report. */
  readonly command: string;
}

/**
 * An event of a report. The store keeps the number of attempts, the problem of the latest one, and each decision with the problem
 * before it. So the timeline shows these attempts with the ids of their requests. It only counts the other failed attempts, since
 * storing each would slow down all reports. Of a recorded report, it shows only the last request.
 */
export type LifeEvent =
  | { readonly kind: 'enqueued'; readonly at: number }
  /** The latest failed attempt, or the last one before a decision. `at` is null if a decision followed, since the time is not stored. */
  | { readonly kind: 'attempt'; readonly at: number | null; readonly problem: ShownProblem }
  /** A worker has it. `until`: the time from which another worker may claim it. */
  | { readonly kind: 'in-flight'; readonly at: number; readonly until: number }
  /** The gateway may hold it after an attempt whose time is not stored, and no answer has proved otherwise. */
  | { readonly kind: 'doubt'; readonly at: number | null }
  /** Its destination or its operation is paused now. Earlier pauses are not stored. */
  | { readonly kind: 'paused'; readonly at: number; readonly pause: ShownPause }
  /** A person decided. `who` is null if a program decided without a name. `undone`: the decision was undone. */
  | {
      readonly kind: 'decided';
      readonly at: number;
      readonly action: 'retry' | 'recorded' | 'dismissed';
      readonly who: string | null;
      readonly reason: string;
      /** The id of the decision of the console. Null if it was made on the command line or by a program. */
      readonly decision: string | null;
      readonly undone: { readonly at: number; readonly who: string; readonly reason: string } | null;
    }
  /** It has been quarantined since this time. */
  | { readonly kind: 'quarantined'; readonly at: number }
  /** It was recorded or dismissed, which is final. */
  | { readonly kind: 'ended'; readonly at: number; readonly state: 'recorded' | 'dismissed'; readonly requestId: string | null }
  /** Its line in the receipt log. `index` is null if there is no line yet, or it was not found near the time of the end. */
  | { readonly kind: 'receipt'; readonly at: number; readonly index: number | null; readonly hash: string | null };

/** A possible decision about a report. */
export interface LifeAction {
  /** The action to decide. */
  readonly action: 'retry' | 'recorded' | 'dismissed' | 'undo';
  /** The command line, with `"…"` in place of the reason. Null if the command line has no such command. */
  readonly command: string | null;
  /** For `'undo'`: the id of the decision to undo. Otherwise null. */
  readonly decision: string | null;
  /** A further effect, in a sentence. Null if there is none. */
  readonly warning: string | null;
}
