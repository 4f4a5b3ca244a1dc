import { printable } from '../../platform/printable.js';
import type { Problem, Row } from '../state-machine.js';
import type { ReportSummary, ShownProblem } from './report-life.js';

/** A text with its control characters escaped. Null if there is none. */
export const shownText = (text: string | undefined): string | null => (text === undefined ? null : printable(text));

/** A problem in the form in which the console and `outbox show` print it. */
export function shownProblem(problem: Problem): ShownProblem {
  const { code, conflict, message, status, requestId, details } = problem;
  return {
    code: conflict ? 'conflict' : code,
    message: printable(message),
    status: status ?? null,
    requestId: shownText(requestId),
    details: details === undefined ? null : printable(JSON.stringify(details)),
  };
}

/** A row as an item of a list, without its body. */
export function summaryOf(row: Row): ReportSummary {
  const { id, sequence, account, environment, operation, reference, state, blocked, attempts, inDoubt, enqueuedAt, changedAt, problem } = row;
  return {
    id: printable(id),
    sequence,
    account,
    environment,
    operation,
    reference: printable(reference),
    state: blocked ? 'blocked' : state,
    attempts,
    inDoubt,
    enqueuedAt,
    changedAt,
    problem: problem ? shownProblem(problem) : null,
  };
}
