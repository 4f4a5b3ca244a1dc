/** What is bound to a statement: text, so that no library has to guess a type. */
export type PostgresValue = string | null;

/**
 * Anything that sends a statement with its values to PostgreSQL: a pool or a client of `pg`, or a line of your own
 * around another library.
 *
 * @example
 * ```ts
 * // postgres.js; `sql` may be that of a transaction
 * const database = { query: async (text, values) => ({ rows: await sql.unsafe(text, values) }) };
 * ```
 */
export interface PostgresDatabase {
  /** Resolves with rows whose columns go by their names. The placeholders are `$1`, `$2` and so on. */
  query(
    text: string,
    values: PostgresValue[],
  ): PromiseLike<{
    /** What the statement returned, a row each. */
    readonly rows: readonly unknown[];
  }>;
}
