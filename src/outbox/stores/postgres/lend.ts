import type { PostgresDatabase, PostgresValue } from './types.js';

/** What is used of a client that a pool of `pg` lends. */
interface Lent extends PostgresDatabase {
  on(event: 'error', listener: () => void): unknown;
  removeListener(event: 'error', listener: () => void): unknown;
  /** Gives it back; with `true` it is closed instead. */
  release(destroy?: boolean): void;
}

/** What is used of a pool of `pg`. */
interface LendingPool extends PostgresDatabase {
  connect(): PromiseLike<Lent>;
}

/** Sends a statement. Once the signal aborts, nobody waits for the answer any more. */
export type SendStatement = (text: string, values: PostgresValue[], signal: AbortSignal) => PromiseLike<{ readonly rows: readonly unknown[] }>;

/** Whether something is a pool of `pg`: each of its statements may go over another connection. */
export const isPool = (database: object): database is LendingPool => {
  const { connect, totalCount } = database as { connect?: unknown; totalCount?: unknown };
  return typeof connect === 'function' && typeof totalCount === 'number';
};

/** Whether something is a client of `pg` which says that it is idle outside a transaction. Other libraries, and `pg` before 8.21, do not say. */
export const isOutsideTransaction = (database: object): boolean => {
  const { getTransactionStatus } = database as { getTransactionStatus?: unknown };
  try {
    return typeof getTransactionStatus === 'function' && getTransactionStatus.call(database) === 'I';
  } catch {
    // The native client has it, and asks a binding that may not.
    return false;
  }
};

/**
 * How statements are sent. With a pool of `pg`, a connection whose answer is not waited for any more is closed: `query` of
 * the pool would keep it lent for as long as it is silent, until none is left; and it would still send what has waited too
 * long for a connection.
 */
export const sender = (database: PostgresDatabase): SendStatement => (isPool(database) ? overPool(database) : (text, values) => database.query(text, values));

const overPool =
  (pool: LendingPool): SendStatement =>
  async (text, values, signal) => {
    const client = await pool.connect();
    // It tells of its end by an event, and what is sent over it rejects as well.
    const heard = () => {};
    client.on('error', heard);
    let isLent = true;
    const giveBack = (destroy: boolean) => {
      if (!isLent) return;
      isLent = false;
      client.release(destroy);
      client.removeListener('error', heard);
    };
    const close = () => giveBack(true);
    signal.addEventListener('abort', close);
    try {
      signal.throwIfAborted();
      const result = await client.query(text, values);
      giveBack(false);
      return result;
    } catch (error) {
      // Unused, where it came too late; else in a state that nobody knows.
      giveBack(!signal.aborted);
      throw error;
    } finally {
      signal.removeEventListener('abort', close);
    }
  };
