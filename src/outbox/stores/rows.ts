import type { LogLine } from '../rules/receipt-entry.js';
import type { Row } from '../rules/state-machine.js';
import type { KeptDecision } from '../store/operator-store.js';
import type { NewRow, RowQuery } from '../store/store.js';
import type { KeptDestination } from './kept-destination.js';

/**
 * Makes the stored row of a new row: waiting, due now, not in doubt. It names each member, because a spread took longer
 * than the insert into SQLite.
 */
export const newRow = (
  { id, account, environment, operation, reference, waitsFor, body, fingerprint, excerpt }: NewRow,
  sequence: number,
  now: number,
  blocked: boolean,
): Row => ({
  id,
  sequence,
  account,
  environment,
  operation,
  reference,
  waitsFor,
  blocked,
  body,
  fingerprint,
  excerpt,
  state: 'waiting',
  fence: 0,
  attempts: 0,
  inDoubt: false,
  doubtBefore: false,
  enqueuedAt: now,
  dueAt: now,
  changedAt: now,
  outcome: undefined,
  message: undefined,
  requestId: undefined,
  problem: undefined,
  decisions: [],
});

/**
 * Whether a database returns the text unchanged. Libraries cut text at NUL, and SQLite and PostgreSQL cannot store
 * unpaired surrogates.
 */
export const isStorable = (text: string): boolean =>
  !text.includes('\0') && (text as string & { isWellFormed(): boolean }).isWellFormed();

/** Whether a row fits a query. */
export const matches = (
  row: Row,
  { account, state, environment, operation, reference, after = 0 }: Omit<RowQuery, 'limit'>,
): boolean =>
  row.sequence > after &&
  (account ?? row.account) === row.account &&
  (state ?? row.state) === row.state &&
  (environment ?? row.environment) === row.environment &&
  (operation ?? row.operation) === row.operation &&
  (reference ?? row.reference) === row.reference;

/** The ids of the missing keys of open rows, each once. */
export function missingKeysOf(rows: Iterable<Row>, accounts: readonly string[] | undefined): string[] {
  const found = new Set<string>();
  for (const { account, state, problem } of rows) {
    const isOpen = state === 'waiting' || state === 'in-flight';
    if (isOpen && problem?.keyId !== undefined && (accounts?.includes(account) ?? true)) found.add(problem.keyId);
  }
  return [...found].sort();
}

/** The complete content of a store, for the move to another store. It is read while no other process uses the store. */
export interface MovedRows {
  /** Rows in the order of `sequence`, in batches. */
  rows(): Iterable<readonly Row[]>;
  /** The receipt log, in batches of lines. */
  receipts(): Iterable<readonly LogLine[]>;
  /** `sequence` of final rows without a line in the log, in the order in which they became final. */
  readonly unlogged: readonly number[];
  readonly settings: readonly (readonly [name: string, value: string])[];
  /** The decisions of the console, in their order. */
  readonly decisions: readonly KeptDecision[];
  /** The rows that each step of a decision has written. */
  readonly steps: readonly { readonly id: string; readonly from: number; readonly sequences: readonly number[] }[];
  /** The destinations with their gateways and pauses. */
  readonly destinations: readonly KeptDestination[];
}
