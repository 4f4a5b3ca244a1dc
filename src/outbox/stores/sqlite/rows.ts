import { type Destination, keyOf } from '../../destination.js';
import { claimed, isAsExpected, isFinal, LONGEST_WAIT_MS, type Row } from '../../state-machine.js';
import type { ClaimRequest, Enqueued, NewRow, Write } from '../../store.js';
import { isCount, isTime, readFence, readState } from '../../stored-row.js';
import { claimFairly } from '../fair.js';
import { HEAD_OF_THE_QUEUE, inTurn } from '../head-of-queue.js';
import { newRow } from '../new-row.js';
import { isStorable } from '../storable.js';
import { contradiction } from './damage.js';
import { type Columns, type Connection, columns, type SqliteValue } from './database.js';
import { SqliteStoreError } from './failure.js';
import { ROW, rowOf, textOf } from './row-columns.js';
import { LARGEST_NUMBER, LATEST_SEQUENCE, QUEUED } from './schema.js';
import type { Tally } from './tally.js';

const INSERT = `INSERT INTO outbox_rows (sequence, id, account, environment, operation, reference, waits_for, state, blocked, queued, fence, attempts,
  in_doubt, doubt_before, enqueued_at, due_at, changed_at, fingerprint, body)
  VALUES (${LATEST_SEQUENCE} + 1, ?, ?, ?, ?, ?, ?, 'waiting', ?, ?, 0, 0, 0, 0, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`;

/** Names only the columns that change. The database checks the named columns, and the others of a damaged row may fail the check. */
const UPDATE = `UPDATE outbox_rows SET state = ?, blocked = ?, queued = ?, fence = ?, attempts = ?, in_doubt = ?, doubt_before = ?,
  due_at = ?, changed_at = ?, outcome = ?, message = ?, request_id = ?, problem = ?, decisions = ?`;
const PROGRESS = `SELECT ${columns('sequence, waits_for, state, fence, attempts')} FROM outbox_rows WHERE id = ?`;
const STATE = `SELECT ${columns('sequence, state')} FROM outbox_rows WHERE id = ?`;
const WITHOUT_BODY = ', body = NULL';
const ENDED = `, ended = (SELECT coalesce(max(ended), 0) + 1 FROM outbox_rows INDEXED BY outbox_unlogged WHERE ended < ${LARGEST_NUMBER})`;

const CLAIM = `UPDATE outbox_rows SET state = ?, fence = ?, attempts = ?, in_doubt = ?, doubt_before = ?, due_at = ?, changed_at = ? WHERE sequence = ?`;

/** States of rows that are never queued. */
const ENDED_STATES: readonly unknown[] = ['recorded', 'quarantined', 'dismissed'] satisfies readonly Row['state'][];

/** Leaves out the operations of a text. Each has a space before and after it. */
const ALLOWED = "AND instr(?, ' ' || operation || ' ') = 0";

/** Reads the rows by the index, so that the cost does not depend on the number of rows. First those that were never claimed. */
export const UNTRIED = `SELECT ${ROW} FROM outbox_rows INDEXED BY outbox_due WHERE ${QUEUED} AND account = ? AND environment = ? AND due_at <= ${HEAD_OF_THE_QUEUE} ${ALLOWED} ORDER BY due_at, sequence LIMIT ?`;
export const DUE = `SELECT ${ROW} FROM outbox_rows INDEXED BY outbox_due WHERE ${QUEUED} AND account = ? AND environment = ? AND due_at > ${HEAD_OF_THE_QUEUE} AND due_at <= ? ${ALLOWED} ORDER BY due_at, sequence LIMIT ?`;
export const BLOCK = `UPDATE outbox_rows INDEXED BY outbox_dependents SET blocked = ?, queued = ? WHERE waits_for = ? AND state = 'waiting' AND blocked <> ?`;
/** Makes rows due whose time is too far in the future. The limit bounds the work of one turn. */
export const RESCUE = `UPDATE outbox_rows SET due_at = ? WHERE sequence IN
  (SELECT sequence FROM outbox_rows INDEXED BY outbox_due WHERE ${QUEUED} AND account = ? AND environment = ? AND due_at > ? ORDER BY due_at DESC LIMIT 1000)`;
/** The first and the last due time of a destination. They read only the index. */
export const FIRST_DUE = `SELECT ${columns('due_at')} FROM outbox_rows INDEXED BY outbox_due WHERE ${QUEUED} AND account = ? AND environment = ? ORDER BY due_at LIMIT 1`;
export const LAST_DUE = `SELECT ${columns('due_at')} FROM outbox_rows INDEXED BY outbox_due WHERE ${QUEUED} AND account = ? AND environment = ? ORDER BY due_at DESC LIMIT 1`;

/** Whether one statement adds these rows, if their destinations are bound. A trigger blocks the rows that wait for the new one. */
export const isOneStatement = (added: readonly NewRow[]): boolean => added.length === 1 && added[0]?.waitsFor === undefined;

const bit = (value: boolean): number => (value ? 1 : 0);

/** Whether a stored time is valid, and not after another time. */
export const isPast = (stored: unknown, time: number): boolean => isTime(stored) && stored <= time;

/**
 * Changes rows. The caller begins and commits the transaction, if more than one statement is needed. `suspect` checks the file
 * after something that should not happen, and throws if the file is damaged.
 */
export function createRows({ first, all, run, insert }: Connection, tally: Tally, suspect: () => void) {
  const byId = (id: string): Columns | undefined => first(`SELECT ${ROW} FROM outbox_rows WHERE id = ?`, id);
  /** Only the columns that a write needs, without the large body. */
  const progressOf = (id: string): Columns | undefined => first(PROGRESS, id);

  function isOpen(id: unknown): boolean {
    const found = typeof id === 'string' ? first(STATE, id) : undefined;
    return found !== undefined && !isFinal(found.state as Row['state']);
  }

  /** Blocks or unblocks the rows that wait for a row. */
  function block(id: string, blocked: boolean): void {
    run(BLOCK, bit(blocked), bit(!blocked), id, bit(blocked));
  }

  function add(given: NewRow, now: number): Enqueued {
    const { id, account, environment, operation, reference, waitsFor, body, fingerprint } = given;
    if (![id, reference, waitsFor ?? '', body, fingerprint].every(isStorable)) throw unstorable();
    const blocked = isOpen(waitsFor);
    const values: SqliteValue[] = [
      ...[id, account, environment, operation, reference, waitsFor ?? null],
      ...[bit(blocked), bit(!blocked), now, HEAD_OF_THE_QUEUE, now, fingerprint, body],
    ];
    const sequence = insert(INSERT, ...values);
    if (sequence === undefined) {
      const there = byId(id);
      if (!there) throw contradiction('an id is taken, and its row is not found');
      return { row: rowOf(there), added: false };
    }
    return { row: newRow(given, sequence, now, blocked), added: true };
  }

  function write({ id, expected, change }: Write, now: number): boolean {
    const found = isStorable(id) ? progressOf(id) : undefined;
    if (!found) suspect();
    if (!found || !isAsExpected({ state: readState(found.state), fence: readFence(found.fence) }, expected)) return false;
    const { state, fence, attempts, inDoubt, doubtBefore, delayMs, outcome, message, requestId, problem, decisions, keepBody } = change;
    const blocked = state === 'waiting' && isOpen(found.waits_for);
    const queued = state === 'in-flight' || (state === 'waiting' && !blocked);
    const ends = isFinal(state) && !isFinal(expected.state);
    const progress = [state, bit(blocked), bit(queued), fence, attempts, bit(inDoubt), bit(doubtBefore)] as const;
    const json = [problem ? textOf(problem) : null, decisions.length > 0 ? textOf(decisions) : null] as const;
    const texts = [outcome ?? null, message ?? null, requestId ?? null, ...json] as const;
    const sql = `${UPDATE}${keepBody ? '' : WITHOUT_BODY}${ends ? ENDED : ''} WHERE sequence = ?`;
    changeRow(sql, ...progress, fence === 0 ? HEAD_OF_THE_QUEUE : now + delayMs, now, ...texts, Number(found.sequence));
    // The account in the id, since the column may be damaged.
    const account = id.slice(0, id.indexOf(':'));
    tally.move(account, found.state as Row['state'], state);
    tally.attempts(account, isCount(found.attempts) ? attempts - found.attempts : 0);
    if (isFinal(state) !== isFinal(expected.state)) block(id, !isFinal(state));
    return true;
  }

  /** Makes rows due whose time is too far in the future after a jump of the clock. */
  function rescue({ account, environment }: Destination, now: number): void {
    const last = first(LAST_DUE, account, environment);
    // This includes damaged times: SQLite sorts text after every number.
    if (last && !isPast(last.due_at, now + LONGEST_WAIT_MS)) run(RESCUE, now, account, environment, now + LONGEST_WAIT_MS);
  }

  /**
   * Throws if the index of claims contradicts the row, or the row is not found by its id. Its result could not be written, so it
   * must not be sent.
   */
  function ensureFound({ id, sequence, account, environment, state, blocked, due_at: due }: Columns, destination: Destination, now: number): void {
    const isDue = typeof due !== 'number' || due <= now;
    const isQueued = blocked !== 1 && !ENDED_STATES.includes(state);
    if (!isDue || !isQueued || account !== destination.account || environment !== destination.environment) throw contradiction('a queued row is not queued');
    if (typeof id !== 'string' || first(STATE, id)?.sequence !== sequence) throw contradiction('a row is not found by its id');
  }

  /** Changes one row, which was just read. */
  function changeRow(sql: string, ...values: SqliteValue[]): void {
    if (run(sql, ...values) !== 1) throw contradiction('a row is not found by its number');
  }

  function claim({ accounts, limit, leaseMs, without = [], untriedFirst }: ClaimRequest, destinations: readonly Destination[], now: number): Row[] {
    const leftOutOf = (one: Destination) => without.map((other) => (keyOf(other) === keyOf(one) ? ` ${other.operation} ` : '')).join('');
    for (const one of destinations) rescue(one, now);
    /** The rows that a statement finds for a destination, each checked. */
    const found = (one: Destination, rows: readonly Columns[]): Row[] =>
      rows.map((row) => {
        ensureFound(row, one, now);
        return rowOf(row);
      });
    function dueOf(account: string): Row[] {
      const own = destinations.filter((one) => one.account === account);
      const untried = own.flatMap((one) => found(one, all(UNTRIED, account, one.environment, leftOutOf(one), limit)));
      const tried = untriedFirst && untried.length > 0 ? [] : own.flatMap((one) => found(one, all(DUE, account, one.environment, now, leftOutOf(one), limit)));
      return [...untried, ...tried].sort(inTurn(now));
    }
    const due = new Map(accounts.map(({ account }) => [account, dueOf(account)]));
    return claimFairly(accounts, limit, ({ account }) => due.get(account)?.shift()).map((row) => {
      const next = claimed(row);
      changeRow(CLAIM, next.state, next.fence, next.attempts, bit(next.inDoubt), bit(next.doubtBefore), now + leaseMs, now, row.sequence);
      tally.attempts(row.account, next.attempts - row.attempts);
      return { ...row, ...next, dueAt: now + leaseMs, changedAt: now };
    });
  }

  return { add, write, claim };
}

const unstorable = () => new SqliteStoreError('text', 'A report contains NUL or half of a character, which a SQLite database cannot store. It was not stored.');
