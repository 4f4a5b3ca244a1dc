import type { Row } from '../../rules/state-machine.js';

/** Values of a statement. */
export type SqlValues<More = never> = readonly (string | number | More)[];

export type Found = Readonly<Record<string, unknown>>;

/** The parts in which the statements of SQLite and PostgreSQL differ. */
export interface Dialect {
  /**
   * Reads rows, whose columns are the members of `One`. In the text, `?` is a text, `?#` a whole number, and `schema.`
   * stands before the name of a table.
   */
  all<One extends object = Found>(text: string, ...values: SqlValues): Promise<readonly One[]>;
  /** The first row. In SQLite it is read by the function whose errors say what happened in every library. */
  first<One extends object = Found>(text: string, ...values: SqlValues): Promise<One | undefined>;
  /** Runs one statement that writes at most one row, in its own commit. Its text ends with RETURNING. */
  change(text: string, ...values: SqlValues<null>): Promise<Found | undefined>;
  /** The same for a statement that uses the time: the column `now` of the table `clock`. */
  changeByClock(text: string, ...values: SqlValues<null>): Promise<Found | undefined>;
  /** A column with a JSON list, and one more object at its end. */
  appended(column: string, members: string): string;
  /** Reads the rows whose `sequence` a SELECT returns, in that order and without their bodies. */
  bodiless(sequences: string, ...values: SqlValues): Promise<readonly Row[]>;
  readonly rowsTable: string;
  /** The table of open rows, as `q`, in the order of its index of quarantined ones. */
  readonly quarantinedTable: string;
  /** It follows `quarantinedTable` where the operation is needed: a join of `r`, or nothing. */
  readonly joinOfOperation: string;
  /** A subquery beside `quarantinedTable` and `joinOfOperation`: the number of rows that wait for the row. */
  readonly countOfSettlements: string;
  readonly elements: string;
}
