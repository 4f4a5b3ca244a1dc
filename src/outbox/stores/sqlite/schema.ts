import { LARGEST_COUNT } from '../../counts.js';
import { HEAD_OF_THE_QUEUE } from '../head-of-queue.js';
import { WITH_CONSOLE } from './console/schema.js';
import { type Connection, columns, connect, rollBack, type SqliteDatabase, schemaOf } from './database.js';
import { sqliteError } from './failure.js';

/** Rows that a worker may claim now or later. The index of claims contains only these. */
export const QUEUED = 'queued = 1';
/** Rows that are neither final nor quarantined. */
export const OPEN = "state IN ('waiting', 'in-flight')";

/** The largest whole number that JavaScript counts to. */
export const LARGEST_NUMBER = Number.MAX_SAFE_INTEGER;

/**
 * The largest number that a row has ever had. The highest row may have been pruned, so `prune` stores its number. A new row gets a
 * higher one: a number is never used twice, and a lower one shows that an older copy replaced the file. A damaged number is ignored.
 */
export const LATEST_SEQUENCE = `max(coalesce((SELECT max(sequence) FROM outbox_rows), 0), coalesce((
  SELECT number FROM outbox_counts WHERE account = '' AND name = 'pruned' AND typeof(number) = 'integer' AND number BETWEEN 0 AND ${LARGEST_NUMBER - 1}), 0))`;

/** Constraints that stop other tools from writing values that no store writes. They allow NULL, which NOT NULL refuses where necessary. */
const isText = (column: string) => `CHECK (${column} IS NULL OR typeof(${column}) = 'text')`;
const isNumber = (column: string, most: number = LARGEST_NUMBER) =>
  `CHECK (${column} IS NULL OR (typeof(${column}) = 'integer' AND ${column} BETWEEN 0 AND ${most}))`;
const isCount = (column: string) => isNumber(column, LARGEST_COUNT);
const isBit = (column: string) => isNumber(column, 1);
/** A time, possibly with a fraction of a millisecond. */
const isTime = (column: string) => `CHECK (typeof(${column}) IN ('integer', 'real') AND ${column} BETWEEN ${HEAD_OF_THE_QUEUE} AND ${-HEAD_OF_THE_QUEUE})`;

/** A trigger that refuses changes that no store makes. */
const staysAsItIs = (table: string, of = ''): string =>
  `CREATE TRIGGER ${table}_stay BEFORE UPDATE${of} ON ${table} BEGIN SELECT RAISE(ABORT, 'constraint: the outbox never changes this'); END;`;

/**
 * `queued` is 1 for rows in flight and for waiting rows that are not blocked. `ended` numbers final rows in the order in which they
 * became final, until they have their line in the log. All indexes except that of `id` are partial and leave final rows out, so
 * that the cost of a claim does not grow with them. There are few indexes, since each adds a page to the write of a new row. The
 * trigger blocks the rows that wait for a new row, in the same statement.
 */
const FIRST = `
  CREATE TABLE outbox_rows (
    sequence INTEGER PRIMARY KEY ${isNumber('sequence')} CHECK (sequence > 0),
    id TEXT NOT NULL UNIQUE ${isText('id')},
    account TEXT NOT NULL ${isText('account')},
    environment TEXT NOT NULL CHECK (environment IN ('staging', 'production')),
    operation TEXT NOT NULL ${isText('operation')},
    reference TEXT NOT NULL ${isText('reference')},
    waits_for TEXT ${isText('waits_for')} CHECK (substr(waits_for, -length(reference) - 1) = ':' || reference),
    state TEXT NOT NULL CHECK (state IN ('waiting', 'in-flight', 'recorded', 'quarantined', 'dismissed')),
    blocked INTEGER NOT NULL ${isBit('blocked')},
    queued INTEGER NOT NULL ${isBit('queued')},
    fence INTEGER NOT NULL ${isCount('fence')},
    attempts INTEGER NOT NULL ${isCount('attempts')},
    in_doubt INTEGER NOT NULL ${isBit('in_doubt')},
    doubt_before INTEGER NOT NULL ${isBit('doubt_before')},
    enqueued_at INTEGER NOT NULL ${isTime('enqueued_at')},
    due_at INTEGER NOT NULL ${isTime('due_at')},
    changed_at INTEGER NOT NULL ${isTime('changed_at')},
    ended INTEGER ${isNumber('ended')},
    outcome TEXT CHECK (outcome IN ('recorded', 'already-recorded', 'accepted')),
    message TEXT ${isText('message')},
    problem TEXT ${isText('problem')},
    decisions TEXT ${isText('decisions')},
    fingerprint TEXT NOT NULL ${isText('fingerprint')},
    body TEXT ${isText('body')},
    CHECK (id = account || ':' || environment || ':' || operation || ':' || reference),
    CHECK (queued = (state = 'in-flight' OR (state = 'waiting' AND blocked = 0))),
    CHECK (ended IS NULL OR state IN ('recorded', 'dismissed'))
  );
  CREATE INDEX outbox_due ON outbox_rows (account, environment, due_at) WHERE ${QUEUED};
  CREATE INDEX outbox_dependents ON outbox_rows (waits_for, blocked) WHERE waits_for IS NOT NULL AND state = 'waiting';
  CREATE INDEX outbox_open ON outbox_rows (state, account) WHERE ${OPEN};
  CREATE INDEX outbox_quarantined ON outbox_rows (account) WHERE state = 'quarantined';
  CREATE INDEX outbox_unlogged ON outbox_rows (ended) WHERE ended IS NOT NULL;
  CREATE TRIGGER outbox_hold_back AFTER INSERT ON outbox_rows WHEN EXISTS (
    SELECT 1 FROM outbox_rows INDEXED BY outbox_dependents WHERE waits_for = NEW.id AND state = 'waiting' AND blocked = 0
  ) BEGIN
    UPDATE outbox_rows SET blocked = 1, queued = 0 WHERE waits_for = NEW.id AND state = 'waiting' AND blocked = 0;
  END;
  CREATE TABLE outbox_destinations (
    account TEXT NOT NULL ${isText('account')},
    environment TEXT NOT NULL CHECK (environment IN ('staging', 'production') OR environment GLOB 'staging/report*' OR environment GLOB 'production/report*'),
    gateway TEXT NOT NULL ${isText('gateway')},
    rebound TEXT NOT NULL DEFAULT '[]' ${isText('rebound')},
    version INTEGER NOT NULL DEFAULT 0 ${isCount('version')},
    reason TEXT ${isText('reason')},
    message TEXT ${isText('message')},
    since INTEGER NOT NULL DEFAULT 0 ${isTime('since')},
    strikes INTEGER NOT NULL DEFAULT 0 ${isCount('strikes')},
    until INTEGER NOT NULL DEFAULT 0 ${isTime('until')},
    PRIMARY KEY (account, environment)
  ) WITHOUT ROWID;
  CREATE TABLE outbox_receipts (position INTEGER PRIMARY KEY ${isNumber('position')}, id TEXT NOT NULL ${isText('id')}, line TEXT NOT NULL ${isText('line')});
  CREATE TABLE outbox_settings (name TEXT PRIMARY KEY ${isText('name')}, value TEXT NOT NULL ${isText('value')}) WITHOUT ROWID;
  CREATE TABLE outbox_counts (
    account TEXT NOT NULL ${isText('account')},
    name TEXT NOT NULL ${isText('name')},
    number INTEGER NOT NULL CHECK (typeof(number) = 'integer' AND number BETWEEN ${-LARGEST_NUMBER} AND ${LARGEST_NUMBER}),
    PRIMARY KEY (account, name)
  ) WITHOUT ROWID;
  ${staysAsItIs('outbox_receipts')}
  ${staysAsItIs('outbox_settings')}
  ${staysAsItIs('outbox_destinations', ' OF account, environment')}
`;

/** Instances of the previous version name each column, and leave this one empty. A trigger checks it, since a later constraint would read the whole table. */
const WITH_REQUEST_IDS = `
  ALTER TABLE outbox_rows ADD COLUMN request_id TEXT;
  CREATE TRIGGER outbox_request_id BEFORE UPDATE OF request_id ON outbox_rows WHEN typeof(NEW.request_id) NOT IN ('text', 'null') BEGIN
    SELECT RAISE(ABORT, 'constraint: a request id is a text');
  END;
`;

/** Rows whose problem names a missing key. A message cannot contain this text, since JSON escapes its quotes. */
export const HAS_KEY_ID = `instr(problem, '"keyId":') > 0`;

/** The index of the few rows that wait for a key. */
const WITH_MISSING_KEYS = `CREATE INDEX outbox_locked ON outbox_rows (account, problem) WHERE ${OPEN} AND ${HAS_KEY_ID}`;

/** The version after the first migration. Older tables were never released, and are not changed. */
const OLDEST = 2;
/** Each migration brings the tables from the previous version to its own. A released migration is never changed. */
const MIGRATIONS: readonly string[] = [FIRST, WITH_REQUEST_IDS, WITH_MISSING_KEYS, WITH_CONSOLE];
const NEWEST = OLDEST + MIGRATIONS.length - 1;

/** Whether a connection has the tables of an outbox. */
export const holdsOutbox = (database: SqliteDatabase): boolean =>
  connect(database).first(`SELECT ${columns('1 AS there')} FROM ${schemaOf(database)}.sqlite_master WHERE type = 'table' AND name = 'outbox_meta'`) !==
  undefined;

/**
 * The version of the tables, or 0 if there are none. Throws and changes nothing if this package does not support the version.
 * Without `moved`, it also throws if the reports were moved to another store.
 */
export function readVersion({ database, first }: Connection, place: string, { moved = false } = {}): number {
  if (!holdsOutbox(database)) return 0;
  const version = Number(first(`SELECT ${columns('value')} FROM outbox_meta WHERE name = 'version'`)?.value);
  if (!Number.isInteger(version) || version < 1) throw sqliteError('corrupt', place, undefined, ' (it has no version)');
  if (version < OLDEST) throw sqliteError('older', place, undefined, ` (its version is ${version}; this package supports ${OLDEST} to ${NEWEST})`);
  if (version > NEWEST) throw sqliteError('newer', place, undefined, ` (its version is ${version}; this package supports ${OLDEST} to ${NEWEST})`);
  const mark = moved ? undefined : readMark({ first });
  if (mark) throw sqliteError(mark.arrived ? 'moved' : 'moving', place, undefined, ` (${mark.to})`);
  return version;
}

/** The target of a move. Not `arrived`: the move has begun, and its result is unknown. */
export function readMark({ first }: Pick<Connection, 'first'>): { to: string; arrived: boolean } | undefined {
  const found = first(`SELECT ${columns('name, value')} FROM outbox_meta WHERE name IN ('moved', 'moving') ORDER BY name LIMIT 1`);
  return found && { to: String(found.value), arrived: found.name === 'moved' };
}

/** Migrates the tables to the newest version in one transaction. Does nothing if another process was faster. */
export function migrate(database: SqliteDatabase, place: string): void {
  const connection = connect(database);
  if (readVersion(connection, place) === NEWEST) return;
  // Without a name, SQLite would make the tables in the main database, even if the outbox's file is attached under another name.
  const create = (sql: string) => database.exec(sql.replace(/\b(?:CREATE (?:TABLE|INDEX|TRIGGER)|ALTER TABLE) /g, `$&${schemaOf(database)}.`));
  database.exec('BEGIN IMMEDIATE');
  try {
    const version = readVersion(connection, place);
    if (version === 0) create('CREATE TABLE outbox_meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID');
    for (const migration of MIGRATIONS.slice(Math.max(0, version - OLDEST + 1))) create(migration);
    connection.run("INSERT OR REPLACE INTO outbox_meta (name, value) VALUES ('version', ?)", NEWEST);
    database.exec('COMMIT');
  } catch (error) {
    rollBack(database);
    throw error;
  }
}
