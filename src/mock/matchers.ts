import type { Environment } from '../errors/errors.js';
import { isRecord } from '../platform/as-record.js';
import { type Operation, type OperationName, operations } from '../protocol/operations.js';
import { traitsOf } from '../schema/fields.js';
import { printableKey } from '../schema/issue.js';
import { location } from '../schema/location.js';
import { fieldAt, isModel } from '../schema/model.js';
import type { MockGateway } from './interface.js';
import type { RecordedReport } from './ledger.js';

/** The expected report. Conditions that are left out match every report. */
export interface ExpectedReport {
  /** The operation. */
  operation?: OperationName | undefined;
  /** The `bet_id` or `request_id`. */
  reference?: string | undefined;
  /** Default: `'staging'`. */
  environment?: Environment | undefined;
  /** Members that the report must contain. Matchers, for example `expect.any(Number)`, are accepted. */
  body?: Readonly<Record<string, unknown>> | undefined;
}

/** The result of a matcher for `expect` of Vitest, Jest and similar libraries. */
export interface MatcherResult {
  /** Whether the assertion holds. */
  pass: boolean;
  /** Says what was expected and what was found. */
  message: () => string;
}

/**
 * Assertions about the reports of a mock gateway, for `expect.extend`. A failure shows the nearest report and its
 * differences, field by field. Personal values are masked, since many people read test logs.
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
  /** A matching report is recorded. */
  toHaveReport(gateway: MockGateway, expected: ExpectedReport = {}): MatcherResult {
    const reports = reportsOf(gateway, expected);
    const pass = reports.some((report) => distance(report, expected) === 0);
    return {
      pass,
      message: () =>
        pass ? `Expected no ${titleOf(expected)}, but there is one.${listOf(reports)}` : missing(reports, expected),
    };
  },

  /** The report of this operation with this identifier is recorded in staging and contains `body`. */
  toHaveReported(
    gateway: MockGateway,
    operation: OperationName,
    reference: string,
    body?: Readonly<Record<string, unknown>>,
  ): MatcherResult {
    return matchers.toHaveReport(gateway, { operation, reference, body });
  },

  /** This number of matching reports is recorded. */
  toHaveReportedTimes(gateway: MockGateway, times: number, expected: ExpectedReport = {}): MatcherResult {
    const reports = reportsOf(gateway, expected);
    const found = reports.filter((report) => distance(report, expected) === 0).length;
    const pass = found === times;
    return {
      pass,
      message: () =>
        `Expected ${pass ? 'another number than ' : ''}${times} times ${titleOf(expected)}, found ${found}.${listOf(reports)}`,
    };
  },
};

/** The matchers in the form that `expect` has, for the declarations of a test suite. */
export interface MockGatewayMatchers<R = unknown> {
  /** Has a matching report. */
  toHaveReport(expected?: ExpectedReport): R;
  /** Has a matching report of this operation. */
  toHaveReported(operation: OperationName, reference: string, body?: Readonly<Record<string, unknown>>): R;
  /** Has this number of reports. */
  toHaveReportedTimes(times: number, expected?: ExpectedReport): R;
}

function reportsOf(gateway: MockGateway, { environment, operation }: ExpectedReport): RecordedReport[] {
  if (operation !== undefined && !Object.hasOwn(operations, operation))
    throw new TypeError(`There is no operation of this name; there are ${Object.keys(operations).join(', ')}.`);
  return gateway.reports(environment);
}

const problemsOf = ({ operation, body }: RecordedReport, expected: ExpectedReport): string[] =>
  expected.body === undefined ? [] : differences(operations[operation] as Operation, expected.body, body);

/**
 * The distance of a report from the expected one. 0 is a match. Another operation counts more than another identifier.
 */
function distance(report: RecordedReport, expected: ExpectedReport): number {
  const isOther = (name: 'operation' | 'reference') => expected[name] !== undefined && expected[name] !== report[name];
  return (
    (isOther('operation') ? 1_000_000 : 0) + (isOther('reference') ? 1_000 : 0) + problemsOf(report, expected).length
  );
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
      expected[name] === undefined || expected[name] === nearest[name]
        ? []
        : [`${name}: expected "${expected[name]}", received "${nearest[name]}"`],
    ),
    ...problemsOf(nearest, expected),
  ];
  return `${said} The nearest of ${reports.length} is ${nameOf(nearest)}:${lines.map((line) => `\n  - ${line}`).join('')}`;
}

type Path = readonly string[];

/** A matcher of a test library, such as `expect.any(String)`. */
interface Matcher {
  asymmetricMatch(other: unknown): boolean;
  toAsymmetricMatcher?(): string;
}

const isMatcher = (value: unknown): value is Matcher => isRecord(value) && typeof value.asymmetricMatch === 'function';

/**
 * The differences between a report's body and the expected one, one line each. Members that are not expected are
 * ignored.
 */
export function differences(row: Operation, expected: unknown, received: unknown, path: Path = []): string[] {
  if (isMatcher(expected))
    return expected.asymmetricMatch(received)
      ? []
      : [line(row, path, expected.toAsymmetricMatcher?.() ?? String(expected), received)];
  if (isRecord(expected) && isRecord(received)) {
    return Object.entries(expected).flatMap(([name, value]) =>
      differences(row, value, Object.hasOwn(received, name) ? received[name] : undefined, [...path, name]),
    );
  }
  if (Array.isArray(expected) && Array.isArray(received) && expected.length === received.length) {
    return expected.flatMap((value, index) => differences(row, value, received[index], [...path, String(index)]));
  }
  return Object.is(expected, received) || (expected === 0 && received === 0)
    ? []
    : [line(row, path, describeValue(expected), received)];
}

/** An object whose members may hold any data. */
const describeValue = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null ? '[masked]' : JSON.stringify(value);

/** Whether a value must be masked. A path that the specification does not have may hold any data. */
function isPersonal(row: Operation, path: Path): boolean {
  const inLocation = row.location !== 'none' && path[0] === 'location';
  const field = inLocation ? fieldAt(location, path.slice(1)) : fieldAt(row.request, path);
  return field === undefined || isModel(field) || traitsOf(field).personal === true;
}

function line(row: Operation, path: Path, expected: string | undefined, received: unknown): string {
  const place = path.map(printableKey).join('.') || 'the body';
  if (received === undefined) return `${place}: is missing`;
  if (expected === undefined) return `${place}: expected to be left out, but present`;
  if (isPersonal(row, path)) return `${place}: differs [masked]`;
  return `${place}: expected ${expected}, received ${describeValue(received)}`;
}
