import type { OperationName } from '../protocol/operations.js';
import type { OutboxEnvironment } from './destination.js';
import type { Row, RowState } from './state-machine.js';
import type { Write } from './write.js';

/** Of one account and environment. */
export interface Place {
  /** Whose rows. */
  readonly account: string;
  /** Where they go. */
  readonly environment: OutboxEnvironment;
}

/** How many rows of a place are not final. */
export interface OpenCounts extends Place {
  /** Waiting, and not blocked. */
  readonly waiting: number;
  /** Waiting for another row. */
  readonly blocked: number;
  /** With a worker. */
  readonly inFlight: number;
  /** Waiting for a person; always of now. */
  readonly quarantined: number;
  /** `enqueuedAt` of the oldest that is not quarantined. */
  readonly oldestOpenAt: number | undefined;
}

/** What is wrong with quarantined rows: the code of `problemGroupOf`, and its words. */
export interface Wrong extends Place {
  /** The code of the problem. */
  readonly code: string;
  /** Its message, without the name of the report. */
  readonly words: string;
}

/** Quarantined rows with which the same is wrong. */
export interface WrongCount extends Wrong {
  /** The number of rows. */
  readonly count: number;
  /** `changedAt` of the first and the last of them. */
  readonly firstAt: number;
  /** `changedAt` of the last. */
  readonly lastAt: number;
  /** The lowest `sequence` of them. */
  readonly example: number;
}

/** What a group is made of. */
export interface GroupTally {
  /** How many rows. */
  readonly count: number;
  /** How many of them the gateway may hold. */
  readonly inDoubt: number;
  /** How many of each operation. */
  readonly operations: Readonly<Record<string, number>>;
  /** How many rows wait for one of them. */
  readonly settlements: number;
}

/** A page of rows, without their bodies. */
export interface RowPage {
  /** The newest first. */
  readonly rows: readonly Row[];
  /** The last row that was looked at; undefined where there is none after it. */
  readonly reached: Pick<Row, 'sequence' | 'enqueuedAt'> | undefined;
}

/** Which rows are searched; what is left out matches everything. */
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
  /** Only blocked rows, or none. */
  readonly blocked?: boolean | undefined;
  /** Enqueued at this time or later. */
  readonly from?: number | undefined;
  /** Enqueued before this time. */
  readonly to?: number | undefined;
  /** Only rows before this `sequence`. */
  readonly before: number;
  /** The most to give. */
  readonly limit: number;
  /** How many rows are looked at, at most. */
  readonly look: number;
}

/** A decision as it is kept. Its id, what it says and whom it names never change. */
export interface KeptDecision {
  /** Its id, given by whoever began it. */
  readonly id: string;
  /** What was decided. */
  readonly action: string;
  /** The person who decided. */
  readonly who: string;
  /** The reason that the person gave. */
  readonly reason: string;
  /** What it is about, as JSON text. */
  readonly about: string;
  /** Rows that were quarantined after this time are not touched. */
  readonly asOf: number;
  /** When it began, by the store's clock. */
  readonly at: number;
  /** How many began before it: the order of decisions. */
  readonly place: number;
  /** How far it is: what that counts is the caller's matter. */
  readonly cursor: number;
  /** Rows that it has changed. */
  readonly touched: number;
  /** Rows that it has looked at and left. */
  readonly skipped: number;
  /** Whether it is carried out whole. */
  readonly done: boolean;
  /** The decision that has taken it back. */
  readonly undoneBy: string | undefined;
}

/** A decision as it begins. */
export type NewDecision = Pick<KeptDecision, 'id' | 'action' | 'who' | 'reason' | 'about' | 'done'> & {
  /** Rows that were quarantined after this time are not touched. Default: now. */
  readonly asOf?: number | undefined;
  /** The decision that it takes back. */
  readonly undoes?: string | undefined;
};

/** One commit of a decision. */
export interface DecisionStep {
  /** The decision. */
  readonly id: string;
  /** How far it must be for the step to be made. */
  readonly from: number;
  /** How far it is after the step. */
  readonly to: number;
  /** Whether it is carried out whole with the step. */
  readonly done: boolean;
  /** Rows that were looked at and are not written. */
  readonly skipped: number;
  /** As those of a turn; each with the `sequence` of its row. All of them final, or none. */
  readonly writes: readonly (Write & Pick<Row, 'sequence'>)[];
}

/** Rows that ended within a time, of one place. */
export interface PaceCount extends Place {
  /** How long the time is. */
  readonly span: 'minute' | 'hour' | 'day';
  /** When it begins. */
  readonly start: number;
  /** Rows that were recorded. */
  readonly recorded: number;
  /** Rows that were dismissed. */
  readonly dismissed: number;
  /** From enqueueing to recorded, added up, of those in `classes`. */
  readonly sumMs: number;
  /** How many took how long: one number for each class of `PACE_CLASSES`, and one for what took longer. */
  readonly classes: readonly number[];
}

/** The open rows of every place. */
export interface CountedPlaces {
  /** The time of the count, by the store's clock. */
  readonly countedAt: number;
  /** The counts of each place. */
  readonly places: readonly OpenCounts[];
}

/** Rows that have ended. */
export interface FinalCounts {
  /** Rows that the gateway has recorded. */
  readonly recorded: number;
  /** Rows that a person has dismissed. */
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
  /** The most rows of a page. */
  readonly limit: number;
}

/** The rows that one step of a decision has written. */
export interface TouchedRows {
  /** The place at which the step began. */
  readonly from: number;
  /** The `sequence` of each row. */
  readonly sequences: readonly number[];
}

/**
 * What a store offers the operator's console; it is optional, and a store without it is right, too. All of it stays cheap with a
 * million rows, apart from the counts of a large queue, which a store may keep for a minute.
 */
export interface ConsoleStore {
  /** The store's clock. */
  now(): Promise<number>;
  /** Open rows of each bound place, and when they were counted. */
  open(): Promise<CountedPlaces>;
  /** Rows that have ended, pruned ones included; without `accounts`, of all. */
  finals(accounts?: readonly string[]): Promise<FinalCounts>;
  /** What is wrong with quarantined rows. */
  wrong(): Promise<readonly WrongCount[]>;
  /** Quarantined rows of a group, without their bodies, in the order of `sequence`: those that were quarantined by then. */
  quarantined(query: GroupQuery): Promise<readonly Row[]>;
  /** What a group is made of: those that were quarantined by then. `settlements` is 0 unless it is asked for, since it costs most. */
  tally(of: Wrong, asOf: number, withSettlements: boolean): Promise<GroupTally>;
  /** Rows by their numbers, in the order of `sequence`, without their bodies; those that are not there are left out. */
  rows(sequences: readonly number[]): Promise<readonly Row[]>;
  /** Rows, the newest first. */
  search(search: RowSearch): Promise<RowPage>;

  /** Keeps a decision, unless one with its id is there; returns the one that is kept. With `undoes`, marks that one, unless it is marked. */
  begin(decision: NewDecision): Promise<KeptDecision>;
  /** Makes the writes as a turn does, and notes how far the decision is, in one commit. Undefined, and nothing done, where it is not at `from`, or done, or taken back. */
  step(step: DecisionStep): Promise<readonly boolean[] | undefined>;
  /** A decision by its id. */
  decision(id: string): Promise<KeptDecision | undefined>;
  /** Decisions, the newest first; `before` a `place`. */
  decisions(before: number | undefined, limit: number): Promise<readonly KeptDecision[]>;
  /** The rows that the first step of a decision after `after` has written, and where that step began. */
  touched(id: string, after: number): Promise<TouchedRows | undefined>;

  /** How many lines of the log of receipts are counted in the pace: those before this index. */
  paced(): Promise<number>;
  /** Adds what lines `from` to `to` say, where the pace reaches to `from`; else false, and nothing is done. */
  pace(from: number, to: number, counts: readonly PaceCount[]): Promise<boolean>;
  /** Rows that ended, of those lines, for each place. */
  ended(): Promise<readonly (Place & Pick<PaceCount, 'recorded' | 'dismissed'>)[]>;
  /** Counts of one span from a time on. */
  paces(span: PaceCount['span'], since: number): Promise<readonly PaceCount[]>;
}
