import { ENVIRONMENTS } from '../../../core/errors/errors.js';
import { LARGEST_COUNT, MOST_WORDS } from '../../rules/state-machine.js';
import { HEAD_OF_THE_QUEUE } from '../claim-order.js';
import { CLASS_COLUMNS } from '../sql/statements.js';
import { type Connection, connect, rollBack, type SqliteDatabase, schemaOf } from './database.js';
import { sqliteError } from './failure.js';

/** Rows that a worker may claim now or later. The index of claims contains only these. */
export const QUEUED = "(state = 'in-flight' OR (state = 'waiting' AND blocked = 0))";
export const AT_THE_HEAD = `${QUEUED} AND due_at <= ${HEAD_OF_THE_QUEUE}`;
export const BEHIND_THE_HEAD = `(state IN ('in-flight', 'quarantined') OR (state = 'waiting' AND (blocked <> 0 OR due_at > ${HEAD_OF_THE_QUEUE})))`;
/** The queued rows of a destination, and of those the ones at the head, by the index of claims. */
export const QUEUED_ROWS = `outbox_rows INDEXED BY outbox_due WHERE ${QUEUED} AND account = ? AND environment = ?`;
export const ROWS_AT_THE_HEAD = `${QUEUED_ROWS} AND due_at <= ${HEAD_OF_THE_QUEUE}`;
export const ROWS_BEHIND_THE_HEAD = `outbox_rows INDEXED BY outbox_by_state WHERE ${BEHIND_THE_HEAD} AND account = ? AND environment = ?`;
/** Rows that are neither final nor quarantined. */
export const OPEN = "state IN ('waiting', 'in-flight')";

/** Rows whose problem names a missing key. A message cannot contain this text, since JSON escapes its quotes. */
export const HAS_KEY_ID = `instr(problem, '"keyId":') > 0`;

/**
 * The largest number that a row has ever had. The highest row may have been pruned, so `prune` stores its number. A new
 * row gets a higher one: a number is never used twice, and a lower one shows that an older copy replaced the file.
 */
export const LATEST_SEQUENCE = `max(coalesce((SELECT max(sequence) FROM outbox_rows), 0),
  coalesce((SELECT number FROM outbox_counts WHERE account = '' AND name = 'pruned'), 0))`;

/*
 * The tables refuse a value that no store writes, whichever tool writes it: they are STRICT, and these conditions hold.
 * What a disk changes later is found by SQLite's own check when the file is opened.
 */
const isBit = (column: string) => `CHECK (${column} IN (0, 1))`;
const isCount = (column: string) => `CHECK (${column} BETWEEN 0 AND ${LARGEST_COUNT})`;
/** The times of a `Date`. */
const isTime = (column: string) => `CHECK (${column} BETWEEN ${HEAD_OF_THE_QUEUE} AND ${-HEAD_OF_THE_QUEUE})`;
/** The whole numbers of JavaScript: the libraries cannot read others. */
const isNumber = (column: string) =>
  `CHECK (${column} BETWEEN ${Number.MIN_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER})`;

/** The columns of a pause: that of a destination, or the breaker of an operation. */
const PAUSE_COLUMNS = `version INTEGER NOT NULL DEFAULT 0 ${isCount('version')}, reason TEXT, message TEXT,
    tried_at INTEGER NOT NULL DEFAULT 0 ${isTime('tried_at')},
    since INTEGER NOT NULL DEFAULT 0 ${isTime('since')}, strikes INTEGER NOT NULL DEFAULT 0 ${isCount('strikes')},
    until INTEGER NOT NULL DEFAULT 0 ${isTime('until')}`;

/** The learned rate, in reports per 1,000 seconds, and the slots in microseconds. */
const RATE_COLUMNS = ['rate', 'rate_span', 'rate_since', 'next_slot', 'slots_taken_at']
  .map((column) => `${column} INTEGER NOT NULL DEFAULT 0 ${isNumber(column)}`)
  .join(', ');

/** A trigger that refuses changes that no store makes. */
const staysAsItIs = (table: string, of = ''): string =>
  `CREATE TRIGGER ${table}_stay BEFORE UPDATE${of} ON ${table} BEGIN SELECT RAISE(ABORT, 'constraint: the outbox never changes this'); END;`;

/** A member of a problem. NULL if the JSON is damaged, which the check of the row reports. */
export const said = (path: string) => `CASE WHEN json_valid(problem) THEN json_extract(problem, '$.${path}') END`;
const MESSAGE = `coalesce(CASE WHEN typeof(${said('message')}) = 'text' THEN ${said('message')} END, '')`;

/**
 * The group of a quarantined row, as `ProblemKey` of `operator-store.ts` says. The columns are generated, so that
 * no write names them, and have no value in other rows.
 */
const PROBLEM_COLUMNS = `problem_code TEXT GENERATED ALWAYS AS (CASE WHEN state = 'quarantined' THEN
      CAST(coalesce(${said('code')}, 'unknown') AS TEXT) END) VIRTUAL,
    problem_words TEXT GENERATED ALWAYS AS (CASE WHEN state = 'quarantined' THEN
      substr(${MESSAGE}, CASE WHEN instr(${MESSAGE}, ': ') > 0 THEN instr(${MESSAGE}, ': ') + 2 ELSE 1 END, ${MOST_WORDS}) END) VIRTUAL`;

/**
 * The tables of the operator's console: decisions, and counts of recorded reports by time. The index contains all
 * values of a group of quarantined rows.
 */
const CONSOLE_TABLES = `
  CREATE INDEX outbox_problems ON outbox_rows (account, environment, problem_code, problem_words, changed_at) WHERE state = 'quarantined';
  CREATE TABLE outbox_decisions (
    place INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    action TEXT NOT NULL,
    who TEXT NOT NULL,
    reason TEXT NOT NULL,
    about TEXT NOT NULL,
    as_of INTEGER NOT NULL,
    at INTEGER NOT NULL,
    cursor INTEGER NOT NULL DEFAULT 0,
    touched INTEGER NOT NULL DEFAULT 0,
    skipped INTEGER NOT NULL DEFAULT 0,
    done INTEGER NOT NULL,
    undone_by TEXT
  ) STRICT;
  ${staysAsItIs('outbox_decisions', ' OF place, id, action, who, reason, about, as_of, at')}
  CREATE TABLE outbox_decision_steps (decision TEXT NOT NULL, began INTEGER NOT NULL, sequences TEXT NOT NULL, PRIMARY KEY (decision, began)) STRICT, WITHOUT ROWID;
  CREATE TABLE outbox_throughput (
    span TEXT NOT NULL,
    start INTEGER NOT NULL,
    account TEXT NOT NULL,
    environment TEXT NOT NULL,
    recorded INTEGER NOT NULL,
    dismissed INTEGER NOT NULL,
    ${CLASS_COLUMNS.map((name) => `${name} INTEGER NOT NULL`).join(', ')},
    PRIMARY KEY (span, start, account, environment)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE outbox_throughput_end (one INTEGER PRIMARY KEY CHECK (one = 1), reached INTEGER NOT NULL) STRICT;
`;

/**
 * `ended` numbers final rows in the order in which they became final, until they have their line in the log. All
 * indexes except that of `id` are partial and leave final rows out, so that the cost of a claim does not grow with
 * them. Each index adds a page to the write of a row: a new row is only in that of claims. The trigger blocks the rows
 * that wait for a new row, in the same statement.
 */
const TABLES = `
  CREATE TABLE outbox_meta (name TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE outbox_rows (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    account TEXT NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN (${ENVIRONMENTS.map((name) => `'${name}'`).join()})),
    operation TEXT NOT NULL,
    reference TEXT NOT NULL,
    waits_for TEXT,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'in-flight', 'quarantined', 'recorded', 'dismissed')),
    blocked INTEGER NOT NULL ${isBit('blocked')},
    fence INTEGER NOT NULL ${isCount('fence')},
    attempts INTEGER NOT NULL ${isCount('attempts')},
    in_doubt INTEGER NOT NULL ${isBit('in_doubt')},
    doubt_before INTEGER NOT NULL ${isBit('doubt_before')},
    enqueued_at INTEGER NOT NULL ${isTime('enqueued_at')},
    due_at INTEGER NOT NULL ${isTime('due_at')},
    changed_at INTEGER NOT NULL ${isTime('changed_at')},
    ended INTEGER ${isNumber('ended')},
    outcome TEXT,
    message TEXT,
    request_id TEXT,
    problem TEXT,
    decisions TEXT,
    fingerprint TEXT NOT NULL,
    body TEXT,
    excerpt TEXT,
    ${PROBLEM_COLUMNS},
    CHECK (substr(id, 1, length(account) + length(environment) + 2) = account || ':' || environment || ':')
  ) STRICT;
  CREATE INDEX outbox_due ON outbox_rows (account, environment, due_at) WHERE ${QUEUED};
  CREATE INDEX outbox_dependents ON outbox_rows (waits_for, blocked) WHERE waits_for IS NOT NULL AND state = 'waiting';
  CREATE INDEX outbox_by_state ON outbox_rows (state, account) WHERE ${BEHIND_THE_HEAD};
  CREATE INDEX outbox_locked ON outbox_rows (account, problem) WHERE ${OPEN} AND ${HAS_KEY_ID};
  CREATE INDEX outbox_unlogged ON outbox_rows (ended) WHERE ended IS NOT NULL;
  CREATE TRIGGER outbox_hold_back AFTER INSERT ON outbox_rows WHEN EXISTS (
    SELECT 1 FROM outbox_rows INDEXED BY outbox_dependents WHERE waits_for = NEW.id AND state = 'waiting' AND blocked = 0
  ) BEGIN
    UPDATE outbox_rows SET blocked = 1 WHERE waits_for = NEW.id AND state = 'waiting' AND blocked = 0;
  END;
  CREATE TABLE outbox_destinations (
    account TEXT NOT NULL,
    environment TEXT NOT NULL,
    gateway TEXT NOT NULL,
    rebound TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(rebound)),
    ${PAUSE_COLUMNS},
    ${RATE_COLUMNS},
    PRIMARY KEY (account, environment)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE outbox_breakers (
    account TEXT NOT NULL,
    environment TEXT NOT NULL,
    operation TEXT NOT NULL,
    ${PAUSE_COLUMNS},
    PRIMARY KEY (account, environment, operation)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE outbox_receipts (position INTEGER PRIMARY KEY, id TEXT NOT NULL, line TEXT NOT NULL) STRICT;
  CREATE TABLE outbox_settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE outbox_counts (
    account TEXT NOT NULL,
    name TEXT NOT NULL,
    number INTEGER NOT NULL ${isNumber('number')},
    PRIMARY KEY (account, name)
  ) STRICT, WITHOUT ROWID;
  ${staysAsItIs('outbox_receipts')}
  ${staysAsItIs('outbox_settings')}
  ${staysAsItIs('outbox_destinations', ' OF account, environment')}
  ${staysAsItIs('outbox_breakers', ' OF account, environment, operation')}
`;

/** The version of the tables. Earlier versions were never released. */
const VERSION = 11;

export const holdsOutbox = (database: SqliteDatabase): boolean =>
  connect(database).first(
    `SELECT 1 AS there FROM ${schemaOf(database)}.sqlite_master WHERE type = 'table' AND name = 'outbox_meta'`,
  ) !== undefined;

/**
 * The version of the tables, or 0 if there are none. Throws and changes nothing if this package does not support the
 * version. Without `moved`, it also throws if the reports were moved to another store.
 */
export function readVersion({ database, first }: Connection, place: string, { moved = false } = {}): number {
  if (!holdsOutbox(database)) return 0;
  const version = Number(first(`SELECT value FROM outbox_meta WHERE name = 'version'`)?.value);
  if (!Number.isInteger(version) || version < 1) throw sqliteError('corrupt', place, undefined, ' (it has no version)');
  if (version !== VERSION)
    throw sqliteError(
      version > VERSION ? 'newer' : 'older',
      place,
      undefined,
      ` (its version is ${version}; this package supports ${VERSION})`,
    );
  const mark = moved ? undefined : readMark({ first });
  if (mark) throw sqliteError(mark.arrived ? 'moved' : 'moving', place, undefined, ` (${mark.to})`);
  return version;
}

/** The target of a move. Not `arrived`: the move has begun, and its result is unknown. */
export function readMark({ first }: Pick<Connection, 'first'>): { to: string; arrived: boolean } | undefined {
  const found = first(`SELECT name, value FROM outbox_meta WHERE name IN ('moved', 'moving') ORDER BY name LIMIT 1`);
  return found && { to: String(found.value), arrived: found.name === 'moved' };
}

/** Makes the tables in one transaction. Does nothing if they exist. */
export function createTables(database: SqliteDatabase, place: string): void {
  const connection = connect(database);
  if (readVersion(connection, place) === VERSION) return;
  // Without a name, SQLite would make the tables in the main database, even if the outbox's file is attached under
  // another name.
  const create = (sql: string) =>
    database.exec(sql.replace(/\bCREATE (?:TABLE|INDEX|TRIGGER) /g, `$&${schemaOf(database)}.`));
  database.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have been faster.
    if (readVersion(connection, place) === 0) {
      create(TABLES + CONSOLE_TABLES);
      connection.run("INSERT INTO outbox_meta (name, value) VALUES ('version', ?)", VERSION);
    }
    database.exec('COMMIT');
  } catch (error) {
    rollBack(database);
    throw error;
  }
}
