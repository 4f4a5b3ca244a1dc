import type { Environment } from '../errors/errors.js';
import { type Operation, type OperationName, operations } from '../protocol/operations.js';
import { differences } from './differences.js';
import type { MockGateway } from './interface.js';
import type { RecordedReport } from './ledger.js';

/** Which report is expected; what is left out matches everything. */
export interface ExpectedReport {
  /** The call that made it. */
  operation?: OperationName | undefined;
  /** The `bet_id` or `request_id`. */
  reference?: string | undefined;
  /** Default: `'staging'`. */
  environment?: Environment | undefined;
  /** What the report must hold among other things; matchers such as `expect.any(Number)` may stand in it. */
  body?: Readonly<Record<string, unknown>> | undefined;
}

/** What a matcher gives to `expect`, of Vitest, Jest and others alike. */
export interface MatcherResult {
  /** Whether it holds. */
  pass: boolean;
  /** Says what was expected and what is there. */
  message: () => string;
}

/**
 * Assertions on what a mock gateway holds, for `expect.extend`. A failure shows the nearest report and where it
 * differs, field by field; personal values are masked, since test logs are read by many.
 *
 * @example
 * ```ts
 * expect.extend(matchers);
 * declare module 'vitest' {
 *   interface Matchers<T> extends MockGatewayMatchers<T> {}
 * }
 *
 * expect(gateway).toHaveReported('reportSettledBet', 'B-1', { outcome: 'WIN' });
 * ```
 */
export const matchers = {
  /** A report like this one is recorded. */
  toHaveReport(gateway: MockGateway, expected: ExpectedReport = {}): MatcherResult {
    const reports = reportsOf(gateway, expected);
    const pass = reports.some((report) => distance(report, expected) === 0);
    return { pass, message: () => (pass ? `Expected no ${titleOf(expected)}, and there is one.${listOf(reports)}` : missing(reports, expected)) };
  },

  /** The report of this operation under this identifier is recorded in staging, with what `body` says. */
  toHaveReported(gateway: MockGateway, operation: OperationName, reference: string, body?: Readonly<Record<string, unknown>>): MatcherResult {
    return matchers.toHaveReport(gateway, { operation, reference, body });
  },

  /** So many reports like this one are recorded. */
  toHaveReportedTimes(gateway: MockGateway, times: number, expected: ExpectedReport = {}): MatcherResult {
    const reports = reportsOf(gateway, expected);
    const found = reports.filter((report) => distance(report, expected) === 0).length;
    const pass = found === times;
    return { pass, message: () => `Expected ${pass ? 'another number than ' : ''}${times} times ${titleOf(expected)}, found ${found}.${listOf(reports)}` };
  },

  /** Nothing is recorded, in either environment or in the one that is named. */
  toHaveReportedNothing(gateway: MockGateway, environment?: Environment): MatcherResult {
    const reports = environment ? gateway.reports(environment) : [...gateway.reports('staging'), ...gateway.reports('production')];
    const pass = reports.length === 0;
    return { pass, message: () => (pass ? 'Expected a report, and nothing is recorded.' : `Expected nothing to be recorded.${listOf(reports)}`) };
  },
};

/** The matchers as `expect` offers them, for the declarations of a test suite. */
export interface MockGatewayMatchers<R = unknown> {
  /** Holds a report like this one, whatever else it holds. */
  toHaveReport(expected?: ExpectedReport): R;
  /** Holds a report of this call, and like this one. */
  toHaveReported(operation: OperationName, reference: string, body?: Readonly<Record<string, unknown>>): R;
  /** Holds as many reports. */
  toHaveReportedTimes(times: number, expected?: ExpectedReport): R;
  /** Holds no report at all. */
  toHaveReportedNothing(environment?: Environment): R;
}

function reportsOf(gateway: MockGateway, { environment, operation }: ExpectedReport): RecordedReport[] {
  if (operation !== undefined && !Object.hasOwn(operations, operation))
    throw new TypeError(`There is no operation of this name; there are ${Object.keys(operations).join(', ')}.`);
  return gateway.reports(environment);
}

const problemsOf = ({ operation, body }: RecordedReport, expected: ExpectedReport): string[] =>
  expected.body === undefined ? [] : differences(operations[operation] as Operation, expected.body, body);

/** How far a report is from the expected one; 0 is a match. Another operation is further than another identifier. */
function distance(report: RecordedReport, expected: ExpectedReport): number {
  const isOther = (name: 'operation' | 'reference') => expected[name] !== undefined && expected[name] !== report[name];
  return (isOther('operation') ? 1_000_000 : 0) + (isOther('reference') ? 1_000 : 0) + problemsOf(report, expected).length;
}

const titleOf = ({ operation, reference, environment = 'staging', body }: ExpectedReport): string =>
  `${operation ?? 'report'}${reference === undefined ? '' : ` of ${reference}`} in ${environment}${body ? ' with this body' : ''}`;

const nameOf = ({ operation, reference }: RecordedReport) => `${operation} of ${reference}`;

const MOST_LISTED = 10;

function listOf(reports: readonly RecordedReport[]): string {
  if (reports.length === 0) return ' Nothing is recorded.';
  const shown = reports.slice(-MOST_LISTED).map((report) => `\n  - ${nameOf(report)}`);
  const more = reports.length - shown.length;
  return ` Recorded:${shown.join('')}${more > 0 ? `\n  - and ${more} before them` : ''}`;
}

function missing(reports: readonly RecordedReport[], expected: ExpectedReport): string {
  const said = `Expected ${titleOf(expected)}.`;
  const [nearest] = [...reports].sort((a, b) => distance(a, expected) - distance(b, expected));
  if (!nearest) return `${said} Nothing is recorded there.`;
  const lines = [
    ...(['operation', 'reference'] as const).flatMap((name) =>
      expected[name] === undefined || expected[name] === nearest[name] ? [] : [`${name}: expected "${expected[name]}", received "${nearest[name]}"`],
    ),
    ...problemsOf(nearest, expected),
  ];
  return `${said} The nearest of ${reports.length} is ${nameOf(nearest)}:${lines.map((line) => `\n  - ${line}`).join('')}`;
}
