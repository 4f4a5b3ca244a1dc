/** What is bound to a statement. */
export type SqliteValue = string | number | null;

/** A prepared statement, as all three have it. */
interface SqliteStatement {
  /** Of `node:sqlite`, which otherwise throws for a number above 2^53. */
  setReadBigInts?(enabled: boolean): void;
  run(...values: SqliteValue[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint };
  get(...values: SqliteValue[]): unknown;
  all(...values: SqliteValue[]): unknown[];
}

/** A connection, as `node:sqlite`, `libsql` and `better-sqlite3` have it. It answers at once, not with promises. */
export interface SqliteDatabase {
  /** Runs statements that give nothing back. */
  exec(sql: string): unknown;
  /** Returns a statement with `run`, `get` and `all`, which take values in their order; each library has types of its own for it. */
  prepare(sql: string): object;
  /** Closes the file. */
  close(): unknown;
}

/** Opens a file with a library of the user's choice. */
export type OpenDatabase = (file: string) => SqliteDatabase;

/** A row as it comes from SQLite: columns by name. */
export type Columns = Readonly<Record<string, unknown>>;

/** A connection whose statements are prepared once. */
export interface Connection {
  readonly database: SqliteDatabase;
  first(sql: string, ...values: SqliteValue[]): Columns | undefined;
  all(sql: string, ...values: SqliteValue[]): Columns[];
  /** Returns how many rows it changed. */
  run(sql: string, ...values: SqliteValue[]): number;
  /** Returns the number of the row, or undefined where it was there already. */
  insert(sql: string, ...values: SqliteValue[]): number | undefined;
  /** Drops the statements: libsql keeps a closed file open until they are garbage-collected. */
  forget(): void;
}

/** Reads with a statement. A number above 2^53 is the damage of one row, which must not keep the others from being read. */
function read<T>(statement: SqliteStatement, work: () => unknown): T {
  try {
    return work() as T;
  } catch (error) {
    if (!statement.setReadBigInts || (error as NodeJS.ErrnoException).code !== 'ERR_OUT_OF_RANGE') throw error;
    statement.setReadBigInts(true);
    try {
      return work() as T;
    } finally {
      statement.setReadBigInts(false);
    }
  }
}

/** Every text of a statement here is fixed, or one of a few: the statements that are kept are few, too. */
export function connect(database: SqliteDatabase): Connection {
  const statements = new Map<string, SqliteStatement>();
  const prepared = (sql: string): SqliteStatement => {
    const known = statements.get(sql);
    if (known) return known;
    const statement = database.prepare(sql) as SqliteStatement;
    statements.set(sql, statement);
    return statement;
  };
  return {
    database,
    first(sql, ...values) {
      const statement = prepared(sql);
      return read(statement, () => statement.get(...values));
    },
    all(sql, ...values) {
      const statement = prepared(sql);
      return read(statement, () => statement.all(...values));
    },
    run: (sql, ...values) => Number(prepared(sql).run(...values).changes),
    insert: (sql, ...values) => {
      const { changes, lastInsertRowid } = prepared(sql).run(...values);
      return Number(changes) === 0 ? undefined : Number(lastInsertRowid);
    },
    forget: () => statements.clear(),
  };
}

/** The name of a file within a connection that has it attached, under a symbol: only `openAttached` makes one. */
export const SCHEMA: unique symbol = Symbol('location-sdk.schema');

/** The name of the outbox's file within a connection. */
export const schemaOf = (database: SqliteDatabase): string => (database as { readonly [SCHEMA]?: string })[SCHEMA] ?? 'main';

/** The answer of a pragma about the outbox's file. */
export function pragma(database: SqliteDatabase, text: string): unknown {
  const answer = (database.prepare(`PRAGMA ${schemaOf(database)}.${text}`) as SqliteStatement).get() as Columns | undefined;
  return answer && Object.values(answer)[0];
}

/** Whether a connection says that no transaction is open on it: `libsql` and `better-sqlite3`, and `node:sqlite` from Node.js 22.16 on. */
export function isOutsideTransaction(database: SqliteDatabase): boolean {
  const { inTransaction, isTransaction } = database as { inTransaction?: unknown; isTransaction?: unknown };
  return inTransaction === false || isTransaction === false;
}

/** Takes a transaction back; where SQLite has done so itself, as it does when the disk is full, there is nothing to do. */
export function rollBack(database: SqliteDatabase, text = 'ROLLBACK'): void {
  try {
    database.exec(text);
  } catch {
    // There is none any more.
  }
}
