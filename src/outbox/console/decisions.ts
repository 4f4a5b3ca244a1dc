import type { OutboxEnvironment } from '../destination.js';
import type { ReportSummary } from './report-life.js';

/** Who decides, and why. Both are kept, and neither may be empty. */
export interface Who {
  /** A name that colleagues know, such as a login. At most 200 characters. */
  readonly who: string;
  /** Why, in the words of the person. At most 2,000 characters. It stands in the receipt of a report: no personal data. */
  readonly reason: string;
}

/** Names a group: pass it on as it came. */
export interface GroupKey {
  /** Whose reports. */
  readonly account: string;
  /** Where they go. */
  readonly environment: OutboxEnvironment;
  /** The code of the problem; `'conflict'`: the gateway holds other data; `'unknown'`: the row says nothing of it. */
  readonly code: string;
  /** What happened, in the words that `outbox show` prints, without the report's name; those of the gateway are masked. */
  readonly words: string;
}

/** Which reports a decision is about. */
export type Selection =
  /** Single ones, 500 at most. */
  | { readonly ids: readonly string[] }
  /** A whole group, as `groups` names it. */
  | { readonly group: GroupKey };

/** A decision about reports. */
export interface DecideRequest extends Who {
  /** Made by the caller, a new one for each decision that a person makes: 16 to 64 letters, digits and `-`, such as a UUID. */
  readonly decision: string;
  /** `'retry'`: send it again. `'recorded'`: the gateway holds it. `'dismissed'`: it is not to be sent. */
  readonly action: 'retry' | 'recorded' | 'dismissed';
  /** What is decided about. */
  readonly selection: Selection;
  /** Of a group: only what was quarantined by then, the `now` of what the person saw. Default: when the decision begins. */
  readonly asOf?: number | undefined;
  /** How long this call may work, in milliseconds: 2,000 unless given, 30,000 at most. At least one commit is made. */
  readonly forMs?: number | undefined;
}

/** A decision that is kept. */
export interface DecisionRecord {
  /** Its id, as it was given. */
  readonly id: string;
  /** `'body'`: a body was read. `'resume'`: pauses were lifted. `'undo'`: another decision was taken back. */
  readonly action: DecideRequest['action'] | 'undo' | 'body' | 'resume';
  /** By whom. */
  readonly who: string;
  /** Why. */
  readonly reason: string;
  /** When it began, by the store's clock. */
  readonly at: number;
  /** What it is about. */
  readonly about: Selection | { readonly decision: string } | { readonly account: string; readonly environment: OutboxEnvironment };
  /** Reports that it has touched so far. */
  readonly touched: number;
  /** Reports that were to be touched and were not: they had changed meanwhile. */
  readonly skipped: number;
  /** Whether it is carried out whole; one that was interrupted goes on when it is sent again. */
  readonly done: boolean;
  /** The decision that has taken it back, whole or in part; null for none. */
  readonly undoneBy: string | null;
}

/** How far a decision is. */
export interface DecisionProgress {
  /** As it is kept. */
  readonly decision: DecisionRecord;
  /** Whether there is more to do: call again with the same request. */
  readonly more: boolean;
  /** What this call did not touch, and why; 20 at most. */
  readonly refused: readonly { readonly id: string; readonly why: string }[];
}

/** What a decision would touch. */
export interface Preview {
  /** How many reports. */
  readonly count: number;
  /** The same by operation. */
  readonly operations: Readonly<Record<string, number>>;
  /** Of these, how many are in doubt: the gateway may hold them already. */
  readonly inDoubt: number;
  /** The first of them, 5 at most. */
  readonly examples: readonly ReportSummary[];
  /** Those of the selection that it does not touch, and why; 20 at most. */
  readonly refused: readonly { readonly id: string; readonly why: string }[];
  /** Settlements that wait for one of these: dismissing it lets them be sent. 0 for a retry. */
  readonly settlements: number;
  /** Whether it can be taken back while nothing has left. */
  readonly undoable: boolean;
  /** The time of this answer: give it to `decide` as `asOf`. */
  readonly asOf: number;
}

/** What is to be taken back. */
export interface UndoRequest extends Who {
  /** An id for this undoing, as for any decision. */
  readonly decision: string;
  /** The id of the decision to take back. */
  readonly of: string;
  /** As in `DecideRequest`. */
  readonly forMs?: number | undefined;
}

/** What was taken back. */
export interface Undone {
  /** The undoing, as it is kept: `touched` are quarantined again. */
  readonly decision: DecisionRecord;
  /** Whether there is more to do: call again with the same request. */
  readonly more: boolean;
  /** Reports that this call left as they are (`decision.skipped` counts those of all calls), by why: a worker has claimed them since, or they were not quarantined before. */
  readonly kept: { readonly claimed: number; readonly otherwise: number };
}
