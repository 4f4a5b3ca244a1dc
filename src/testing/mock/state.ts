import type { Environment } from '../../core/errors/errors.js';
import { asRecord, isRecord } from '../../core/platform/as-record.js';
import { type OperationName, operationNames, operations } from '../../core/protocol/operations.js';
import { copyJson } from '../../core/schema/copy-json.js';
import { type Ledger, type RecordedReport, record } from './ledger.js';

/** The state of a mock gateway, as plain JSON. */
export interface MockState {
  /** Version of the format. */
  readonly version: 1;
  /** The reports of both ledgers. */
  readonly reports: Readonly<Record<Environment, readonly RecordedReport[]>>;
}

/** A report for `seed`. */
export interface SeedReport {
  /** The operation that reported it. */
  operation: OperationName;
  /** The reported data. */
  body: Readonly<Record<string, unknown>>;
  /** Default: `'staging'`. */
  environment?: Environment | undefined;
}

type Ledgers = Readonly<Record<Environment, Ledger>>;

const emptyLedgers = (): Ledgers => ({ staging: new Map(), production: new Map() });

export function createState() {
  let ledgers = emptyLedgers();
  let era = crypto.randomUUID();
  const replace = (next: Ledgers) => {
    ledgers = next;
    era = crypto.randomUUID();
  };
  return {
    /** Another text after each replacement. */
    era: () => era,
    ledger: (environment: Environment) => ledgers[environment],
    /** Throws a `TypeError` if a report cannot be recorded. */
    add(reports: readonly SeedReport[]) {
      const of = (environment: Environment) =>
        toLedger(
          reports.filter((report) => (report.environment ?? 'staging') === environment),
          environment,
          ledgers[environment],
        );
      replace({ staging: of('staging'), production: of('production') });
    },
    snapshot: (): MockState => ({
      version: 1,
      reports: structuredClone({
        staging: [...ledgers.staging.values()],
        production: [...ledgers.production.values()],
      }),
    }),
    restore: (state: unknown) => replace(fromState(state)),
    clear: () => replace(emptyLedgers()),
  };
}

const unusable = (why: string) => new TypeError(`The state cannot be used: ${why}.`);

/** Throws a `TypeError` that says what is wrong. */
function fromState(state: unknown): Ledgers {
  const { version, reports } = asRecord(state);
  if (version !== 1) throw unusable('expected { "version": 1, "reports": { "staging": [], "production": [] } }');
  const { staging, production } = asRecord(reports);
  return { staging: toLedger(staging, 'staging'), production: toLedger(production, 'production') };
}

/** Reports are recorded without checking for earlier ones. */
function toLedger(reports: unknown, environment: string, from: Ledger = new Map()): Ledger {
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
