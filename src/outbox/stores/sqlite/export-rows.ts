import type { LogLine } from '../../rules/receipt-entry.js';
import { isFinal, type Row } from '../../rules/state-machine.js';
import type { MovedRows } from '../moved-rows.js';
import { LINE } from '../sql/statements.js';
import { type Connection, connect, pragma, rollBack, type SqliteDatabase, schemaOf } from './database.js';
import { readDecisions } from './decisions.js';
import { createDestinations } from './destinations.js';
import { asSqliteError, sqliteCodeOf, sqliteError } from './failure.js';
import { isSound } from './file-checks.js';
import { LATEST_SEQUENCE, readMark, readVersion } from './schema.js';
import { listRows } from './search.js';

const PAGE = 500;
const LINES = `SELECT ${LINE} FROM outbox_receipts WHERE position >= ? ORDER BY position LIMIT ?`;
const TALLY = `SELECT account, 0 AS part, ${['recorded', 'dismissed', 'attempts']
  .map((name) => `max(0, total(number) FILTER (WHERE name = '${name}')) AS ${name}`)
  .join(', ')} FROM outbox_counts WHERE account <> '' GROUP BY account`;

/** A file in exclusive use, for the move of its content to another store. */
export interface ExportedFile {
  readonly content: MovedRows;
  /** The target of an earlier move. Not `arrived`: that move has begun, and its result is unknown. */
  readonly bound: { readonly to: string; readonly arrived: boolean } | undefined;
  /** Marks the file as being moved to this target. From then on, no store opens it. */
  bind(to: string): void;
  /** Removes that mark, if nothing has arrived. */
  unbind(): void;
  markMoved(to: string): void;
  /** Closes the file. Uncommitted changes are rolled back. */
  close(): void;
}

/**
 * Opens a file for this process alone. Throws a `StoreError`: `'busy'` if another process has it open,
 * `'corrupt'` if it is damaged, since reports may be missing without a trace.
 */
export function openExport(database: SqliteDatabase, place: string): ExportedFile {
  const connection = connect(database);
  try {
    readVersion(connection, place, { moved: true });
    // The mode can only change while no other connection has the file open.
    const mode = pragma(database, 'journal_mode = DELETE');
    if (mode !== 'delete' && mode !== 'memory') throw sqliteError('busy', place);
    database.exec(`PRAGMA ${schemaOf(database)}.synchronous = FULL`);
    // Keep the lock between transactions.
    pragma(database, 'locking_mode = EXCLUSIVE');
    database.exec('BEGIN EXCLUSIVE');
    if (!isSound(database)) throw sqliteError('corrupt', place);
  } catch (error) {
    rollBack(database);
    database.close();
    throw sqliteCodeOf(error) === 'busy'
      ? sqliteError('busy', place, error, '; end every instance of the outbox first')
      : asSqliteError(place, error);
  }

  function write(change: () => void): void {
    try {
      change();
      database.exec('COMMIT');
      database.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      throw asSqliteError(place, error);
    }
  }

  const note = (name: 'moved' | 'moving', to: string) =>
    connection.run('INSERT OR REPLACE INTO outbox_meta (name, value) VALUES (?, ?)', name, to);
  const forget = () => connection.run("DELETE FROM outbox_meta WHERE name = 'moving'");
  const mark = readMark(connection);
  return {
    content: readAll(connection),
    bound: mark,
    bind: (to) => write(() => note('moving', to)),
    unbind: () => write(forget),
    markMoved: (to) =>
      write(() => {
        note('moved', to);
        forget();
      }),
    close() {
      rollBack(database);
      database.close();
    },
  };
}

/** Quarantines a damaged open row, since the other store could not see the damage. */
const keptFromSending = (row: Row): Row =>
  row.damage === undefined || isFinal(row.state) ? row : { ...row, state: 'quarantined', blocked: false };

/** Reads page by page, each after the last one of the page before. */
function* pagesOf<T>(read: (last?: T) => readonly T[]): Generator<readonly T[]> {
  for (let page = read(); page.length > 0; page = page.length < PAGE ? [] : read(page.at(-1))) yield page;
}

function readAll(connection: Connection): MovedRows {
  const { all, first } = connection;
  return {
    *rows() {
      const read = (last?: Row) => listRows(connection, { after: last?.sequence ?? 0, limit: PAGE });
      for (const rows of pagesOf(read)) yield rows.map(keptFromSending);
    },
    latest: Number(first(`SELECT ${LATEST_SEQUENCE} AS latest`)?.latest),
    tally: all(TALLY),
    receipts: () => pagesOf((last?: LogLine) => all<LogLine>(LINES, (last?.index ?? -1) + 1, PAGE)),
    unlogged: all(
      `SELECT sequence FROM outbox_rows INDEXED BY outbox_unlogged WHERE ended IS NOT NULL ORDER BY ended`,
    ).map(({ sequence }) => Number(sequence)),
    settings: all(`SELECT name, value FROM outbox_settings`).map(
      ({ name, value }) => [String(name), String(value)] as const,
    ),
    ...readDecisions(connection),
    destinations: createDestinations(connection).outlook(0),
  };
}
