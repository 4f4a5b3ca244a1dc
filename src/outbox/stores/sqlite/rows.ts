import { StoreError } from '../../../core/errors/store-error.js';
import { type Destination, keyOf } from '../../rules/destination.js';
import {
  claimed,
  isAsExpected,
  isFinal,
  isOpen,
  LONGEST_WAIT_MS,
  mustStay,
  type Row,
  takenFromWorker,
} from '../../rules/state-machine.js';
import { rowFrom, UNREADABLE } from '../../rules/stored-row.js';
import type { ClaimRequest, Enqueued, NewRow, Write } from '../../store/store.js';
import { chooseRows, HEAD_OF_THE_QUEUE, shownDueAt } from '../claim-order.js';
import { newRow } from '../new-row.js';
import { idsAfter } from '../sql/shared-statements.js';
import { isStorable } from '../storable-text.js';
import type { Tally } from './counts.js';
import type { Columns, Connection, SqliteValue } from './database.js';
import { contradiction } from './file-checks.js';
import { AT_THE_HEAD, LATEST_SEQUENCE, QUEUED } from './schema.js';

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
const PROGRESS = `SELECT sequence, account, waits_for, state, fence, attempts, ended FROM outbox_rows WHERE id = ?`;
const STATE = `SELECT state FROM outbox_rows WHERE id = ?`;
/** The row in flight that waits for a row. */
export const SENT_AFTER = `SELECT a.state FROM outbox_rows AS r JOIN outbox_rows AS a ON a.id IN (${idsAfter('r')})
  WHERE r.id = ? AND a.waits_for = r.id AND a.state = 'in-flight'`;
const WITHOUT_BODY = ', body = NULL';
const OTHER_BYTES = ', body = ?, fingerprint = ?, excerpt = ?';
const ENDED = `, ended = (SELECT coalesce(max(ended), 0) + 1 FROM outbox_rows INDEXED BY outbox_unlogged WHERE ended IS NOT NULL)`;

/** Changes a row that is found by its id and queued. It changes none if the index of claims is damaged. */
const CLAIM = `UPDATE outbox_rows SET state = ?, fence = ?, attempts = ?, in_doubt = ?, doubt_before = ?, due_at = ?, changed_at = ?
  WHERE id = ? AND +sequence = ? AND ${QUEUED} AND due_at <= ?`;

/** Leaves out the operations of a text. Each has a space before and after it. */
const ALLOWED = "AND instr(?, ' ' || operation || ' ') = 0";

/**
 * Reads the rows by the index, so that the cost does not depend on the number of rows. First those that were never
 * claimed.
 */
export const UNTRIED = `SELECT ${ROW} FROM outbox_rows INDEXED BY outbox_due WHERE ${AT_THE_HEAD} AND account = ? AND environment = ? ${ALLOWED} ORDER BY due_at, sequence LIMIT ?`;
export const DUE = `SELECT ${ROW} FROM outbox_rows INDEXED BY outbox_due WHERE ${QUEUED} AND account = ? AND environment = ? AND due_at > ${HEAD_OF_THE_QUEUE} AND due_at <= ? ${ALLOWED} ORDER BY due_at, sequence LIMIT ?`;
export const BLOCK = `UPDATE outbox_rows INDEXED BY outbox_dependents SET blocked = ? WHERE waits_for = ? AND state = 'waiting' AND blocked <> ?`;
/** Makes rows due whose time is too far in the future. The limit bounds the work of one turn. */
export const RESCUE = `UPDATE outbox_rows SET due_at = ? WHERE sequence IN
  (SELECT sequence FROM outbox_rows INDEXED BY outbox_due WHERE ${QUEUED} AND account = ? AND environment = ? AND due_at > ? ORDER BY due_at DESC LIMIT 1000)`;
/** The first and the last due time of a destination. They read only the index. */
export const FIRST_DUE = `SELECT due_at FROM outbox_rows INDEXED BY outbox_due WHERE ${QUEUED} AND account = ? AND environment = ? ORDER BY due_at LIMIT 1`;
export const LAST_DUE = `SELECT due_at FROM outbox_rows INDEXED BY outbox_due WHERE ${QUEUED} AND account = ? AND environment = ? ORDER BY due_at DESC LIMIT 1`;

const bit = (value: boolean): number => (value ? 1 : 0);

/** Changes rows. The caller begins and commits the transaction, if more than one statement is needed. */
export function createRows({ first, all, run, insert }: Connection, tally: Tally) {
  const stateOf = (sql: string, id: unknown) =>
    typeof id === 'string' ? (first(sql, id) as Pick<Row, 'state'> | undefined) : undefined;

  /**
   * Adds a row with one statement. Undefined if the row exists, or its destination is not bound to its gateway. A
   * trigger blocks the rows that wait for the new one.
   */
  function insertOne(given: NewRow, now: number): Row | undefined {
    const { id, account, environment, operation, reference, waitsFor, body, fingerprint, gateway, excerpt } = given;
    if (![id, reference, waitsFor ?? '', body, fingerprint, excerpt ?? ''].every(isStorable)) throw unstorable();
    const blocked = isOpen(stateOf(STATE, waitsFor));
    const values: SqliteValue[] = [
      ...[id, account, environment, operation, reference, waitsFor ?? null, account, environment, gateway],
      ...[bit(blocked), now, now, fingerprint, body, excerpt ?? null],
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
    if (isFinal(expected.state) && (found.ended !== null || mustStay(expected, stateOf(SENT_AFTER, id)))) return false;
    const {
      state,
      fence,
      attempts,
      inDoubt,
      doubtBefore,
      delayMs,
      outcome,
      message,
      requestId,
      problem,
      decisions,
      keepBody,
      replacement,
    } = change;
    const blocked = state === 'waiting' && isOpen(stateOf(STATE, found.waits_for));
    const progress = [state, bit(blocked), fence, attempts, bit(inDoubt), bit(doubtBefore)] as const;
    const json = [
      problem ? JSON.stringify(problem) : null,
      decisions.length > 0 ? JSON.stringify(decisions) : null,
    ] as const;
    const texts = [outcome ?? null, message ?? null, requestId ?? null, ...json] as const;
    const bytes = replacement ? [replacement.body, replacement.fingerprint, replacement.excerpt ?? null] : [];
    if (!bytes.every((value) => value === null || isStorable(value))) throw unstorable();
    const changedBytes = replacement ? OTHER_BYTES : keepBody ? '' : WITHOUT_BODY;
    const sql = `${UPDATE}${changedBytes}${isFinal(state) ? ENDED : ''} WHERE sequence = ?`;
    const due = fence === 0 ? HEAD_OF_THE_QUEUE : Math.round(now + delayMs);
    changeRow(sql, ...progress, due, now, ...texts, ...bytes, Number(found.sequence));
    const account = String(found.account);
    tally.move(account, expected.state, state);
    tally.attempts(account, attempts - Number(found.attempts));
    // The rows that wait for it.
    const open = bit(!isFinal(state));
    if (isFinal(state) !== isFinal(expected.state)) run(BLOCK, open, id, open);
    return true;
  }

  /** Makes rows due whose time is too far in the future after a jump of the clock. */
  function rescue({ account, environment }: Destination, now: number): void {
    const last = first(LAST_DUE, account, environment);
    if (Number(last?.due_at) > now + LONGEST_WAIT_MS) run(RESCUE, now, account, environment, now + LONGEST_WAIT_MS);
  }

  function changeRow(sql: string, ...values: SqliteValue[]): void {
    if (run(sql, ...values) !== 1) throw contradiction('a row is not found by its number');
  }

  function claim(request: ClaimRequest, destinations: readonly Destination[], now: number): Row[] {
    const { limit, leaseMs, without = [] } = request;
    const leftOutOf = (one: Destination) =>
      without.map((other) => (keyOf(other) === keyOf(one) ? ` ${other.operation} ` : '')).join('');
    const claimable = destinations.flatMap((one) => {
      const { account, environment } = one;
      const leftOut = leftOutOf(one);
      rescue(one, now);
      return [
        ...all(UNTRIED, account, environment, leftOut, limit),
        ...all(DUE, account, environment, now, leftOut, limit),
      ].map(rowOf);
    });
    return chooseRows(request, claimable, now).flatMap((row) => {
      if (row.state === 'in-flight' && isOpen(stateOf(STATE, row.waitsFor))) {
        write(takenFromWorker(row), now);
        return [];
      }
      const next = claimed(row);
      const until = Math.round(now + leaseMs);
      changeRow(
        CLAIM,
        next.state,
        next.fence,
        next.attempts,
        bit(next.inDoubt),
        bit(next.doubtBefore),
        until,
        now,
        row.id,
        row.sequence,
        now,
      );
      tally.attempts(row.account, next.attempts - row.attempts);
      return { ...row, ...next, dueAt: until, changedAt: now };
    });
  }

  return { insertOne, add, write, claim };
}

const unstorable = () =>
  new StoreError(
    'text',
    'A report contains NUL or half of a character, which a SQLite database cannot store. It was not stored.',
  );
