import type { AnyReport } from '../../../delivery/frozen-report.js';
import { isLocationError, isValidationError } from '../../../errors/guards.js';
import { isDistinctReference } from '../../../outbox/intake/enqueue.js';
import type { LineProblem } from './columns.js';
import type { ImportLine } from './lines.js';
import type { Shape } from './shape.js';
import type { Importer } from './target.js';

const NO_TIME: LineProblem = { field: 'timestamp', reason: 'is required in an import: the time of the event, as Unix seconds or as 2026-11-20T10:00:00Z' };
const NO_LOCATION: LineProblem = {
  field: 'location',
  reason: 'is missing: give location.latitude and location.longitude, or location: { required: false } in --options',
};

/** The problems of a line before the client checks it. */
export function problemsBefore({ payload, problems }: ImportLine, { needsTime }: Shape): readonly LineProblem[] {
  const hasNoTime = needsTime && payload !== undefined && (payload.timestamp ?? '') === '';
  return hasNoTime && !problems.some(({ field }) => field === 'timestamp') ? [...problems, NO_TIME] : problems;
}

/** The problems of a line that an error of the client reports. Undefined if the error is not about the line. */
export function problemsOf(error: unknown): LineProblem[] | undefined {
  if (isLocationError(error)) return [NO_LOCATION];
  if (!isValidationError(error)) return undefined;
  return error.issues.map(({ path, message }) => ({ field: path, reason: message }));
}

/** The report of a line as the outbox will store it, or all problems of the line. */
export async function reportOf(line: ImportLine, shape: Shape, { internals }: Importer): Promise<{ report?: AnyReport; problems: readonly LineProblem[] }> {
  const before = problemsBefore(line, shape);
  if (!line.payload) return { problems: before };
  try {
    const report = await internals.freeze(shape.operation, line.payload, undefined);
    const isFit = report.reference !== undefined && isDistinctReference(report.reference);
    const problems = isFit
      ? before
      : [...before, { field: shape.reference, reason: 'expected a text without control characters and incomplete characters (lone surrogates)' }];
    return problems.length > 0 ? { problems } : { report, problems };
  } catch (error) {
    const found = problemsOf(error);
    if (!found) throw error;
    return { problems: [...before, ...found.filter(({ field }) => !before.some((one) => one.field === field))] };
  }
}

const MOST_SHOWN = 200;

/** The reference of a refused line, so that people can find the line. */
export function referenceOf({ payload }: ImportLine, { reference }: Shape): string {
  const value = payload?.[reference];
  return typeof value === 'string' && value.length <= MOST_SHOWN ? value : '';
}
