import { isReportingError, type ReportingError, type ValidationError } from '../../src/entries/index.js';

/** The error with which a call ends. A call that succeeds, or throws any other value, fails the test. */
export async function failureOf<T extends ReportingError = ReportingError>(
  work: Promise<unknown> | (() => unknown),
): Promise<T> {
  let value: unknown;
  try {
    value = await (typeof work === 'function' ? work() : work);
  } catch (error) {
    if (isReportingError(error)) return error as T;
    throw error;
  }
  throw new Error(`expected an error, got ${JSON.stringify(value)}`);
}

/** The paths of a validation error, with their codes. */
export const issuesOf = async (work: Promise<unknown> | (() => unknown)): Promise<string[]> =>
  (await failureOf<ValidationError>(work)).issues.map(({ path, code }) => `${path}: ${code}`);
