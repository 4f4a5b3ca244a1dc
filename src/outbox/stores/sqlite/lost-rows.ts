import { ENVIRONMENTS } from '../../destination.js';
import { damageProblem } from '../../stored-row.js';
import type { Connection } from './database.js';
import { textOf } from './row-columns.js';
import { OPEN, QUEUED } from './schema.js';
import type { Tally } from './tally.js';

const KNOWN = ENVIRONMENTS.map((name) => `'${name}'`).join();
/** The account in the id of a row. */
const OWNER = "substr(id, 1, instr(id, ':') - 1)";
/** Every condition except the last needs only the index. */
const LOST = `FROM outbox_rows INDEXED BY outbox_due WHERE ${QUEUED} AND (environment NOT IN (${KNOWN}) OR
  (account NOT IN (SELECT account FROM outbox_destinations) AND account <> ${OWNER}))`;
const QUARANTINE = "UPDATE outbox_rows SET state = 'quarantined', blocked = 0, queued = 0, problem = ?";

/** Whether a waiting row must wait for an earlier row. */
const WAITS = `(state = 'waiting' AND EXISTS (SELECT 1 FROM outbox_rows AS before WHERE before.id = outbox_rows.waits_for AND before.state NOT IN ('recorded', 'dismissed')))`;
/** Rows whose place in the queue contradicts their state, or that have no id. */
const MISPLACED = `FROM outbox_rows INDEXED BY outbox_open WHERE ${OPEN} AND (typeof(id) <> 'text' OR blocked IS NOT ${WAITS} OR queued IS NOT (blocked = 0))`;
const REPLACE = `UPDATE outbox_rows SET blocked = ${WAITS}, queued = NOT ${WAITS} WHERE sequence = ?`;
const NAME = "UPDATE OR IGNORE outbox_rows SET id = account || ':' || environment || ':' || operation || ':' || reference WHERE sequence = ?";

/** Replaces a damaged id by the one that follows from the columns. If another row has that id, the row is quarantined. */
export function healId({ run, first }: Connection, tally: Tally, sequence: number): void {
  if (run(NAME, sequence) > 0) return;
  run(`${QUARANTINE} WHERE sequence = ?`, textOf(damageProblem('id')), sequence);
  tally.move(String(first('SELECT account FROM outbox_rows WHERE sequence = ?', sequence)?.account), 'waiting', 'quarantined');
}

/** Whether there are rows that a worker cannot find, since their account, environment or place in the queue is damaged. */
export const hasLostRows = ({ first }: Connection): boolean =>
  first(`SELECT 1 ${LOST} LIMIT 1`) !== undefined || first(`SELECT 1 ${MISPLACED} LIMIT 1`) !== undefined;

/** Repairs these rows within a transaction, and quarantines those that cannot be repaired. A row gets the account in its id. */
export function mendLostRows(connection: Connection, tally: Tally): void {
  const { all, run } = connection;
  for (const { sequence, id } of all(`SELECT sequence, id ${MISPLACED}`)) {
    if (typeof id !== 'string') healId(connection, tally, Number(sequence));
    run(REPLACE, Number(sequence));
  }
  for (const { sequence, account, environment, owner } of all(`SELECT sequence, account, environment, ${OWNER} AS owner ${LOST}`)) {
    const isForeign = ENVIRONMENTS.every((name) => name !== environment);
    const shown = String(owner === '' ? account : owner);
    const problem = textOf(damageProblem(isForeign ? 'environment' : 'account'));
    if (shown === account) run(`${QUARANTINE} WHERE sequence = ?`, problem, Number(sequence));
    else run(`${QUARANTINE}, account = ? WHERE sequence = ?`, problem, shown, Number(sequence));
    tally.move(shown, 'waiting', 'quarantined');
  }
}
