import type { LogLine } from '../rules/receipt-entry.js';
import type { Row } from '../rules/state-machine.js';
import type { KeptDecision } from '../store/operator-store.js';
import type { KeptDestination } from './kept-destination.js';

/** The complete content of a store, for the move to another store. It is read while no other process uses the store. */
export interface MovedRows {
  /** Rows in the order of `sequence`, in batches. */
  rows(): Iterable<readonly Row[]>;
  /** The largest `sequence` that a row has ever had, also a pruned one. */
  readonly latest: number;
  /** Final rows and attempts by account, with those of pruned rows. */
  readonly tally: readonly object[];
  /** The receipt log, in batches of lines. */
  receipts(): Iterable<readonly LogLine[]>;
  /** `sequence` of final rows without a line in the log, in the order in which they became final. */
  readonly unlogged: readonly number[];
  readonly settings: readonly (readonly [name: string, value: string])[];
  /** The decisions of the console, in their order. */
  readonly decisions: readonly KeptDecision[];
  /** The rows that each step of a decision has written. */
  readonly steps: readonly { readonly id: string; readonly from: number; readonly sequences: readonly number[] }[];
  readonly destinations: readonly KeptDestination[];
}
