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
 * The data and actions of the operator's console, without a page. All results are JSON, and only `body` returns a body. Texts from
 * outside (references, messages of the gateway, reasons) have their control characters escaped, as the command line prints
 * them. They are text and never markup. Times are milliseconds since 1970, by the store's clock.
 *
 * A method that refuses a request rejects with a `ConsoleRefusal` and changes nothing. Errors of the store (no connection, a full
 * disk) reject unchanged. The caller checks permissions: these methods check none.
 */
export interface ConsoleData {
  /** The abilities of this store. The page hides the others. */
  readonly can: ConsoleAbilities;
  /** The accounts that the console shows. Undefined: all accounts of the store. */
  readonly accounts: readonly string[] | undefined;

  /** The state of the outbox. It is cheap at any size: several pages may call it every two seconds. */
  overview(): Promise<Overview>;
  /** Throughput and time to recording, in equal steps up to now. */
  charts(range: ChartRange, filter?: Narrowing): Promise<Charts>;
  /** The problems of the quarantined reports, the largest group first. */
  groups(filter?: Narrowing): Promise<Groups>;
  /** Reports, the newest first. `cursor`: the `next` of the previous page, with the same filter. */
  search(filter?: SearchFilter, cursor?: string): Promise<SearchPage>;
  /** One report by its id, with all its details. Undefined if there is none. */
  report(id: string): Promise<ReportLife | undefined>;

  /**
   * The body of one report. Only this method returns personal data. It stores a decision of `who` before it reads the body. Refuses
   * with `'locked'` if this process does not have the key of the body, or if the body was deleted.
   */
  body(id: string, by: Who): Promise<ReportBody>;

  /** The effect of a decision about a selection. Changes nothing. */
  preview(selection: Selection, action: DecideRequest['action']): Promise<Preview>;
  /**
   * Sends quarantined reports again (`'retry'`), or ends them by a person's decision (`'recorded'`, `'dismissed'`), which is final.
   * Works in small commits for at most `forMs`. While `more` is true, call it again with the same request to continue. A repeated
   * request with the same `decision` id has no further effect: each row is changed once.
   */
  decide(request: DecideRequest): Promise<DecisionProgress>;
  /**
   * Undoes a `'retry'`: each report that was not claimed since is quarantined again, with its earlier problem. A report that a worker
   * has claimed since the decision is not changed, nor one that was not quarantined before. The answer counts both. A decision that
   * ended reports is final and cannot be undone. Works in small commits: call it again as `decide`.
   */
  undo(request: UndoRequest): Promise<Undone>;
  /**
   * Decisions about the accounts that are shown, the newest first, including those that only read a body. `before`: the `next` of the
   * previous page. A page reads a limited number of decisions, so it may be short and still have a next one.
   */
  decisions(before?: string): Promise<DecisionPage>;
  /** One decision by its id; undefined where there is none, or none about an account that is shown. */
  decision(id: string): Promise<DecisionRecord | undefined>;
  /** Ends the pauses of an environment and its operations now. It is stored as a decision. `lifted` is false if there was no pause. */
  resume(where: { account: string; environment: OutboxEnvironment }, by: Who): Promise<{ readonly lifted: boolean; readonly decision: DecisionRecord }>;

  /** A secret of this store, which all its processes share: the key for the tokens of pages. The first call makes it. */
  secret(): Promise<string>;

  /** The receipt log. */
  readonly proof: ProofData;
}

/** The abilities of a store. The methods of a false one refuse with `'store-cannot'`. */
export interface ConsoleAbilities {
  /** `groups`. */
  readonly groups: boolean;
  /** `search` by more than an id or a reference. */
  readonly search: boolean;
  /** `decide`, `preview`, `undo`, `decisions`, `resume`. */
  readonly decide: boolean;
  /** `charts`. */
  readonly charts: boolean;
  /** `body`. */
  readonly body: boolean;
}

/** A filter of an answer. An absent member matches everything. */
export interface Narrowing {
  /** Only of this account. */
  readonly account?: string | undefined;
  /** Only of this environment. */
  readonly environment?: OutboxEnvironment | undefined;
}

/** The problems of the quarantined reports. */
export interface Groups {
  /** At most 200 groups, the largest first. */
  readonly groups: readonly ProblemGroup[];
  /** The numbers of further groups and of their reports. */
  readonly others: { readonly groups: number; readonly reports: number };
  /** The time of this answer, by the store's clock. Pass it to `decide` as `asOf`. */
  readonly now: number;
}

/** Quarantined reports with the same problem. */
export interface ProblemGroup extends GroupKey {
  /** The number of reports. */
  readonly count: number;
  /** The time at which the first was quarantined. */
  readonly firstAt: number;
  /** The time at which the last was quarantined. */
  readonly lastAt: number;
  /** The HTTP status of the answer. Null if there was none. */
  readonly status: number | null;
  /** The report of the group that was enqueued first. */
  readonly example: ReportSummary;
}

/** The conditions of a search. A report must match all of them. */
export interface SearchFilter extends Narrowing {
  /** A complete id, `bet_id` or `request_id`. */
  readonly text?: string | undefined;
  /** Only reports in this state. */
  readonly state?: ShownState | undefined;
  /** Only the quarantined reports of this group, the oldest first. Combine it only with `limit`. */
  readonly group?: GroupKey | undefined;
  /** Only reports of this call. */
  readonly operation?: OperationName | undefined;
  /** Only reports that were enqueued at this time or later. */
  readonly from?: number | undefined;
  /** Only reports that were enqueued before this time. */
  readonly to?: number | undefined;
  /** The number of reports on a page, at most 200. Default: 50. */
  readonly limit?: number | undefined;
}

/** A page of reports. */
export interface SearchPage {
  /** The newest first. */
  readonly reports: readonly ReportSummary[];
  /**
   * The cursor of the next page. Null at the end. A page reads a limited number of rows, so that it is fast at every size. So a page
   * may contain fewer reports than its limit, or none, and still have a next page.
   */
  readonly next: string | null;
  /** `enqueuedAt` of the last row that was read. Null if all rows were read. */
  readonly reached: number | null;
}

/** The body of a report. */
export interface ReportBody {
  /** The id of the report. */
  readonly id: string;
  /** The exact JSON that is sent. */
  readonly body: string;
  /** The stored decision, with the person who has read the body. */
  readonly decision: DecisionRecord;
}

/** A page of decisions. */
export interface DecisionPage {
  /** The newest first. */
  readonly decisions: readonly DecisionRecord[];
  /** The value of `before` for the next page. Null at the end. */
  readonly next: string | null;
}

/** The receipt log in the console. */
export interface ProofData {
  /** The end of the log. Null while the log is empty. */
  head(): Promise<ReceiptHead | null>;
  /** Verifies the log. Yields its progress from time to time, and the verdict last. Leave the loop to stop it. */
  verify(head?: string): AsyncIterable<VerifyStep>;
  /** Compares a list with the outbox; see `Outbox.reconcile`. Rejects with `'invalid'` at an item that does not name a report. */
  reconcile(account: string, references: AnyIterable<string | ReportReference>, defaults?: ReconcileDefaults): AsyncIterable<Reconciled>;
}

/** The progress or the result of a verification. */
export type VerifyStep =
  | { readonly kind: 'progress'; readonly done: number; readonly of: number }
  | { readonly kind: 'verdict'; readonly verdict: ReceiptsVerdict };
