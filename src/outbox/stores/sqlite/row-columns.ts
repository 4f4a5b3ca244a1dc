import type { Decision, Problem, Row } from '../../state-machine.js';
import { rowFrom, UNREADABLE } from '../../stored-row.js';
import { shownDueAt } from '../head-of-queue.js';
import { type Columns, columns } from './database.js';

const NAMES =
  'sequence, id, account, environment, operation, reference, waits_for, state, blocked, fence, attempts, in_doubt, doubt_before, enqueued_at, due_at, changed_at, outcome, message, request_id, problem, decisions, fingerprint';

/** The columns of a row. */
export const ROW = columns(`${NAMES}, body`);
/** The columns of a row, with NULL instead of its body. */
export const BODILESS = columns(NAMES, 'NULL AS body');

/** The JSON text of an object in a column. */
export const textOf = (value: readonly Decision[] | Problem): string => JSON.stringify(value);

const bitOf = (value: unknown): unknown => (value === 0 || value === 1 ? value === 1 : value);
const optional = (value: unknown): unknown => value ?? undefined;

function parsed(value: unknown): unknown {
  try {
    return value === null ? undefined : (JSON.parse(String(value)) as unknown);
  } catch {
    return UNREADABLE;
  }
}

/** Makes a row from its columns. */
export const rowOf = (found: Columns): Row =>
  rowFrom({
    sequence: found.sequence,
    id: found.id,
    account: found.account,
    environment: found.environment,
    operation: found.operation,
    reference: found.reference,
    waitsFor: optional(found.waits_for),
    state: found.state,
    blocked: bitOf(found.blocked),
    fence: found.fence,
    attempts: found.attempts,
    inDoubt: bitOf(found.in_doubt),
    doubtBefore: bitOf(found.doubt_before),
    enqueuedAt: found.enqueued_at,
    dueAt: shownDueAt(found.due_at, found.enqueued_at),
    changedAt: found.changed_at,
    outcome: optional(found.outcome),
    message: optional(found.message),
    requestId: optional(found.request_id),
    problem: parsed(found.problem),
    decisions: found.decisions === null ? [] : parsed(found.decisions),
    fingerprint: found.fingerprint,
    body: optional(found.body),
  });
