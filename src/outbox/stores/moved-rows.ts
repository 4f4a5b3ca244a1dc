import type { KeptDecision } from '../console-store.js';
import type { Row } from '../state-machine.js';
import type { LogLine, Outlook } from '../store.js';

/** Everything that a store holds, read while nobody else has it; for a store that takes its place. */
export interface MovedRows {
  /** Rows in the order of `sequence`, some at a time. */
  rows(): Iterable<readonly Row[]>;
  /** The log of receipts, some lines at a time. */
  receipts(): Iterable<readonly LogLine[]>;
  /** `sequence` of final rows without a line in the log, in the order in which they became final. */
  readonly unlogged: readonly number[];
  readonly settings: readonly (readonly [name: string, value: string])[];
  /** What was decided in the console, in that order. */
  readonly decisions: readonly KeptDecision[];
  /** What each commit of these has touched. */
  readonly steps: readonly { readonly id: string; readonly from: number; readonly sequences: readonly number[] }[];
  /** Gateways and pauses. */
  readonly destinations: readonly Omit<Outlook, 'nextInMs'>[];
}
