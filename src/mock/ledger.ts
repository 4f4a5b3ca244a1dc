import { type OperationName, operations } from '../protocol/operations.js';

/** A report that the gateway holds. */
export interface RecordedReport {
  /** The called function, for example `'reportBetEvent'`. */
  readonly operation: OperationName;
  /** The report's `bet_id` or `request_id`. */
  readonly reference: string;
  /** What was reported. */
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * What one environment holds. Never changed: recording makes a new ledger, and an older one goes on saying what
 * it said. All ledgers of one history share an append-only log of which each sees its own length, so that a
 * new one costs the same however many reports there are.
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

/** The same text for the same data, in whatever order its members stand. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`;
}

export type LedgerAnswer = 'recorded' | 'same' | 'conflict' | 'not-initiated';

/**
 * Records a report if the rules allow it (specification, sections 1 and 3): a report is immutable, the same data
 * again is an error, and what is settled must have been initiated.
 */
export function record(ledger: Ledger, report: RecordedReport, rules: { requireInitiated: boolean }): [Ledger, LedgerAnswer] {
  const { operation, reference } = report;
  const row = operations[operation];
  if (rules.requireInitiated && 'after' in row && !find(ledger, row.after, reference)) return [ledger, 'not-initiated'];
  const held = find(ledger, operation, reference);
  if (held) return [ledger, canonical(held.body) === canonical(report.body) ? 'same' : 'conflict'];
  return [append(ledger, report), 'recorded'];
}
