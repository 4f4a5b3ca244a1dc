import type { Decision, Problem, Row } from '../../record.js';
import type { Columns } from './database.js';

/** The columns that a row is made of. */
export const ROW = `sequence, id, account, environment, operation, reference, waits_for, state, blocked, fence, attempts, in_doubt, doubt_before,
  enqueued_at, due_at, changed_at, outcome, message, problem, decisions, fingerprint, body`;

/** What a column holds of something that is no text or number. */
export const textOf = (value: readonly Decision[] | Problem): string => JSON.stringify(value);

const optional = (value: unknown): string | undefined => (value === null || value === undefined ? undefined : String(value));

/** Columns were written by this store; a number may come as a bigint, where the user's connection reads them so. */
export const rowOf = (columns: Columns): Row => ({
  sequence: Number(columns.sequence),
  id: String(columns.id),
  account: String(columns.account),
  environment: columns.environment as Row['environment'],
  operation: columns.operation as Row['operation'],
  reference: String(columns.reference),
  waitsFor: optional(columns.waits_for),
  state: columns.state as Row['state'],
  blocked: Number(columns.blocked) === 1,
  fence: Number(columns.fence),
  attempts: Number(columns.attempts),
  inDoubt: Number(columns.in_doubt) === 1,
  doubtBefore: Number(columns.doubt_before) === 1,
  enqueuedAt: Number(columns.enqueued_at),
  dueAt: Number(columns.due_at),
  changedAt: Number(columns.changed_at),
  outcome: optional(columns.outcome) as Row['outcome'],
  message: optional(columns.message),
  problem: columns.problem === null ? undefined : (JSON.parse(String(columns.problem)) as Problem),
  decisions: columns.decisions === null ? [] : (JSON.parse(String(columns.decisions)) as Decision[]),
  fingerprint: String(columns.fingerprint),
  body: optional(columns.body),
});
