import type { Environment } from '../errors/errors.js';
import { type OperationName, operationNames, operations } from '../protocol/operations.js';
import { copyJson } from '../schema/copy-json.js';
import { emptyLedger, type Ledger, type RecordedReport, record, reportsOf } from './ledger.js';

/** The state of a mock gateway, as plain JSON. */
export interface MockState {
  /** Version of the format. */
  readonly version: 1;
  /** The reports of both ledgers. */
  readonly reports: Readonly<Record<Environment, readonly RecordedReport[]>>;
}

export type Ledgers = Readonly<Record<Environment, Ledger>>;

export const emptyLedgers = (): Ledgers => ({ staging: emptyLedger(), production: emptyLedger() });

export const toState = (ledgers: Ledgers): MockState => ({
  version: 1,
  reports: structuredClone({ staging: reportsOf(ledgers.staging), production: reportsOf(ledgers.production) }),
});

/** Reads a state from outside. Throws a `TypeError` that says what is wrong. */
export function fromState(state: unknown): Ledgers {
  const { version, reports } = (typeof state === 'object' && state !== null ? state : {}) as { version?: unknown; reports?: Record<string, unknown> };
  if (version !== 1) throw new TypeError('The state cannot be used: expected { "version": 1, "reports": { "staging": [], "production": [] } }.');
  return { staging: toLedger(reports?.staging, 'staging'), production: toLedger(reports?.production, 'production') };
}

/** A ledger of reports that are recorded without checking for earlier ones. */
export function toLedger(reports: unknown, environment: string, from: Ledger = emptyLedger()): Ledger {
  if (!Array.isArray(reports)) throw new TypeError(`The state cannot be used: reports.${environment} is not a list.`);
  return reports.reduce<Ledger>((ledger, report: unknown, index) => {
    const [next, answer] = record(ledger, readReport(report, `reports.${environment}[${index}]`), { requireInitiated: false });
    if (answer !== 'recorded') throw new TypeError(`The state cannot be used: reports.${environment}[${index}] repeats an earlier report.`);
    return next;
  }, from);
}

function readReport(report: unknown, at: string): RecordedReport {
  const { operation, reference, body } = (typeof report === 'object' && report !== null ? report : {}) as Record<string, unknown>;
  const row = operationNames.includes(operation as OperationName) ? operations[operation as OperationName] : undefined;
  if (!row || !('reference' in row)) throw new TypeError(`The state cannot be used: ${at}.operation is not a report's.`);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new TypeError(`The state cannot be used: ${at}.body is not an object.`);
  const own = (body as Record<string, unknown>)[row.reference];
  if (typeof own !== 'string' || (reference !== undefined && reference !== own)) {
    throw new TypeError(`The state cannot be used: ${at}.body.${row.reference} is not the report's reference.`);
  }
  // A copy, so that recorded reports do not change with the caller's object.
  const { issues, value } = copyJson(body);
  const [problem] = issues;
  if (problem) throw new TypeError(`The state cannot be used: ${at}.body cannot be a report's: ${problem.message}.`);
  return { operation: row.name, reference: own, body: value as RecordedReport['body'] };
}
