import { LARGEST_COUNT } from '../../counts.js';
import { HEAD_OF_THE_QUEUE } from '../head-of-queue.js';
import { WITH_CONSOLE } from './console/schema.js';
import { type Connection, connect, rollBack, type SqliteDatabase, schemaOf } from './database.js';
import { sqliteError } from './failure.js';

/** Rows that a worker may take, or will be able to; the only ones in the index that is searched for them. */
export const QUEUED = 'queued = 1';
/** Rows that are waited for. */
export const OPEN = "state IN ('waiting', 'in-flight')";

/** The largest whole number that JavaScript counts to. */
export const LARGEST_NUMBER = Number.MAX_SAFE_INTEGER;

/** What another tool cannot write: a value that no store does. NULL passes a check, and is refused by NOT NULL where it must be. */
const isText = (column: string) => `CHECK (${column} IS NULL OR typeof(${column}) = 'text')`;
const isNumber = (column: string, most: number = LARGEST_NUMBER) =>
  `CHECK (${column} IS NULL OR (typeof(${column}) = 'integer' AND ${column} BETWEEN 0 AND ${most}))`;
const isCount = (column: string) => isNumber(column, LARGEST_COUNT);
const isBit = (column: string) => isNumber(column, 1);
/** With a part of a millisecond, too. */
const isTime = (column: string) => `CHECK (typeof(${column}) IN ('integer', 'real') AND ${column} BETWEEN ${HEAD_OF_THE_QUEUE} AND ${-HEAD_OF_THE_QUEUE})`;

/** Refuses a change that no store makes. */
const staysAsItIs = (table: string, columns = ''): string =>
  `CREATE TRIGGER ${table}_stay BEFORE UPDATE${columns} ON ${table} BEGIN SELECT RAISE(ABORT, 'constraint: the outbox never changes this'); END;`;

/**
 * `queued` is 1 for rows in flight and for waiting ones that are not blocked. `ended` numbers final rows in the order
 * in which they became final until they have their line in the log. All indexes but that of `id` are partial and leave
 * final rows out, so that what a claim costs does not grow with them; and there are few, since each is one more page to
 * write for a new row. The trigger holds back what waits for a new row, in the same statement.
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

/** Instances of the version before it name each column, and leave this one empty. A trigger checks it, since a check added later would read the whole table. */
const WITH_REQUEST_IDS = `
  ALTER TABLE outbox_rows ADD COLUMN request_id TEXT;
  CREATE TRIGGER outbox_request_id BEFORE UPDATE OF request_id ON outbox_rows WHEN typeof(NEW.request_id) NOT IN ('text', 'null') BEGIN
    SELECT RAISE(ABORT, 'constraint: a request id is a text');
  END;
`;

/** Rows whose problem names a key that was missing. The words of a message hold no such quotes: JSON escapes them. */
export const HAS_KEY_ID = `instr(problem, '"keyId":') > 0`;

/** Few rows are in it: those that wait for a key. */
const WITH_MISSING_KEYS = `CREATE INDEX outbox_locked ON outbox_rows (account, problem) WHERE ${OPEN} AND ${HAS_KEY_ID}`;

/** The version that the first of the migrations makes. Tables of an older one were never released, and are left as they are. */
const OLDEST = 2;
/** Each makes of a database of the version before it one of its own; never changed once released. */
const MIGRATIONS: readonly string[] = [FIRST, WITH_REQUEST_IDS, WITH_MISSING_KEYS, WITH_CONSOLE];
const NEWEST = OLDEST + MIGRATIONS.length - 1;

/** Whether a connection has the tables of an outbox. */
export const holdsOutbox = (database: SqliteDatabase): boolean =>
  connect(database).first(`SELECT 1 FROM ${schemaOf(database)}.sqlite_master WHERE type = 'table' AND name = 'outbox_meta'`) !== undefined;

/**
 * The version of the tables; 0 where there are none. Throws, and has changed nothing, where this package does not know it,
 * and unless told otherwise where the reports have been moved to another store.
 */
export function readVersion({ database, first }: Connection, place: string, { moved = false } = {}): number {
  if (!holdsOutbox(database)) return 0;
  const version = Number(first("SELECT value FROM outbox_meta WHERE name = 'version'")?.value);
  if (!Number.isInteger(version) || version < 1) throw sqliteError('corrupt', place, undefined, ' (it does not say its version)');
  if (version < OLDEST) throw sqliteError('older', place, undefined, ` (its version is ${version}, this one knows ${OLDEST})`);
  if (version > NEWEST) throw sqliteError('newer', place, undefined, ` (its version is ${version}, this one knows ${NEWEST})`);
  const mark = moved ? undefined : readMark({ first });
  if (mark) throw sqliteError(mark.arrived ? 'moved' : 'moving', place, undefined, ` (${mark.to})`);
  return version;
}

/** Where the reports were moved to; not `arrived` where that has begun, and nobody knows how it ended. */
export function readMark({ first }: Pick<Connection, 'first'>): { to: string; arrived: boolean } | undefined {
  const found = first("SELECT name, value FROM outbox_meta WHERE name IN ('moved', 'moving') ORDER BY name LIMIT 1");
  return found && { to: String(found.value), arrived: found.name === 'moved' };
}

/** Brings the tables to the newest version, in one transaction; where another process is faster, there is nothing to do. */
export function migrate(database: SqliteDatabase, place: string): void {
  const connection = connect(database);
  if (readVersion(connection, place) === NEWEST) return;
  // What is made without the name of a file lands in the first one of the connection, which is not the outbox's where that is attached.
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
