import { ENVIRONMENTS } from '../../destination.js';
import { type Connection, columns, pragma, schemaOf } from './database.js';
import { OPEN, QUEUED } from './schema.js';

/** A larger file is not checked, since that would block the process for more than a few seconds. */
const MOST_CHECKED_BYTES = 256 * 1024 * 1024;

const IGNORED = 'ignore_check_constraints';

const KNOWN = ENVIRONMENTS.map((name) => `'${name}'`).join();
/** The account in the id of a row. */
const OWNER = "substr(id, 1, instr(id, ':') - 1)";
/** Queued rows that no worker claims. Every condition except the last needs only the index. */
const UNCLAIMABLE = `outbox_rows INDEXED BY outbox_due WHERE ${QUEUED} AND (environment NOT IN (${KNOWN}) OR
  (account NOT IN (SELECT account FROM outbox_destinations) AND account <> ${OWNER}))`;
/** Whether a waiting row must wait for an earlier row. */
const WAITS = `(state = 'waiting' AND EXISTS (SELECT 1 FROM outbox_rows AS before WHERE before.id = outbox_rows.waits_for AND before.state NOT IN ('recorded', 'dismissed')))`;
/** Open rows whose place in the queue contradicts their state, or that have no id. */
const MISPLACED = `outbox_rows INDEXED BY outbox_open WHERE ${OPEN} AND (typeof(id) <> 'text' OR blocked IS NOT ${WAITS} OR queued IS NOT (blocked = 0))`;
const LOST = `SELECT ${columns('1 AS there')} FROM (SELECT 1 FROM ${UNCLAIMABLE}) UNION ALL SELECT ${columns('1 AS there')} FROM (SELECT 1 FROM ${MISPLACED}) LIMIT 1`;
/** Puts the rows of a new file in the place that follows from their states. */
export const PLACE_ROWS = `UPDATE outbox_rows SET blocked = ${WAITS}, queued = state = 'in-flight' OR (state = 'waiting' AND NOT ${WAITS}) WHERE ${OPEN}`;

/** An error for contradictions that only a damaged file can have. It counts as an error of SQLite. */
export const contradiction = (what: string): Error => Object.assign(new Error(`The file contradicts itself: ${what}.`), { code: 'SQLITE_CORRUPT' });

/**
 * Whether a file is sound: SQLite finds no damage, stale indexes included, and workers find every open row. Undefined if it is too
 * large. Of the user's own connection it checks only the reports.
 */
export function isSound({ first, database }: Connection, own: boolean): boolean | undefined {
  if (Number(pragma(database, 'page_count')) * Number(pragma(database, 'page_size')) > MOST_CHECKED_BYTES) return undefined;
  const constraints = Number(pragma(database, IGNORED));
  // A wrong value is the damage of its row, which alone is quarantined.
  database.exec(`PRAGMA ${IGNORED} = 1`);
  try {
    const checked = first(
      `SELECT ${columns("integrity_check = 'ok' AS sound")} FROM pragma_integrity_check(${own ? 1 : "'outbox_rows'"}, '${schemaOf(database)}')`,
    );
    return checked?.sound === 1 && first(LOST) === undefined;
  } finally {
    database.exec(`PRAGMA ${IGNORED} = ${constraints}`);
  }
}
