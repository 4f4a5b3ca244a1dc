import type { Environment } from '../../core/errors/errors.js';
import { asRecord, canonical, isRecord } from '../../core/platform/as-record.js';
import { type OperationName, operationNames, operations } from '../../core/protocol/operations.js';
import { copyJson } from '../../core/schema/copy-json.js';

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
 * Records a report if the rules allow it (specification, sections 1 and 3). A report is immutable. The same data again
 * is an error. A settled report needs its initiated one.
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

/** The state of a mock gateway, as plain JSON. */
export interface MockState {
  /** Version of the format. */
  readonly version: 1;
  /** The reports of both ledgers. */
  readonly reports: Readonly<Record<Environment, readonly RecordedReport[]>>;
}

type Ledgers = Readonly<Record<Environment, Ledger>>;

export const emptyLedgers = (): Ledgers => ({ staging: new Map(), production: new Map() });

export const toState = ({ staging, production }: Ledgers): MockState => ({
  version: 1,
  reports: structuredClone({ staging: [...staging.values()], production: [...production.values()] }),
});

const unusable = (why: string) => new TypeError(`The state cannot be used: ${why}.`);

/** Reads a state from outside. Throws a `TypeError` that says what is wrong. */
export function fromState(state: unknown): Ledgers {
  const { version, reports } = asRecord(state);
  if (version !== 1) throw unusable('expected { "version": 1, "reports": { "staging": [], "production": [] } }');
  const { staging, production } = asRecord(reports);
  return { staging: toLedger(staging, 'staging'), production: toLedger(production, 'production') };
}

/** A ledger with more reports, which are recorded without checking for earlier ones. */
export function toLedger(reports: unknown, environment: string, from: Ledger = new Map()): Ledger {
  if (!Array.isArray(reports)) throw unusable(`reports.${environment} is not a list`);
  const ledger = new Map(from);
  for (const [index, report] of reports.entries()) {
    const at = `reports.${environment}[${index}]`;
    if (record(ledger, readReport(report, at), { requireInitiated: false }) !== 'recorded')
      throw unusable(`${at} repeats an earlier report`);
  }
  return ledger;
}

function readReport(report: unknown, at: string): RecordedReport {
  const { operation, reference, body } = asRecord(report);
  const row = operationNames.includes(operation as OperationName) ? operations[operation as OperationName] : undefined;
  if (!row || !('reference' in row)) throw unusable(`${at}.operation is not a report's`);
  if (!isRecord(body)) throw unusable(`${at}.body is not an object`);
  const own = body[row.reference];
  if (typeof own !== 'string' || (reference !== undefined && reference !== own)) {
    throw unusable(`${at}.body.${row.reference} is not the report's reference`);
  }
  // A copy, so that recorded reports do not change with the caller's object.
  const { issues, value } = copyJson(body);
  const [problem] = issues;
  if (problem) throw unusable(`${at}.body cannot be a report's: ${problem.message}`);
  return { operation: row.name, reference: own, body: value as RecordedReport['body'] };
}

/** Freezes plain data: a recorded report cannot be changed by its readers. */
export function freezeDeep<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freezeDeep);
  return value;
}
