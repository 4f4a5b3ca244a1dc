import { isFinal, type Row } from '../../state-machine.js';
import type { MovedRows } from '../moved-rows.js';
import { readDecisions } from './console/decisions.js';
import { isSound } from './damage.js';
import { type Connection, columns, connect, pragma, rollBack, type SqliteDatabase, schemaOf } from './database.js';
import { createDestinations } from './destinations.js';
import { asSqliteError, sqliteCodeOf, sqliteError } from './failure.js';
import { listRows } from './list.js';
import { createReceipts } from './receipts.js';
import { ROW, rowOf } from './row-columns.js';
import { readMark, readVersion } from './schema.js';

const PAGE = 500;

/** A file in exclusive use, for the move of its content to another store. */
export interface ExportedFile {
  readonly content: MovedRows;
  /** Names what could not be read of a damaged file, once the content was read: ids of reports, and other parts. */
  unread(): readonly string[];
  /** Whether the marks were written. A damaged file may not take them, and no store opens it as long as it is damaged. */
  isMarked(): boolean;
  /** The target of an earlier move. Not `arrived`: that move has begun, and its result is unknown. */
  readonly bound: { readonly to: string; readonly arrived: boolean } | undefined;
  /** Marks the file as being moved to this target. From then on, no store opens it. */
  bind(to: string): void;
  /** Removes that mark, if nothing has arrived. */
  unbind(): void;
  /** Removes the mark, so that stores can open the file again, and stores which move was given up. */
  abandon(to: string): void;
  /** Marks the file as moved. */
  markMoved(to: string): void;
  /** Closes the file. Uncommitted changes are rolled back. */
  close(): void;
}

/** Opens a file for this process alone. Throws a `SqliteStoreError`: `'busy'` if another process has it open. */
export function openExport(database: SqliteDatabase, place: string): ExportedFile {
  const connection = connect(database);
  let isDamaged: boolean;
  try {
    // Without it, one damaged entry of the schema would hide all tables.
    database.exec('PRAGMA writable_schema = ON');
    readVersion(connection, place, { moved: true });
    // The mode can only change while no other connection has the file open.
    const mode = pragma(database, 'journal_mode = DELETE');
    if (mode !== 'delete' && mode !== 'memory') throw sqliteError('busy', place);
    database.exec(`PRAGMA ${schemaOf(database)}.synchronous = FULL`);
    // Keep the lock between transactions.
    pragma(database, 'locking_mode = EXCLUSIVE');
    database.exec('BEGIN EXCLUSIVE');
    isDamaged = isSound(connection, true) !== true;
  } catch (error) {
    database.close();
    throw sqliteCodeOf(error) === 'busy' ? sqliteError('busy', place, error, '; end every instance of the outbox first') : asSqliteError(place, error);
  }

  const unread = new Set<string>();
  let isMarked = true;
  function write(change: () => void): void {
    try {
      change();
      database.exec('COMMIT');
      database.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      if (!isDamaged || sqliteCodeOf(error) !== 'corrupt') throw asSqliteError(place, error);
      rollBack(database);
      database.exec('BEGIN EXCLUSIVE');
      isMarked = false;
    }
  }

  const note = (name: 'moved' | 'moving' | 'abandoned', to: string) =>
    connection.run('INSERT OR REPLACE INTO outbox_meta (name, value) VALUES (?, ?)', name, to);
  const forget = () => connection.run("DELETE FROM outbox_meta WHERE name = 'moving'");
  const mark = readMark(connection);
  return {
    content: readAll(connection, isDamaged, unread),
    unread: () => [...unread],
    isMarked: () => isMarked,
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

/** Quarantines a damaged open row, since the other store could not see the damage. */
const keptFromSending = (row: Row): Row => (row.damage === undefined || isFinal(row.state) ? row : { ...row, state: 'quarantined', blocked: false });

function* plainRows(connection: Connection): Generator<readonly Row[]> {
  for (let after = 0; ; ) {
    const rows = listRows(connection, { after, limit: PAGE });
    if (rows.length > 0) yield rows;
    after = rows.at(-1)?.sequence ?? after;
    if (rows.length < PAGE) return;
  }
}

/** The numbers and ids of the rows, by an index beside the table, from both ends up to the damage. */
const BY_ID = ['ASC', 'DESC'].map(
  (order) => `SELECT ${columns('sequence, id')} FROM outbox_rows INDEXED BY sqlite_autoindex_outbox_rows_1 ORDER BY id ${order}`,
);
const BY_NUMBER = `SELECT ${ROW} FROM outbox_rows WHERE sequence = ?`;
const NEXT = ['sequence > ? ORDER BY sequence', 'sequence < ? ORDER BY sequence DESC'].map(
  (where) => `SELECT ${ROW} FROM outbox_rows NOT INDEXED WHERE ${where} LIMIT ?`,
);

/** Reads every row of a damaged file that can be read: in order from both ends, then one by one. It names the others. */
function* readableRows({ first, all }: Connection, unread: Set<string>): Generator<readonly Row[]> {
  const attempt = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch {
      return undefined;
    }
  };
  const ids = new Map<number, string>();
  for (const sql of BY_ID)
    for (let offset = 0; ; offset += PAGE) {
      const page = attempt(() => all(`${sql} LIMIT ${PAGE} OFFSET ${offset}`)) ?? [];
      for (const { sequence, id } of page) ids.set(Number(sequence), String(id));
      if (page.length < PAGE) break;
    }
  const seen = new Set<string>();
  const numbers = new Set<number>();
  const doubtful: Row[] = [];
  const fresh = (rows: readonly Row[]): Row[] =>
    rows.filter((row) => {
      if (numbers.has(row.sequence)) return false;
      numbers.add(row.sequence);
      if (row.damage !== undefined) doubtful.push(row);
      else if (seen.has(row.id)) unread.add(row.id);
      else seen.add(row.id);
      return row.damage === undefined && !unread.has(row.id);
    });
  for (const [direction, sql] of NEXT.entries())
    for (let limit = PAGE, at = direction === 0 ? 0 : Number.MAX_SAFE_INTEGER; ; ) {
      const page = attempt(() => all(sql, at, limit).map(rowOf));
      if (page) yield fresh(page);
      const last = page?.at(-1)?.sequence;
      // Rows before the damage are read one by one.
      if (page === undefined && limit > 1) limit = 1;
      else if (page === undefined || last === undefined || last === at || page.length < limit) break;
      else at = last;
    }
  for (const [sequence, id] of ids) {
    if (numbers.has(sequence)) continue;
    const found = attempt(() => first(BY_NUMBER, sequence));
    if (found) yield fresh([rowOf(found)]);
    else if (!seen.has(id)) unread.add(id);
  }
  for (const row of doubtful) {
    if (row.id === '' || seen.has(row.id)) unread.add(ids.get(row.sequence) ?? `the row with the number ${row.sequence}`);
    else yield [row];
    seen.add(row.id);
  }
}

function readAll(connection: Connection, isDamaged: boolean, unread: Set<string>): MovedRows {
  const receipts = createReceipts(connection);
  const { first } = connection;

  /** Reads a part of the file. A part of a damaged file that cannot be read is named and left out. */
  function part<T>(name: string, read: () => T, nothing: T): T {
    try {
      return read();
    } catch (error) {
      if (!isDamaged) throw error;
      unread.add(name);
      return nothing;
    }
  }

  /** A row does not wait for one that stays behind. */
  function released(row: Row): Row {
    const waitsFor = row.blocked ? row.waitsFor : undefined;
    if (waitsFor === undefined) return row;
    const isThere = !unread.has(waitsFor) && part(waitsFor, () => first(`SELECT ${columns('1 AS there')} FROM outbox_rows WHERE id = ?`, waitsFor), undefined);
    return isThere ? row : { ...row, blocked: false };
  }

  return {
    *rows() {
      if (!isDamaged) for (const rows of plainRows(connection)) yield rows.map(keptFromSending);
      else for (const rows of readableRows(connection, unread)) yield rows.map(keptFromSending).map(released);
    },
    *receipts() {
      for (let from = 0; ; from += PAGE) {
        const lines = part(`the log of receipts from entry ${from} on`, () => receipts.read(from, PAGE), []);
        // A log has no gaps.
        const whole = lines.filter(({ index }, place) => index === from + place);
        if (whole.length > 0) yield whole;
        if (whole.length < PAGE) return;
      }
    },
    unlogged: part(
      'the order of the newest receipts',
      () => connection.all(`SELECT ${columns('sequence')} FROM outbox_rows INDEXED BY outbox_unlogged WHERE ended IS NOT NULL ORDER BY ended`),
      [],
    ).map(({ sequence }) => Number(sequence)),
    settings: part('the settings', () => connection.all(`SELECT ${columns('name, value')} FROM outbox_settings`), []).map(
      ({ name, value }) => [String(name), String(value)] as const,
    ),
    ...part('the decisions of the console', () => readDecisions(connection), { decisions: [], steps: [] }),
    destinations: part('the gateways and pauses', () => createDestinations(connection).outlook(0), []),
  };
}
