import type { PostgresDatabase, PostgresValue } from './types.js';

/** The methods of a client from a pool of `pg` that are used. */
interface Lent extends PostgresDatabase {
  on(event: 'error', listener: () => void): unknown;
  removeListener(event: 'error', listener: () => void): unknown;
  /** Returns it to the pool. With `true`: closes it. */
  release(destroy?: boolean): void;
}

/** The method of a pool of `pg` that is used. */
interface LendingPool extends PostgresDatabase {
  connect(): PromiseLike<Lent>;
}

/** Sends a statement. When the signal aborts, the caller no longer waits for the answer. */
export type SendStatement = (text: string, values: PostgresValue[], signal: AbortSignal) => PromiseLike<{ readonly rows: readonly unknown[] }>;

/** Whether a value is a pool of `pg`. A pool may use another connection for each statement. */
export const isPool = (database: object): database is LendingPool => {
  const { connect, totalCount } = database as { connect?: unknown; totalCount?: unknown };
  return typeof connect === 'function' && typeof totalCount === 'number';
};

/** Whether a client of `pg` reports that it has no open transaction. Other libraries, and `pg` before 8.21, do not report it. */
export const isOutsideTransaction = (database: object): boolean => {
  const { getTransactionStatus } = database as { getTransactionStatus?: unknown };
  try {
    return typeof getTransactionStatus === 'function' && getTransactionStatus.call(database) === 'I';
  } catch {
    // The native client has the method, but its binding may not.
    return false;
  }
};

/**
 * Makes the function that sends statements. With a pool of `pg`, a statement that timed out closes its connection. `query` of the
 * pool would keep the silent connection, until the pool has none left. It would also send a statement that has timed out while it
 * waited for a connection.
 */
export const sender = (database: PostgresDatabase): SendStatement => (isPool(database) ? overPool(database) : (text, values) => database.query(text, values));

const overPool =
  (pool: LendingPool): SendStatement =>
  async (text, values, signal) => {
    const client = await pool.connect();
    // A broken connection emits an error event, which must have a listener. The statement rejects, too.
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
      // After an abort before the query, the connection is unused. After an error of the query, its state is unknown, so it is closed.
      giveBack(!signal.aborted);
      throw error;
    } finally {
      signal.removeEventListener('abort', close);
    }
  };
