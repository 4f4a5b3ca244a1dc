import { type Connection, connect, rollBack, type SqliteDatabase, schemaOf } from './database.js';
import { failure } from './failure.js';

/** Rows that a worker may take, or will be able to; the only ones in the index that is searched for them. */
export const QUEUED = 'queued = 1';
/** Rows that are waited for. */
export const OPEN = "state IN ('waiting', 'in-flight')";

/**
 * `queued` is 1 for rows in flight and for waiting ones that are not blocked. `ended` numbers final rows in the order
 * in which they became final until they have their line in the log. All indexes but that of `id` are partial and leave
 * final rows out, so that what a claim costs does not grow with them; and there are few, since each is one more page to
 * write for a new row. The trigger holds back what waits for a new row, in the same statement.
 */
const FIRST = `
  CREATE TABLE outbox_rows (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    account TEXT NOT NULL,
    environment TEXT NOT NULL,
    operation TEXT NOT NULL,
    reference TEXT NOT NULL,
    waits_for TEXT,
    state TEXT NOT NULL,
    blocked INTEGER NOT NULL,
    queued INTEGER NOT NULL,
    fence INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    in_doubt INTEGER NOT NULL,
    doubt_before INTEGER NOT NULL,
    enqueued_at INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    ended INTEGER,
    outcome TEXT,
    message TEXT,
    problem TEXT,
    decisions TEXT,
    fingerprint TEXT NOT NULL,
    body TEXT
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
    account TEXT NOT NULL,
    environment TEXT NOT NULL,
    gateway TEXT NOT NULL,
    rebound TEXT NOT NULL DEFAULT '[]',
    version INTEGER NOT NULL DEFAULT 0,
    reason TEXT,
    message TEXT,
    since INTEGER NOT NULL DEFAULT 0,
    strikes INTEGER NOT NULL DEFAULT 0,
    until INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (account, environment)
  ) WITHOUT ROWID;
  CREATE TABLE outbox_receipts (position INTEGER PRIMARY KEY, id TEXT NOT NULL, line TEXT NOT NULL);
  CREATE TABLE outbox_settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE outbox_counts (account TEXT NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (account, name)) WITHOUT ROWID;
`;

/** The version that the first of the migrations makes. Tables of an older one were never released, and are left as they are. */
const OLDEST = 2;
/** Each makes of a database of the version before it one of its own; never changed once released. */
const MIGRATIONS: readonly string[] = [FIRST];
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
  if (!Number.isInteger(version) || version < 1) throw failure('corrupt', place, undefined, ' (it does not say its version)');
  if (version < OLDEST) throw failure('older', place, undefined, ` (its version is ${version}, this one knows ${OLDEST})`);
  if (version > NEWEST) throw failure('newer', place, undefined, ` (its version is ${version}, this one knows ${NEWEST})`);
  const mark = moved ? undefined : readMark({ first });
  if (mark) throw failure(mark.arrived ? 'moved' : 'moving', place, undefined, ` (${mark.to})`);
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
  const create = (sql: string) => database.exec(sql.replace(/\bCREATE (TABLE|INDEX|TRIGGER) /g, `$&${schemaOf(database)}.`));
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
