import type { Clock } from '../../../time.js';
import { codeOf, storeError } from './failure.js';

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
  query(text: string, values: PostgresValue[]): PromiseLike<{ readonly rows: readonly unknown[] }>;
}

/** A row as it comes: columns by name, each of them text that this store has made. */
export type Columns = Readonly<Record<string, string | null>>;

/** Sends a statement; rejects with the store's own error. */
export type Run = (text: string, values?: readonly PostgresValue[]) => Promise<readonly Columns[]>;

/** How often a statement is tried that the database took back because of another one. */
const MOST_TRIES = 5;
const FIRST_WAIT_MS = 5;

/** Sends a statement once, as part of a transaction that somebody else has begun. */
export const runWithin =
  ({ query }: { readonly query: PostgresDatabase['query'] }, place: string): Run =>
  async (text, values = []) => {
    try {
      return (await query(text, [...values])).rows as readonly Columns[];
    } catch (error) {
      throw storeError(place, error);
    }
  };

/**
 * Sends statements that are transactions of their own. One that was taken back whole (a deadlock, a serialization
 * failure) is sent again.
 */
export function createRun(database: PostgresDatabase, place: string, { clock, random }: { clock: Clock; random: () => number }): Run {
  const once = runWithin({ query: (text, values) => database.query(text, values) }, place);
  return async (text, values) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await once(text, values);
      } catch (error) {
        if (codeOf(error) !== 'conflict' || tries >= MOST_TRIES) throw error;
      }
      await new Promise<void>((resolve) => clock.setTimeout(resolve, FIRST_WAIT_MS * 2 ** tries * (0.5 + random() / 2)));
    }
  };
}
