import { HEAD_OF_THE_QUEUE } from '../head-of-queue.js';
import type { MovedRows } from '../moved-rows.js';
import { PLACE_ROWS } from './damage.js';
import { connect, type OpenDatabase, rollBack, type SqliteValue } from './database.js';
import { closeFile, openFile, prepareDatabase } from './open.js';
import { textOf } from './row-columns.js';

const insert = (table: string, names: string): string => `INSERT INTO ${table} (${names}) VALUES (${names.split(',').map(() => '?')})`;

const ROW = insert(
  'outbox_rows',
  `sequence, id, account, environment, operation, reference, waits_for, state, blocked, queued, fence, attempts, in_doubt, doubt_before,
  enqueued_at, due_at, changed_at, outcome, message, request_id, problem, decisions, fingerprint, body`,
);
const UNLOGGED = "UPDATE outbox_rows SET ended = ? WHERE sequence = ? AND state IN ('recorded', 'dismissed')";
const LINE = insert('outbox_receipts', 'position, id, line');
const SETTING = insert('outbox_settings', 'name, value');
const DESTINATION = insert('outbox_destinations', 'account, environment, gateway, rebound, version, reason, message, since, strikes, until');
const DECISION = insert('outbox_decisions', 'place, id, action, who, reason, about, as_of, at, cursor, touched, skipped, done, undone_by');
const STEP = insert('outbox_decision_steps', 'decision, began, sequences');
const COUNT = insert('outbox_counts', 'account, name, number');

const bit = (value: boolean): number => (value ? 1 : 0);

/** Makes a file with the content of another store, in one transaction. Rows keep their numbers, states, fences, attempts and doubts. */
export async function importFile(open: OpenDatabase, file: string, moved: MovedRows, onRows: (count: number) => void): Promise<void> {
  const { database } = await openFile(file, open);
  const { run, forget } = connect(database);
  const counts = new Map<string, { readonly account: string; readonly name: string; number: number }>();
  const count = (account: string, name: string, by: number) => {
    const key = `${name} ${account}`;
    const one = counts.get(key) ?? { account, name, number: 0 };
    one.number += by;
    counts.set(key, one);
  };
  prepareDatabase(database, file, true);
  database.exec('BEGIN IMMEDIATE');
  try {
    let done = 0;
    for (const rows of moved.rows()) {
      for (const row of rows) {
        const { sequence, id, account, environment, operation, reference, waitsFor, state, fence, attempts, problem, decisions } = row;
        const values: SqliteValue[] = [
          ...[sequence, id, account, environment, operation, reference, waitsFor ?? null, state, bit(row.blocked), 0, fence, attempts],
          ...[
            bit(row.inDoubt),
            bit(row.doubtBefore),
            row.enqueuedAt,
            fence === 0 ? HEAD_OF_THE_QUEUE : row.dueAt,
            row.changedAt,
            row.outcome ?? null,
            row.message ?? null,
          ],
          ...[row.requestId ?? null, problem ? textOf(problem) : null, decisions.length > 0 ? textOf(decisions) : null, row.fingerprint, row.body ?? null],
        ];
        run(ROW, ...values);
        if (state !== 'waiting' && state !== 'in-flight') count(account, state, 1);
        count(account, 'attempts', attempts);
      }
      done += rows.length;
      onRows(done);
    }
    run(PLACE_ROWS);
    for (const [place, sequence] of moved.unlogged.entries()) run(UNLOGGED, place + 1, sequence);
    for (const lines of moved.receipts()) for (const { index, id, line } of lines) run(LINE, index, id, line);
    for (const [name, value] of moved.settings) run(SETTING, name, value);
    for (const { account, environment, gateway, rebound, pause } of moved.destinations) {
      const { version, reason, message, since, strikes, until } = pause;
      run(DESTINATION, account, environment, gateway, JSON.stringify(rebound), version, reason ?? null, message ?? null, since, strikes, until);
    }
    for (const { place, id, action, who, reason, about, asOf, at, cursor, touched, skipped, done: isDone, undoneBy } of moved.decisions)
      run(DECISION, place, id, action, who, reason, about, asOf, at, cursor, touched, skipped, bit(isDone), undoneBy ?? null);
    for (const { id, from, sequences } of moved.steps) run(STEP, id, from, JSON.stringify(sequences));
    for (const { account, name, number } of counts.values()) run(COUNT, account, name, number);
    database.exec('COMMIT');
  } catch (error) {
    rollBack(database);
    throw error;
  } finally {
    closeFile(database, () => {});
    forget();
  }
}
