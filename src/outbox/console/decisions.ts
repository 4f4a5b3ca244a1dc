import type { OutboxEnvironment } from '../destination.js';
import type { ReportSummary } from './report-life.js';

/** The person who decides, and the reason. Both are stored, and neither may be empty. */
export interface Who {
  /** A name that colleagues recognise, such as a login. At most 200 characters. */
  readonly who: string;
  /** The reason, in the person's words. At most 2,000 characters. It is part of the receipt of a report: write no personal data. */
  readonly reason: string;
}

/** The name of a group. Pass it on unchanged. */
export interface GroupKey {
  /** The account of the reports. */
  readonly account: string;
  /** The environment to which they go. */
  readonly environment: OutboxEnvironment;
  /** The code of the problem. `'conflict'`: the gateway holds other data. `'unknown'`: the row has no problem. */
  readonly code: string;
  /** The message of the problem as `outbox show` prints it, without the report's name. The gateway's text in it is masked. */
  readonly words: string;
}

/** The reports of a decision. */
export type Selection =
  /** Single reports, at most 500. */
  | { readonly ids: readonly string[] }
  /** A complete group of `groups`. */
  | { readonly group: GroupKey };

/** A decision about reports. */
export interface DecideRequest extends Who {
  /** An id that the caller makes, a new one for each decision of a person: 16 to 64 letters, digits and `-`, such as a UUID. */
  readonly decision: string;
  /** `'retry'`: send it again. `'recorded'`: the gateway holds it. `'dismissed'`: never send it. */
  readonly action: 'retry' | 'recorded' | 'dismissed';
  /** The reports to decide about. */
  readonly selection: Selection;
  /** For a group: only reports that were quarantined by this time. Pass the `now` of the answer that the person saw. Default: the begin of the decision. */
  readonly asOf?: number | undefined;
  /** The time limit of this call, in milliseconds, at most 30,000. It makes at least one commit. Default: 2,000. */
  readonly forMs?: number | undefined;
}

/** A stored decision. */
export interface DecisionRecord {
  /** The id that the caller gave. */
  readonly id: string;
  /** `'body'`: a body was read. `'resume'`: pauses were ended. `'undo'`: another decision was undone. */
  readonly action: DecideRequest['action'] | 'undo' | 'body' | 'resume';
  /** The person who decided. */
  readonly who: string;
  /** The reason of the person. */
  readonly reason: string;
  /** The time at which it began, by the store's clock. */
  readonly at: number;
  /** The reports, the decision or the environment that it concerns. */
  readonly about: Selection | { readonly decision: string } | { readonly account: string; readonly environment: OutboxEnvironment };
  /** The number of reports that it has changed so far. */
  readonly touched: number;
  /** The number of reports that it did not change, since they had changed in the meantime. */
  readonly skipped: number;
  /** Whether it is completely carried out. Send the same request again to continue. */
  readonly done: boolean;
  /** The id of the decision that has undone it, completely or in part. Null if there is none. */
  readonly undoneBy: string | null;
}

/** The progress of a decision. */
export interface DecisionProgress {
  /** The stored decision. */
  readonly decision: DecisionRecord;
  /** Whether there is more to do: call again with the same request. */
  readonly more: boolean;
  /** At most 20 reports that this call did not change, with the reasons. */
  readonly refused: readonly { readonly id: string; readonly why: string }[];
}

/** The effect of a decision. */
export interface Preview {
  /** The number of reports. */
  readonly count: number;
  /** The number of reports of each operation. */
  readonly operations: Readonly<Record<string, number>>;
  /** The number of reports in doubt: the gateway may already hold them. */
  readonly inDoubt: number;
  /** The first reports, at most 5. */
  readonly examples: readonly ReportSummary[];
  /** At most 20 reports of the selection that it does not change, with the reasons. */
  readonly refused: readonly { readonly id: string; readonly why: string }[];
  /** The number of settlements that are sent after a dismissal, since they wait for one of these reports. 0 for a retry. */
  readonly settlements: number;
  /** Whether it can be undone before the reports are claimed. */
  readonly undoable: boolean;
  /** The time of this answer. Pass it to `decide` as `asOf`. */
  readonly asOf: number;
}

/** A request to undo a decision. */
export interface UndoRequest extends Who {
  /** An id for this decision, as for any other. */
  readonly decision: string;
  /** The id of the decision to undo. */
  readonly of: string;
  /** The time limit of this call, as in `DecideRequest`. */
  readonly forMs?: number | undefined;
}

/** The result of `undo`. */
export interface Undone {
  /** The stored decision. Its `touched` reports are quarantined again. */
  readonly decision: DecisionRecord;
  /** Whether there is more to do: call again with the same request. */
  readonly more: boolean;
  /** The numbers of reports that this call left unchanged: claimed by a worker since, or not quarantined before. `decision.skipped` counts all calls. */
  readonly kept: { readonly claimed: number; readonly otherwise: number };
}
