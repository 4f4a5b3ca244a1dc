import type { OperationName } from '../../protocol/operations.js';
import type { OutboxEnvironment } from '../destination.js';
import type { ReceiptHead } from '../receipts/entry.js';
import type { AnyIterable } from '../receipts/lines.js';
import type { ReconcileDefaults, Reconciled, ReportReference } from '../receipts/reconcile.js';
import type { ReceiptsVerdict } from '../receipts/verify.js';
import type { ChartRange, Charts } from './charts.js';
import type { DecideRequest, DecisionProgress, DecisionRecord, GroupKey, Preview, Selection, Undone, UndoRequest, Who } from './decisions.js';
import type { Overview } from './overview.js';
import type { ReportLife, ReportSummary, ShownState } from './report-life.js';

/**
 * What the operator's console shows and does, without a page: all of it is JSON, and none of it but `body` holds a body. Texts
 * that come from outside (references, the gateway's words, reasons) have their control characters escaped, as the command
 * line prints them; they are text all the same, never markup. Times are milliseconds since 1970, by the store's clock.
 *
 * Every method rejects with a `ConsoleRefusal` where it does not do what was asked for, and then has changed nothing; errors
 * of the store (no connection, a full disk) reject as they are. Permission is the caller's matter: whoever calls may.
 */
export interface ConsoleData {
  /** What this store can do: the page leaves out the rest. */
  readonly can: ConsoleAbilities;
  /** Accounts that the console shows, of those in the store; undefined: all. */
  readonly accounts: readonly string[] | undefined;

  /** How the outbox is doing. Cheap at any size: may be asked for every two seconds by several pages. */
  overview(): Promise<Overview>;
  /** Throughput and time to recorded, in equal steps up to now. */
  charts(range: ChartRange, filter?: Narrowing): Promise<Charts>;
  /** What went wrong with the quarantined reports, the largest group first. */
  groups(filter?: Narrowing): Promise<Groups>;
  /** Reports, the newest first; `cursor` is the `next` of the page before, with the same filter. */
  search(filter?: SearchFilter, cursor?: string): Promise<SearchPage>;
  /** All that is known of one report, by its id; undefined where there is none. */
  report(id: string): Promise<ReportLife | undefined>;

  /**
   * The body of one report: the only personal data that is given out. It is written down as a decision of `who` before it is
   * read. Refuses with `'locked'` where it is encrypted with a key that this process does not have, or where it is no longer kept.
   */
  body(id: string, by: Who): Promise<ReportBody>;

  /** What a decision about a selection would touch. Changes nothing. */
  preview(selection: Selection, action: DecideRequest['action']): Promise<Preview>;
  /**
   * Sends quarantined reports again (`'retry'`), or takes a person's verdict (`'recorded'`, `'dismissed'`), which is final.
   * Works in small commits for at most `forMs`; while `more` is true, call it again with the same request, and it goes on. The
   * same `decision` id acts once, however often, from wherever and at whatever time it is sent: a row is touched once.
   */
  decide(request: DecideRequest): Promise<DecisionProgress>;
  /**
   * Takes back a `'retry'` where nothing has left since: such a report is quarantined again, with the problem that it had. One that
   * a worker has claimed since the decision stays as it is, and so does what was not quarantined before; the answer counts them.
   * A verdict is final and is refused. In small commits, and to be called again, as `decide`.
   */
  undo(request: UndoRequest): Promise<Undone>;
  /** Decisions, the newest first, those that only read a body among them. `before`: the `next` of the page before. */
  decisions(before?: string): Promise<DecisionPage>;
  /** One decision by its id. */
  decision(id: string): Promise<DecisionRecord | undefined>;
  /** Lifts the pauses of an environment now, those of its operations too; written down as a decision. False where there was none. */
  resume(where: { account: string; environment: OutboxEnvironment }, by: Who): Promise<{ readonly lifted: boolean; readonly decision: DecisionRecord }>;

  /** A secret of this store, the same in every process over it: a key for the tokens of pages. It is made when it is first asked for. */
  secret(): Promise<string>;

  /** The log of receipts. */
  readonly proof: ProofData;
}

/** What a store can do beside keeping reports; `false` is answered by a refusal `'store-cannot'`. */
export interface ConsoleAbilities {
  /** `groups`. */
  readonly groups: boolean;
  /** `search` by anything but an id or a reference. */
  readonly search: boolean;
  /** `decide`, `preview`, `undo`, `decisions`, `resume`. */
  readonly decide: boolean;
  /** `charts`. */
  readonly charts: boolean;
  /** `body`: decisions are kept, and a seal to open bodies with was given. */
  readonly body: boolean;
}

/** What narrows an answer; left out: everything. */
export interface Narrowing {
  /** Only of this account. */
  readonly account?: string | undefined;
  /** Only of this environment. */
  readonly environment?: OutboxEnvironment | undefined;
}

/** What went wrong, by kind. */
export interface Groups {
  /** The largest first, 200 at most. */
  readonly groups: readonly ProblemGroup[];
  /** Reports and groups beyond these. */
  readonly others: { readonly groups: number; readonly reports: number };
  /** The time of this answer, by the store's clock: give it to `decide` as `asOf`. */
  readonly now: number;
}

/** Quarantined reports with which the same went wrong. */
export interface ProblemGroup extends GroupKey {
  /** How many. */
  readonly count: number;
  /** When the first of them was quarantined. */
  readonly firstAt: number;
  /** When the last of them was. */
  readonly lastAt: number;
  /** The HTTP status of the answer; null for none. */
  readonly status: number | null;
  /** The report that was enqueued first of them. */
  readonly example: ReportSummary;
}

/** Which reports are searched for; all that is given must fit. */
export interface SearchFilter extends Narrowing {
  /** An id, a `bet_id` or a `request_id`, whole. */
  readonly text?: string | undefined;
  /** Where it stands. */
  readonly state?: ShownState | undefined;
  /** Only the quarantined reports of this group, the oldest first; of the rest, only `limit` goes with it. */
  readonly group?: GroupKey | undefined;
  /** Only reports of this call. */
  readonly operation?: OperationName | undefined;
  /** Enqueued at this time or later. */
  readonly from?: number | undefined;
  /** Enqueued before this time. */
  readonly to?: number | undefined;
  /** At most so many on a page; 50 unless given, 200 at most. */
  readonly limit?: number | undefined;
}

/** A page of reports. */
export interface SearchPage {
  /** The newest first. */
  readonly reports: readonly ReportSummary[];
  /**
   * For the next page; null at the end. A page looks at a bounded number of rows, so that it is fast at every size: it may hold
   * fewer reports than asked for, even none, and still have a next one. `reached` says how far it has looked.
   */
  readonly next: string | null;
  /** `enqueuedAt` of the last row that was looked at; null where all were. */
  readonly reached: number | null;
}

/** A body that was asked for. */
export interface ReportBody {
  /** The report. */
  readonly id: string;
  /** The JSON as it is sent, byte for byte. */
  readonly body: string;
  /** The decision that says who has read it. */
  readonly decision: DecisionRecord;
}

/** A page of decisions. */
export interface DecisionPage {
  /** The newest first. */
  readonly decisions: readonly DecisionRecord[];
  /** For the next page; null at the end. */
  readonly next: string | null;
}

/** The log of receipts, as the console shows it. */
export interface ProofData {
  /** How far it reaches; null while it is empty. */
  head(): Promise<ReceiptHead | null>;
  /** Checks all of it. Gives `{ done, of }` now and then, and the verdict last. Stop by leaving the loop. */
  verify(head?: string): AsyncIterable<VerifyStep>;
  /** What the outbox knows of each item of a list, in its order; see `Outbox.reconcile`. Rejects with `'invalid'` at an item that names no report. */
  reconcile(account: string, references: AnyIterable<string | ReportReference>, defaults?: ReconcileDefaults): AsyncIterable<Reconciled>;
}

/** How far the check of the log is, or how it ended. */
export type VerifyStep =
  | { readonly kind: 'progress'; readonly done: number; readonly of: number }
  | { readonly kind: 'verdict'; readonly verdict: ReceiptsVerdict };
