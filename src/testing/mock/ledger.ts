import { canonical } from '../../core/platform/as-record.js';
import { type OperationName, operations } from '../../core/protocol/operations.js';

/** A recorded report. */
export interface RecordedReport {
  /** The operation, for example `'reportBetEvent'`. */
  readonly operation: OperationName;
  /** The report's `bet_id` or `request_id`. */
  readonly reference: string;
  /** The reported data. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** The reports of one environment, by operation and reference, in the order of their arrival. */
export type Ledger = Map<string, RecordedReport>;

const keyOf = (operation: OperationName, reference: string) => `${operation} ${reference}`;

type LedgerAnswer = 'recorded' | 'same' | 'conflict' | 'not-initiated';

/**
 * By sections 1 and 3 of the specification a report is immutable, the same data again is an error, and a settled report
 * needs its initiated one.
 */
export function record(ledger: Ledger, report: RecordedReport, rules: { requireInitiated: boolean }): LedgerAnswer {
  const { operation, reference } = report;
  const row = operations[operation];
  if (rules.requireInitiated && 'after' in row && !ledger.has(keyOf(row.after, reference))) return 'not-initiated';
  const held = ledger.get(keyOf(operation, reference));
  if (held) return canonical(held.body) === canonical(report.body) ? 'same' : 'conflict';
  ledger.set(keyOf(operation, reference), report);
  return 'recorded';
}

/** A recorded report cannot be changed by its readers. */
export function freezeDeep<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freezeDeep);
  return value;
}
