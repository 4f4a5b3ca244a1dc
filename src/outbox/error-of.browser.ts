import { ReportingError } from '../errors.js';
import type { Problem, Row } from './record.js';

const GONE: Partial<Problem> = {};

/** Without the classes, which a page has no names for: the guards go by the code. */
export const errorOf = ({ state, problem: { message, ...problem } = GONE, operation, reference, environment, attempts, inDoubt }: Row): ReportingError =>
  new ReportingError(`${message ?? reference} It is ${state}.`, {
    ...problem,
    operation,
    reference,
    environment,
    attempts,
    outcome: inDoubt && !problem.conflict ? 'unknown' : 'rejected',
  });
