/** A value that is bound to a statement. It is text, so that no library must guess a type. */
export type PostgresValue = string | null;

/**
 * An object that sends a statement with its values to PostgreSQL: a pool or a client of `pg`, or your own line of code around
 * another library.
 *
 * @example
 * ```ts
 * // postgres.js; `sql` may be that of a transaction
 * const database = { query: async (text, values) => ({ rows: await sql.unsafe(text, values) }) };
 * ```
 */
export interface PostgresDatabase {
  /** Sends a statement with the placeholders `$1`, `$2` and so on. Resolves with rows as objects, whose members are the columns. */
  query(
    text: string,
    values: PostgresValue[],
  ): PromiseLike<{
    /** The rows of the result. */
    readonly rows: readonly unknown[];
  }>;
}
