import { ConfigurationError } from '../../../core/errors/errors.js';

export type SqliteValue = string | number | null;

/** A prepared statement of any of the three libraries, with the methods that undo a setting of its connection. */
interface SqliteStatement {
  run(...values: SqliteValue[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint };
  get(...values: SqliteValue[]): unknown;
  all(...values: SqliteValue[]): unknown[];
  setReadBigInts?(enabled: boolean): unknown;
  setReturnArrays?(enabled: boolean): unknown;
  safeIntegers?(enabled: boolean): unknown;
}

/** A synchronous connection of `node:sqlite`, `@photostructure/sqlite` or `better-sqlite3`. */
export interface SqliteDatabase {
  /** Runs statements without a result. */
  exec(sql: string): unknown;
  /**
   * Returns a statement with `run`, `get` and `all`, which take values in order. Each library has its own types for it.
   */
  prepare(sql: string): object;
  /** Closes the file. */
  close(): unknown;
}

/** A function that opens a file with a library of the user's choice. */
export type OpenDatabase = (file: string) => SqliteDatabase;

export type Columns = Readonly<Record<string, unknown>>;

export interface Connection {
  readonly database: SqliteDatabase;
  first<One extends object = Columns>(sql: string, ...values: SqliteValue[]): One | undefined;
  all<One extends object = Columns>(sql: string, ...values: SqliteValue[]): One[];
  /** Returns the number of changed rows. */
  run(sql: string, ...values: SqliteValue[]): number;
  /** Returns the number of the new row. Undefined if the row existed. */
  insert(sql: string, ...values: SqliteValue[]): number | undefined;
  /** Drops the statements: `@photostructure/sqlite` keeps a closed file open until they are garbage-collected. */
  forget(): void;
}

/** Prepares a statement whose rows are objects of numbers and texts; settings of the connection do not matter. */
function prepare(database: SqliteDatabase, sql: string): SqliteStatement {
  const statement = database.prepare(sql) as SqliteStatement;
  statement.setReadBigInts?.(false);
  statement.setReturnArrays?.(false);
  statement.safeIntegers?.(false);
  return statement;
}

/**
 * Throws unless statements take values in order, and return at once what the store reads: a row as an object of numbers
 * and texts, and the number of changed rows. Otherwise it might accept reports that it cannot send.
 */
export function ensureReadable(database: SqliteDatabase): void {
  try {
    const row = prepare(database, 'SELECT 1 AS whole, ? AS number, ? AS text').get(2, '3') as Columns | undefined;
    const began = prepare(database, 'SAVEPOINT location_sdk').run();
    database.exec('RELEASE location_sdk');
    if (row?.whole === 1 && row.number === 2 && row.text === '3' && Number.isInteger(Number(began.changes))) return;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  throw new ConfigurationError(
    'sqliteStore: the connection does not answer as node:sqlite, @photostructure/sqlite and better-sqlite3 do: at once, and with an object of columns for a row. Nothing was stored. Pass the connection itself. A wrapper must return numbers (no bigint) and texts.',
  );
}

/**
 * Makes a connection that keeps its prepared statements. The store uses only a few different texts, so it keeps few
 * statements.
 */
export function connect(database: SqliteDatabase): Connection {
  const statements = new Map<string, SqliteStatement>();
  const prepared = (sql: string): SqliteStatement => {
    const known = statements.get(sql);
    if (known) return known;
    const statement = prepare(database, sql);
    statements.set(sql, statement);
    return statement;
  };
  return {
    database,
    first: <One>(sql: string, ...values: SqliteValue[]) => prepared(sql).get(...values) as One | undefined,
    all: <One>(sql: string, ...values: SqliteValue[]) => prepared(sql).all(...values) as One[],
    run: (sql, ...values) => Number(prepared(sql).run(...values).changes),
    insert: (sql, ...values) => {
      const { changes, lastInsertRowid } = prepared(sql).run(...values);
      return Number(changes) === 0 ? undefined : Number(lastInsertRowid);
    },
    forget: () => statements.clear(),
  };
}

/** The member that holds the name of an attached file within its connection. Only `openAttached` sets it. */
export const SCHEMA: unique symbol = Symbol('location-sdk.schema');

/** The name of the outbox's file within a connection. */
export const schemaOf = (database: SqliteDatabase): string =>
  (database as { readonly [SCHEMA]?: string })[SCHEMA] ?? 'main';

export function pragma(database: SqliteDatabase, text: string): unknown {
  const answer = prepare(database, `PRAGMA ${schemaOf(database)}.${text}`).get() as Columns | undefined;
  return answer && Object.values(answer)[0];
}

/** Whether a connection reports that it has no open transaction. `node:sqlite` reports this from Node.js 22.16 on. */
export function isOutsideTransaction(database: SqliteDatabase): boolean {
  const { inTransaction, isTransaction } = database as { inTransaction?: unknown; isTransaction?: unknown };
  return inTransaction === false || isTransaction === false;
}

/** The file of a connection. Empty for a database in memory or a temporary one. */
export function fileOf(database: SqliteDatabase): string {
  const databases = prepare(database, 'PRAGMA database_list').all() as Columns[];
  return String(databases.find(({ name }) => name === schemaOf(database))?.file ?? '');
}

export function rollBack(database: SqliteDatabase, text = 'ROLLBACK'): void {
  try {
    database.exec(text);
  } catch {
    // SQLite has already rolled it back.
  }
}
