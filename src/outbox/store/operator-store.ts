import type { OperationName } from '../../core/protocol/operations.js';
import type { Destination, OutboxEnvironment } from '../rules/destination.js';
import type { Row, RowState, Write } from '../rules/state-machine.js';

/** The numbers of rows of a destination that are not final. */
export interface OpenCounts extends Destination {
  /** Waiting rows that are not blocked. */
  readonly waiting: number;
  /** Those of them that were refused. */
  readonly refused: number;
  readonly blocked: number;
  readonly inFlight: number;
  /** Always current. */
  readonly quarantined: number;
  /** `enqueuedAt` of the oldest open row that is not quarantined. */
  readonly oldestOpenAt: number | undefined;
}

/**
 * The key of a group of quarantined rows: the code of their problem, and its message without the name of the report and
 * its colon. The databases compute it.
 */
export interface ProblemKey extends Destination {
  readonly code: string;
  readonly words: string;
}

export interface ProblemCount extends ProblemKey {
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** The lowest `sequence` of the group. */
  readonly example: number;
}

export interface GroupTally {
  readonly count: number;
  /** The number of rows that the gateway may hold. */
  readonly inDoubt: number;
  readonly operations: Readonly<Record<string, number>>;
  /** The rows that wait for a row of the group. */
  readonly settlements: number;
}

export interface RowPage {
  readonly rows: readonly Row[];
  /** The last row that was read. Undefined if no row follows it. */
  readonly reached: Pick<Row, 'sequence' | 'enqueuedAt'> | undefined;
}

/** An absent condition matches every row. */
export interface RowSearch {
  readonly account?: string | undefined;
  readonly environment?: OutboxEnvironment | undefined;
  readonly accounts?: readonly string[] | undefined;
  readonly operation?: OperationName | undefined;
  readonly state?: RowState | undefined;
  /** True: only blocked rows. False: only rows that are not blocked. */
  readonly blocked?: boolean | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly before: number;
  readonly limit: number;
  /** The largest number of rows to read. */
  readonly look: number;
}

/** A stored decision. The first four members never change. */
export interface KeptDecision {
  readonly id: string;
  readonly action: string;
  readonly who: string;
  readonly reason: string;
  /** The reports that it concerns, as JSON text. */
  readonly about: string;
  /** Rows that were quarantined after this time are not touched. */
  readonly asOf: number;
  /** When it began, by the store's clock. */
  readonly at: number;
  /** The number of decisions that began before it: the order of decisions. */
  readonly number: number;
  /** How far it has been carried out. The caller defines the unit. */
  readonly cursor: number;
  readonly touched: number;
  /** The number of rows that it has read and left unchanged. */
  readonly skipped: number;
  readonly done: boolean;
  readonly undoneBy: string | undefined;
}

export type NewDecision = Pick<KeptDecision, 'id' | 'action' | 'who' | 'reason' | 'about' | 'done'> & {
  /** Default: now. */
  readonly asOf?: number | undefined;
  readonly undoes?: string | undefined;
};

export interface DecisionStep {
  readonly id: string;
  /** The cursor that the decision must have, or the step is not made. */
  readonly from: number;
  readonly to: number;
  readonly done: boolean;
  /** The number of rows that were read and are not written. */
  readonly skipped: number;
  /** Writes as those of a turn. All make rows final, all reopen or replace rows, or none does either. */
  readonly writes: readonly (Write & Pick<Row, 'sequence'>)[];
}

export interface ThroughputCount extends Destination {
  readonly span: 'minute' | 'hour' | 'day';
  readonly start: number;
  readonly recorded: number;
  readonly dismissed: number;
  /** The number of rows in each class of `THROUGHPUT_CLASSES`, and with a longer time. */
  readonly classes: readonly number[];
}

export interface CountedPlaces {
  readonly countedAt: number;
  readonly places: readonly OpenCounts[];
}

export interface FinalCounts {
  readonly recorded: number;
  readonly dismissed: number;
}

export interface GroupQuery {
  readonly of: ProblemKey;
  /** Rows that were quarantined after this time are left out. */
  readonly asOf: number;
  readonly after: number;
  /** The number of matching rows to leave out. Default: 0. */
  readonly skip?: number | undefined;
  readonly limit: number;
}

interface TouchedRows {
  /** The cursor of the decision before the step. */
  readonly from: number;
  readonly sequences: readonly number[];
}

export type ErasedRow = Pick<Row, 'sequence' | 'fence'>;

/**
 * The part of an SQL store that the operator uses. Every method must stay cheap with a million rows, except the counts
 * of a large queue, which a store may keep for a minute.
 */
export interface OperatorStore {
  now(): Promise<number>;
  open(): Promise<CountedPlaces>;
  /** The numbers of final rows, including pruned ones. Without `accounts`: of all accounts. */
  finals(accounts?: readonly string[]): Promise<FinalCounts>;
  problemGroups(): Promise<readonly ProblemCount[]>;
  /** Rows without their bodies, in the order of `sequence`. */
  quarantined(query: GroupQuery): Promise<readonly Row[]>;
  /** Counts the rows that were quarantined by `asOf`. Without `withSettlements`, the costly `settlements` is 0. */
  tally(of: ProblemKey, asOf: number, withSettlements: boolean, onlyInDoubt?: boolean): Promise<GroupTally>;
  /** Rows by their `sequence`, in that order, without their bodies. A missing row is left out. */
  rows(sequences: readonly number[]): Promise<readonly Row[]>;
  /** The rows that match, the newest first. */
  search(search: RowSearch): Promise<RowPage>;

  /**
   * Stores a decision unless one with its id exists, and returns the stored one. Marks the decision in `undoes` as
   * undone, unless it is already.
   */
  begin(decision: NewDecision): Promise<KeptDecision>;
  /**
   * Makes the writes and moves the cursor of the decision, in one commit. Changes nothing and returns undefined if the
   * cursor is not at `from`, or the decision is done or undone.
   */
  step(step: DecisionStep): Promise<readonly boolean[] | undefined>;
  /**
   * Erases the bodies and excerpts of these final rows, and marks them as erased by the decision, in one commit. A row
   * with another fence stays: it may hold another player's data. The fence rises, so that a person who read a row before
   * does not reopen it. Returns the number of rows that had any.
   */
  erase(decision: string, rows: readonly ErasedRow[]): Promise<number>;
  /** Empties the log of a database in a file, which still has the erased bytes. Returns false if it could not. */
  emptyLog?(): Promise<boolean>;
  decision(id: string): Promise<KeptDecision | undefined>;
  /** Decisions, the newest first. `before`: only those with a lower `number`. */
  decisions(before: number | undefined, limit: number): Promise<readonly KeptDecision[]>;
  /** The rows of the first step of a decision after the cursor `after`. */
  touched(id: string, after: number): Promise<TouchedRows | undefined>;

  /** The throughput counts the lines of the receipt log before this index. */
  throughputEnd(): Promise<number>;
  /** Adds the counts of the lines `from` to `to`. Returns false, and adds none, unless the throughput ends at `from`. */
  addThroughput(from: number, to: number, counts: readonly ThroughputCount[]): Promise<boolean>;
  /** The final rows of those lines, for each place. */
  ended(): Promise<readonly (Destination & Pick<ThroughputCount, 'recorded' | 'dismissed'>)[]>;
  /** The counts of one length of span, from a time on. */
  throughput(span: ThroughputCount['span'], since: number): Promise<readonly ThroughputCount[]>;
}
