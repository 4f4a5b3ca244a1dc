import { type OperationName, operations } from '../protocol/operations.js';

/** A recorded report. */
export interface RecordedReport {
  /** The operation, for example `'reportBetEvent'`. */
  readonly operation: OperationName;
  /** The report's `bet_id` or `request_id`. */
  readonly reference: string;
  /** The reported data. */
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * The reports of one environment. It is immutable: recording a report makes a new ledger, and the older one keeps its
 * content. All ledgers of one history share an append-only log, and each sees its own length of it. So a new ledger
 * costs the same for any number of reports.
 */
export interface Ledger {
  readonly length: number;
  readonly log: RecordedReport[];
  readonly positions: Map<string, number>;
}

export const emptyLedger = (): Ledger => ({ length: 0, log: [], positions: new Map() });

export const reportsOf = ({ log, length }: Ledger): RecordedReport[] => log.slice(0, length);

const keyOf = (operation: OperationName, reference: string) => `${operation} ${reference}`;

const find = ({ log, positions, length }: Ledger, operation: OperationName, reference: string): RecordedReport | undefined => {
  const position = positions.get(keyOf(operation, reference));
  return position !== undefined && position < length ? log[position] : undefined;
};

function append(ledger: Ledger, report: RecordedReport): Ledger {
  if (ledger.log.length !== ledger.length) return reportsOf(ledger).concat(report).reduce(append, emptyLedger());
  ledger.positions.set(keyOf(report.operation, report.reference), ledger.length);
  ledger.log.push(report);
  return { ...ledger, length: ledger.length + 1 };
}

/** The same text for the same data, in any order of the members. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`;
}

export type LedgerAnswer = 'recorded' | 'same' | 'conflict' | 'not-initiated';

/**
 * Records a report if the rules allow it (specification, sections 1 and 3). A report is immutable. The same data again
 * is an error. A settled report needs its initiated one.
 */
export function record(ledger: Ledger, report: RecordedReport, rules: { requireInitiated: boolean }): [Ledger, LedgerAnswer] {
  const { operation, reference } = report;
  const row = operations[operation];
  if (rules.requireInitiated && 'after' in row && !find(ledger, row.after, reference)) return [ledger, 'not-initiated'];
  const held = find(ledger, operation, reference);
  if (held) return [ledger, canonical(held.body) === canonical(report.body) ? 'same' : 'conflict'];
  return [append(ledger, report), 'recorded'];
}
