import { isFinal, type Row } from '../../state-machine.js';
import type { MovedRows } from '../moved-rows.js';
import { readDecisions } from './console/decisions.js';
import { type Connection, connect, pragma, rollBack, type SqliteDatabase, schemaOf } from './database.js';
import { createDestinations } from './destinations.js';
import { asSqliteError, sqliteCodeOf, sqliteError } from './failure.js';
import { listRows } from './list.js';
import { createReceipts } from './receipts.js';
import { readMark, readVersion } from './schema.js';

const PAGE = 500;

/** A file that nobody else has, to be read whole and left for good. */
export interface ExportedFile {
  readonly content: MovedRows;
  /** Where it was moved to before; not `arrived` where that move has begun, and nobody knows how it ended. */
  readonly bound: { readonly to: string; readonly arrived: boolean } | undefined;
  /** Notes, for good, that it is being moved there: no store opens it any more. */
  bind(to: string): void;
  /** Takes that back, where nothing has arrived. */
  unbind(): void;
  /** Lets stores open it again, and notes which move was given up. */
  abandon(to: string): void;
  /** Marks it as moved. */
  markMoved(to: string): void;
  /** Closes it; what was not committed is taken back. */
  close(): void;
}

/** Takes a file for this process alone. Throws a `SqliteStoreError`: `'busy'` where another process has it open. */
export function openExport(database: SqliteDatabase, place: string): ExportedFile {
  const connection = connect(database);
  try {
    readVersion(connection, place, { moved: true });
    // Only who is alone with a file can take it out of WAL mode.
    const mode = pragma(database, 'journal_mode = DELETE');
    if (mode !== 'delete' && mode !== 'memory') throw sqliteError('busy', place);
    database.exec(`PRAGMA ${schemaOf(database)}.synchronous = FULL`);
    // Kept between transactions.
    pragma(database, 'locking_mode = EXCLUSIVE');
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    throw sqliteCodeOf(error) === 'busy' ? sqliteError('busy', place, error, '; end every instance of the outbox first') : asSqliteError(place, error);
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

  const note = (name: 'moved' | 'moving' | 'abandoned', to: string) =>
    connection.run('INSERT OR REPLACE INTO outbox_meta (name, value) VALUES (?, ?)', name, to);
  const forget = () => connection.run("DELETE FROM outbox_meta WHERE name = 'moving'");
  const mark = readMark(connection);
  return {
    content: readAll(connection),
    bound: mark,
    bind: (to) => write(() => note('moving', to)),
    unbind: () => write(forget),
    abandon: (to) =>
      write(() => {
        note('abandoned', to);
        forget();
      }),
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

/** What is damaged here would look sound elsewhere. */
const keptFromSending = (row: Row): Row => (row.damage === undefined || isFinal(row.state) ? row : { ...row, state: 'quarantined', blocked: false });

function readAll(connection: Connection): MovedRows {
  const receipts = createReceipts(connection);
  return {
    *rows() {
      for (let after = 0; ; ) {
        const rows = listRows(connection, { after, limit: PAGE });
        if (rows.length > 0) yield rows.map(keptFromSending);
        after = rows.at(-1)?.sequence ?? after;
        if (rows.length < PAGE) return;
      }
    },
    *receipts() {
      for (let from = 0; ; from += PAGE) {
        const lines = receipts.read(from, PAGE);
        if (lines.length > 0) yield lines;
        if (lines.length < PAGE) return;
      }
    },
    unlogged: connection
      .all('SELECT sequence FROM outbox_rows INDEXED BY outbox_unlogged WHERE ended IS NOT NULL ORDER BY ended')
      .map(({ sequence }) => Number(sequence)),
    settings: connection.all('SELECT name, value FROM outbox_settings').map(({ name, value }) => [String(name), String(value)] as const),
    ...readDecisions(connection),
    destinations: createDestinations(connection).outlook(0),
  };
}
