import { type Destination, keyOf } from '../../rules/destination.js';
import { claimed, isOpen, LONGEST_WAIT_MS, type Row, takenFromWorker, type Write } from '../../rules/state-machine.js';
import type { ClaimRequest } from '../../store/store.js';
import { chooseRows, HEAD_OF_THE_QUEUE } from '../claim-order.js';
import type { Tally } from './counts.js';
import type { Connection } from './database.js';
import { changeRow, ROW, rowOf, STATE, stateBy } from './rows.js';
import { QUEUED, QUEUED_ROWS, ROWS_AT_THE_HEAD } from './schema.js';

/** Changes a row that is found by its id and queued. It changes none if the index of claims is damaged. */
const CLAIM = `UPDATE outbox_rows SET state = ?, fence = ?, attempts = ?, in_doubt = ?, doubt_before = ?, due_at = ?, changed_at = ?
  WHERE id = ? AND +sequence = ? AND ${QUEUED} AND due_at <= ?`;

/** Leaves out the operations of a text. Each has a space before and after it. */
const ALLOWED = "AND instr(?, ' ' || operation || ' ') = 0";

/**
 * Reads the rows by the index, so that the cost does not depend on the number of rows. First those that were never
 * claimed.
 */
export const UNTRIED = `SELECT ${ROW} FROM ${ROWS_AT_THE_HEAD} ${ALLOWED} ORDER BY due_at, sequence LIMIT ?`;
export const DUE = `SELECT ${ROW} FROM ${QUEUED_ROWS} AND due_at > ${HEAD_OF_THE_QUEUE} AND due_at <= ? ${ALLOWED} ORDER BY due_at, sequence LIMIT ?`;
/** Makes rows due whose time is too far in the future. The limit bounds the work of one turn. */
export const RESCUE = `UPDATE outbox_rows SET due_at = ? WHERE sequence IN
  (SELECT sequence FROM ${QUEUED_ROWS} AND due_at > ? ORDER BY due_at DESC LIMIT 1000)`;
/** The first and the last due time of a destination. They read only the index. */
export const FIRST_DUE = `SELECT due_at FROM ${QUEUED_ROWS} ORDER BY due_at LIMIT 1`;
export const LAST_DUE = `SELECT due_at FROM ${QUEUED_ROWS} ORDER BY due_at DESC LIMIT 1`;

/** Claims rows. The caller begins and commits the transaction. */
export function createClaims(
  { first, all, run }: Connection,
  tally: Tally,
  write: (one: Write, now: number) => boolean,
) {
  function rescue({ account, environment }: Destination, now: number): void {
    const last = first(LAST_DUE, account, environment);
    if (Number(last?.due_at) > now + LONGEST_WAIT_MS) run(RESCUE, now, account, environment, now + LONGEST_WAIT_MS);
  }

  return (request: ClaimRequest, destinations: readonly Destination[], now: number): Row[] => {
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
      if (row.state === 'in-flight' && isOpen(stateBy(first, STATE, row.waitsFor))) {
        write(takenFromWorker(row), now);
        return [];
      }
      const next = claimed(row);
      const until = Math.round(now + leaseMs);
      changeRow(
        run,
        CLAIM,
        next.state,
        next.fence,
        next.attempts,
        Number(next.inDoubt),
        Number(next.doubtBefore),
        until,
        now,
        row.id,
        row.sequence,
        now,
      );
      tally.attempts(row.account, next.attempts - row.attempts);
      return { ...row, ...next, dueAt: until, changedAt: now };
    });
  };
}
