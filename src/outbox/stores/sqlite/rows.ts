import { StoreError } from '../../../core/errors/store-error.js';
import { isAsExpected, isFinal, isOpen, mustStay, type Row, type Write } from '../../rules/state-machine.js';
import { rowFrom, UNREADABLE } from '../../rules/stored-row.js';
import type { Enqueued, NewRow } from '../../store/store.js';
import { HEAD_OF_THE_QUEUE, shownDueAt } from '../claim-order.js';
import { newRow } from '../new-row.js';
import { IDS_AFTER } from '../sql/statements.js';
import { isStorable } from '../storable-text.js';
import type { Tally } from './counts.js';
import type { Columns, Connection, SqliteValue } from './database.js';
import { contradiction } from './file-checks.js';
import { LATEST_SEQUENCE } from './schema.js';

const NAMES =
  'sequence, id, account, environment, operation, reference, waits_for, state, blocked, fence, attempts, in_doubt, doubt_before, enqueued_at, due_at, changed_at, outcome, message, request_id, problem, decisions, fingerprint';

export const ROW = `${NAMES}, body, excerpt`;
/** The columns of a row, with NULL instead of its body and excerpt. */
export const BODILESS = `${NAMES}, NULL AS body, NULL AS excerpt`;

const optional = (value: unknown): unknown => value ?? undefined;

function parsed(value: unknown): unknown {
  try {
    return value === null ? undefined : (JSON.parse(String(value)) as unknown);
  } catch {
    return UNREADABLE;
  }
}

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
    blocked: found.blocked === 1,
    fence: found.fence,
    attempts: found.attempts,
    inDoubt: found.in_doubt !== 0,
    doubtBefore: found.doubt_before !== 0,
    enqueuedAt: found.enqueued_at,
    dueAt: shownDueAt(found.due_at, found.enqueued_at),
    changedAt: found.changed_at,
    outcome: optional(found.outcome),
    message: optional(found.message),
    requestId: optional(found.request_id),
    problem: parsed(found.problem),
    decisions: found.decisions === null ? [] : parsed(found.decisions),
    fingerprint: found.fingerprint,
    excerpt: optional(found.excerpt),
    body: optional(found.body),
  });

/**
 * Adds a row, unless it exists or its destination is not bound to its gateway: then its state is NULL, which the table
 * refuses. A SELECT with a condition would be slower, since SQLite writes its result to a temporary table first.
 */
const INSERT = `INSERT OR IGNORE INTO outbox_rows (sequence, id, account, environment, operation, reference, waits_for,
  state, blocked, fence, attempts, in_doubt, doubt_before, due_at, enqueued_at, changed_at, fingerprint, body, excerpt)
  VALUES (${LATEST_SEQUENCE} + 1, ?, ?, ?, ?, ?, ?,
  (SELECT 'waiting' FROM outbox_destinations WHERE account = ? AND environment = ? AND gateway = ?),
  ?, 0, 0, 0, 0, ${HEAD_OF_THE_QUEUE}, ?, ?, ?, ?, ?)`;

const UPDATE = `UPDATE outbox_rows SET state = ?, blocked = ?, fence = ?, attempts = ?, in_doubt = ?, doubt_before = ?,
  due_at = ?, changed_at = ?, outcome = ?, message = ?, request_id = ?, problem = ?, decisions = ?`;
/** Only the columns that a write needs, without the large body. */
const PROGRESS = `SELECT sequence, account, waits_for, state, fence, attempts, enqueued_at, ended FROM outbox_rows WHERE id = ?`;
export const STATE = `SELECT state FROM outbox_rows WHERE id = ?`;
export const SENT_AFTER = `SELECT a.state FROM outbox_rows AS r JOIN outbox_rows AS a ON a.id IN (${IDS_AFTER})
  WHERE r.id = ? AND a.waits_for = r.id AND a.state = 'in-flight'`;
const WITHOUT_BODY = ', body = NULL';
const OTHER_BYTES = ', body = ?, fingerprint = ?, excerpt = ?';
const ENDED = `, ended = (SELECT coalesce(max(ended), 0) + 1 FROM outbox_rows INDEXED BY outbox_unlogged WHERE ended IS NOT NULL)`;

export const BLOCK = `UPDATE outbox_rows INDEXED BY outbox_dependents SET blocked = ? WHERE waits_for = ? AND state = 'waiting' AND blocked <> ?`;
export const stateBy = (first: Connection['first'], sql: string, id: unknown) =>
  typeof id === 'string' ? (first(sql, id) as Pick<Row, 'state'> | undefined) : undefined;

export function changeRow(run: Connection['run'], sql: string, ...values: SqliteValue[]): void {
  if (run(sql, ...values) !== 1) throw contradiction('a row is not found by its number');
}

export type Rows = ReturnType<typeof createRows>;

/** Changes rows. The caller begins and commits the transaction, if more than one statement is needed. */
export function createRows({ first, run, insert }: Connection, tally: Tally) {
  const isOpenRow = (id: unknown) => isOpen(stateBy(first, STATE, id));

  /**
   * Adds a row with one statement. Undefined if the row exists, or its destination is not bound to its gateway. A
   * trigger blocks the rows that wait for the new one.
   */
  function insertOne(given: NewRow, now: number): Row | undefined {
    const { id, account, environment, operation, reference, waitsFor, body, fingerprint, gateway, excerpt } = given;
    if (![id, reference, waitsFor ?? '', body, fingerprint, excerpt ?? ''].every(isStorable)) throw unstorable();
    const blocked = isOpenRow(waitsFor);
    const values: SqliteValue[] = [
      ...[id, account, environment, operation, reference, waitsFor ?? null, account, environment, gateway],
      ...[Number(blocked), now, now, fingerprint, body, excerpt ?? null],
    ];
    const sequence = insert(INSERT, ...values);
    return sequence === undefined ? undefined : newRow(given, sequence, now, blocked);
  }

  /** Adds a row whose destination is bound. */
  function add(given: NewRow, now: number): Enqueued {
    const row = insertOne(given, now);
    if (row) return { row, added: true };
    const there = first(`SELECT ${ROW} FROM outbox_rows WHERE id = ?`, given.id);
    if (!there) throw contradiction('an id is taken, and its row is not found');
    return { row: rowOf(there), added: false };
  }

  function write({ id, expected, change }: Write, now: number): boolean {
    const found = isStorable(id) ? first(PROGRESS, id) : undefined;
    if (!found || !isAsExpected(found as unknown as Pick<Row, 'state' | 'fence'>, expected)) return false;
    // A final row without its line in the log must not change, since its line says how it ended.
    if (isFinal(expected.state) && (found.ended !== null || mustStay(expected, stateBy(first, SENT_AFTER, id))))
      return false;
    const { state, fence, attempts, problem, decisions, keepBody, replacement } = change;
    const blocked = state === 'waiting' && isOpenRow(found.waits_for);
    const doubts = [Number(change.inDoubt), Number(change.doubtBefore)];
    const texts = [
      ...[change.outcome ?? null, change.message ?? null, change.requestId ?? null],
      problem ? JSON.stringify(problem) : null,
      decisions.length > 0 ? JSON.stringify(decisions) : null,
    ];
    const bytes = replacement ? [replacement.body, replacement.fingerprint, replacement.excerpt ?? null] : [];
    if (!bytes.every((value) => value === null || isStorable(value))) throw unstorable();
    const changedBytes = replacement ? OTHER_BYTES : keepBody ? '' : WITHOUT_BODY;
    const sql = `${UPDATE}${changedBytes}${isFinal(state) ? ENDED : ''} WHERE sequence = ?`;
    const due =
      fence === 0
        ? HEAD_OF_THE_QUEUE
        : Math.round(replacement ? Math.min(Number(found.enqueued_at), now) : now + change.delayMs);
    const values = [state, Number(blocked), fence, attempts, ...doubts, due, now, ...texts, ...bytes];
    changeRow(run, sql, ...values, Number(found.sequence));
    const account = String(found.account);
    tally.move(account, expected.state, state);
    tally.attempts(account, attempts - Number(found.attempts));
    const open = Number(!isFinal(state));
    if (isFinal(state) !== isFinal(expected.state)) run(BLOCK, open, id, open);
    return true;
  }

  return { insertOne, add, write };
}

const unstorable = () =>
  new StoreError(
    'text',
    'A report contains NUL or half of a character, which a SQLite database cannot store. It was not stored.',
  );
