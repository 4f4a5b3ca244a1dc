import type { Decision, Problem, Row } from '../../state-machine.js';
import { rowFrom, UNREADABLE } from '../../stored-row.js';
import { shownDueAt } from '../head-of-queue.js';
import type { Columns } from './database.js';

/** The columns of a row. */
export const ROW = `sequence, id, account, environment, operation, reference, waits_for, state, blocked, fence, attempts, in_doubt, doubt_before,
  enqueued_at, due_at, changed_at, outcome, message, request_id, problem, decisions, fingerprint, body`;

/** The JSON text of an object in a column. */
export const textOf = (value: readonly Decision[] | Problem): string => JSON.stringify(value);

/** Converts a bigint, which the user's connection may return instead of a number. */
export const numberOf = (value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);
const bitOf = (value: unknown): unknown => (numberOf(value) === 0 || numberOf(value) === 1 ? numberOf(value) === 1 : value);
const optional = (value: unknown): unknown => value ?? undefined;

function parsed(value: unknown): unknown {
  try {
    return value === null ? undefined : (JSON.parse(String(value)) as unknown);
  } catch {
    return UNREADABLE;
  }
}

/** Makes a row from its columns. */
export const rowOf = (columns: Columns): Row =>
  rowFrom({
    sequence: numberOf(columns.sequence),
    id: columns.id,
    account: columns.account,
    environment: columns.environment,
    operation: columns.operation,
    reference: columns.reference,
    waitsFor: optional(columns.waits_for),
    state: columns.state,
    blocked: bitOf(columns.blocked),
    fence: numberOf(columns.fence),
    attempts: numberOf(columns.attempts),
    inDoubt: bitOf(columns.in_doubt),
    doubtBefore: bitOf(columns.doubt_before),
    enqueuedAt: numberOf(columns.enqueued_at),
    dueAt: shownDueAt(numberOf(columns.due_at), numberOf(columns.enqueued_at)),
    changedAt: numberOf(columns.changed_at),
    outcome: optional(columns.outcome),
    message: optional(columns.message),
    requestId: optional(columns.request_id),
    problem: parsed(columns.problem),
    decisions: columns.decisions === null ? [] : parsed(columns.decisions),
    fingerprint: columns.fingerprint,
    body: optional(columns.body),
  });
