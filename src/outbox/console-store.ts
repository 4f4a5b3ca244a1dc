import type { OperationName } from '../protocol/operations.js';
import type { OutboxEnvironment } from './destination.js';
import type { Row, RowState } from './state-machine.js';
import type { Write } from './write.js';

/** One account and environment. */
export interface AccountEnvironment {
  /** The account of the rows. */
  readonly account: string;
  /** The environment to which they go. */
  readonly environment: OutboxEnvironment;
}

/** The number of rows of a place that are not final. */
export interface OpenCounts extends AccountEnvironment {
  /** Waiting rows that are not blocked. */
  readonly waiting: number;
  /** Rows that wait for another row. */
  readonly blocked: number;
  /** Rows that a worker holds. */
  readonly inFlight: number;
  /** Rows that wait for a person. This number is always current. */
  readonly quarantined: number;
  /** `enqueuedAt` of the oldest open row that is not quarantined. */
  readonly oldestOpenAt: number | undefined;
}

/** A group of quarantined rows of one place that have the same problem, as `wrongOf` computes it. */
export interface Wrong extends AccountEnvironment {
  /** The code of the problem. */
  readonly code: string;
  /** The message of the problem, without the name of the report. */
  readonly words: string;
}

/** The quarantined rows of a group, in numbers. */
export interface WrongCount extends Wrong {
  /** The number of rows. */
  readonly count: number;
  /** `changedAt` of the first. */
  readonly firstAt: number;
  /** `changedAt` of the last. */
  readonly lastAt: number;
  /** The lowest `sequence` of the group. */
  readonly example: number;
}

/** The contents of a group, in numbers. */
export interface GroupTally {
  /** The number of rows. */
  readonly count: number;
  /** The number of rows that the gateway may hold. */
  readonly inDoubt: number;
  /** The number of rows of each operation. */
  readonly operations: Readonly<Record<string, number>>;
  /** The number of rows that wait for a row of the group. */
  readonly settlements: number;
}

/** A page of rows, without their bodies. */
export interface RowPage {
  /** The newest first. */
  readonly rows: readonly Row[];
  /** The last row that was read. Undefined if no row follows it. */
  readonly reached: Pick<Row, 'sequence' | 'enqueuedAt'> | undefined;
}

/** The conditions of a search. An absent condition matches every row. */
export interface RowSearch {
  /** Only rows of this account. */
  readonly account?: string | undefined;
  /** Only rows of this environment. */
  readonly environment?: OutboxEnvironment | undefined;
  /** Only rows of these accounts. */
  readonly accounts?: readonly string[] | undefined;
  /** Only rows of this call. */
  readonly operation?: OperationName | undefined;
  /** Only rows in this state. */
  readonly state?: RowState | undefined;
  /** True: only blocked rows. False: only rows that are not blocked. */
  readonly blocked?: boolean | undefined;
  /** Only rows that were enqueued at this time or later. */
  readonly from?: number | undefined;
  /** Only rows that were enqueued before this time. */
  readonly to?: number | undefined;
  /** Only rows before this `sequence`. */
  readonly before: number;
  /** The largest number of rows to return. */
  readonly limit: number;
  /** The largest number of rows to read. */
  readonly look: number;
}

/** A stored decision. Its id, action, person and reason never change. */
export interface KeptDecision {
  /** Its id, given by the caller of `begin`. */
  readonly id: string;
  /** The action that was decided. */
  readonly action: string;
  /** The person who decided. */
  readonly who: string;
  /** The reason that the person gave. */
  readonly reason: string;
  /** The reports that it concerns, as JSON text. */
  readonly about: string;
  /** Rows that were quarantined after this time are not touched. */
  readonly asOf: number;
  /** When it began, by the store's clock. */
  readonly at: number;
  /** The number of decisions that began before it: the order of decisions. */
  readonly place: number;
  /** How far it has been carried out. The caller defines the unit. */
  readonly cursor: number;
  /** The number of rows that it has changed. */
  readonly touched: number;
  /** The number of rows that it has read and left unchanged. */
  readonly skipped: number;
  /** Whether it is completely carried out. */
  readonly done: boolean;
  /** The id of the decision that has undone it. */
  readonly undoneBy: string | undefined;
}

/** A decision that begins. */
export type NewDecision = Pick<KeptDecision, 'id' | 'action' | 'who' | 'reason' | 'about' | 'done'> & {
  /** Rows that were quarantined after this time are not touched. Default: now. */
  readonly asOf?: number | undefined;
  /** The id of the decision that it undoes. */
  readonly undoes?: string | undefined;
};

/** One commit of a decision. */
export interface DecisionStep {
  /** The id of the decision. */
  readonly id: string;
  /** The cursor that the decision must have, or the step is not made. */
  readonly from: number;
  /** The cursor of the decision after the step. */
  readonly to: number;
  /** Whether the step completes the decision. */
  readonly done: boolean;
  /** The number of rows that were read and are not written. */
  readonly skipped: number;
  /** Writes as those of a turn, each with the `sequence` of its row. Either all changes are final, or none is. */
  readonly writes: readonly (Write & Pick<Row, 'sequence'>)[];
}

/** The rows of one place that ended within one span of time. */
export interface PaceCount extends AccountEnvironment {
  /** The length of the span. */
  readonly span: 'minute' | 'hour' | 'day';
  /** The begin of the span. */
  readonly start: number;
  /** The number of rows that were recorded. */
  readonly recorded: number;
  /** The number of rows that were dismissed. */
  readonly dismissed: number;
  /** The sum of the times from enqueueing to recording, of the rows in `classes`. */
  readonly sumMs: number;
  /** The number of rows by their time: one for each class of `PACE_CLASSES`, and one for all longer times. */
  readonly classes: readonly number[];
}

/** The open rows of every place. */
export interface CountedPlaces {
  /** The time of the count, by the store's clock. */
  readonly countedAt: number;
  /** The counts of each place. */
  readonly places: readonly OpenCounts[];
}

/** The numbers of final rows. */
export interface FinalCounts {
  /** The number of rows that the gateway has recorded. */
  readonly recorded: number;
  /** The number of rows that a person has dismissed. */
  readonly dismissed: number;
}

/** A page of the quarantined rows of a group. */
export interface GroupQuery {
  /** The group of the rows. */
  readonly of: Wrong;
  /** Rows that were quarantined after this time are left out. */
  readonly asOf: number;
  /** Only rows with a higher `sequence`. */
  readonly after: number;
  /** The largest number of rows of a page. */
  readonly limit: number;
}

/** The rows that one step of a decision has written. */
export interface TouchedRows {
  /** The cursor of the decision before the step. */
  readonly from: number;
  /** The `sequence` of each row. */
  readonly sequences: readonly number[];
}

/**
 * The part of a store that the operator's console reads and writes. It is optional. Every method must stay cheap with a
 * million rows, except the counts of a large queue, which a store may keep for a minute.
 */
export interface ConsoleStore {
  /** The time by the store's clock. */
  now(): Promise<number>;
  /** The open rows of each bound place, and the time of the count. */
  open(): Promise<CountedPlaces>;
  /** The numbers of final rows, including pruned ones. Without `accounts`: of all accounts. */
  finals(accounts?: readonly string[]): Promise<FinalCounts>;
  /** The groups of the quarantined rows. */
  wrong(): Promise<readonly WrongCount[]>;
  /** The rows of a group that were quarantined by `asOf`, without their bodies, in the order of `sequence`. */
  quarantined(query: GroupQuery): Promise<readonly Row[]>;
  /** The contents of a group: its rows that were quarantined by `asOf`. Without `withSettlements`, the costly `settlements` is 0. */
  tally(of: Wrong, asOf: number, withSettlements: boolean): Promise<GroupTally>;
  /** Rows by their `sequence`, in that order, without their bodies. A missing row is left out. */
  rows(sequences: readonly number[]): Promise<readonly Row[]>;
  /** The rows that match, the newest first. */
  search(search: RowSearch): Promise<RowPage>;

  /** Stores a decision unless one with its id exists, and returns the stored one. Marks the decision in `undoes` as undone, unless it is already. */
  begin(decision: NewDecision): Promise<KeptDecision>;
  /**
   * Makes the writes as a turn does and moves the cursor of the decision, in one commit. Changes nothing and returns undefined if
   * the cursor is not at `from`, or the decision is done or undone.
   */
  step(step: DecisionStep): Promise<readonly boolean[] | undefined>;
  /** A decision by its id. */
  decision(id: string): Promise<KeptDecision | undefined>;
  /** Decisions, the newest first. `before`: only those with a lower `place`. */
  decisions(before: number | undefined, limit: number): Promise<readonly KeptDecision[]>;
  /** The rows that the first step of a decision after the cursor `after` has written, and the cursor before that step. */
  touched(id: string, after: number): Promise<TouchedRows | undefined>;

  /** The number of lines of the receipt log that the pace counts: those before this index. */
  paced(): Promise<number>;
  /** Adds the counts of the lines `from` to `to`. Changes nothing and returns false if the pace does not end at `from`. */
  pace(from: number, to: number, counts: readonly PaceCount[]): Promise<boolean>;
  /** The final rows of those lines, for each place. */
  ended(): Promise<readonly (AccountEnvironment & Pick<PaceCount, 'recorded' | 'dismissed'>)[]>;
  /** The counts of one length of span, from a time on. */
  paces(span: PaceCount['span'], since: number): Promise<readonly PaceCount[]>;
}
