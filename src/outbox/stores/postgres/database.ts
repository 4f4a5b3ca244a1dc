import { type Clock, withTimeout } from '../../../core/platform/time.js';
import { type Columns, type PostgresValue, sendOver } from './driver.js';
import { asPostgresError, postgresCodeOf, postgresError, serverOf } from './failure.js';
import { inSchema } from './schema/name.js';

/** Sends a statement, which names the schema of the store `schema`. Rejects with the store's own error. */
export type Run = (text: string, values?: readonly PostgresValue[]) => Promise<readonly Columns[]>;

type Query = (text: string, values: readonly PostgresValue[]) => Promise<readonly Columns[]>;

/** The number of tries of a statement that the database rolled back because of another one. */
const MOST_TRIES = 5;
const FIRST_WAIT_MS = 5;

export interface TimeLimit {
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/**
 * Sends a statement once, within a transaction that the caller has begun. Without `timeLimit`, it waits without an end.
 */
export function runWithin(database: object, schema: string, timeLimit?: TimeLimit): Run {
  const send = (text: string, values: readonly PostgresValue[] = []) =>
    sendOnce((...given) => sendOver(database, ...given), database, schema, text, values);
  const more =
    '; the connection of your transaction may never answer: close it, as release(true) of pg does, instead of returning it to the pool';
  return timeLimit ? (text, values) => inTime(() => send(text, values), schema, timeLimit, more) : send;
}

/**
 * Sends statements that are separate transactions. A statement that was rolled back (a deadlock, a serialization
 * failure) is sent again, within the time limit.
 */
export function createRun(database: object, schema: string, timeLimit: TimeLimit): Run {
  const query =
    (signal: AbortSignal): Query =>
    (text, values) =>
      isPool(database) ? queryPool(database, text, values, signal) : sendOver(database, text, values);

  async function repeat(
    text: string,
    values: readonly PostgresValue[],
    signal: AbortSignal,
  ): Promise<readonly Columns[]> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await sendOnce(query(signal), database, schema, text, values);
      } catch (error) {
        if (postgresCodeOf(error) !== 'conflict' || tries >= MOST_TRIES || signal.aborted) throw error;
      }
      await new Promise<void>((resolve) =>
        timeLimit.clock.setTimeout(resolve, FIRST_WAIT_MS * 2 ** tries * (0.5 + Math.random() / 2)),
      );
      signal.throwIfAborted();
    }
  }

  return (text, values = []) => inTime((signal) => repeat(text, values, signal), schema, timeLimit);
}

async function sendOnce(
  query: Query,
  database: object,
  schema: string,
  text: string,
  values: readonly PostgresValue[],
): Promise<readonly Columns[]> {
  try {
    return await query(inSchema(schema, text), values);
  } catch (error) {
    throw asPostgresError(schema, error, serverOf(database));
  }
}

/** Ends a wait at the time limit, since a cut connection gives no error. */
async function inTime<T>(
  work: (signal: AbortSignal) => Promise<T>,
  schema: string,
  { clock, timeoutMs }: TimeLimit,
  more = '',
): Promise<T> {
  const answer = await withTimeout(work, { clock, milliseconds: timeoutMs });
  if (answer.ended === 'done') return answer.value;
  throw answer.ended === 'failed'
    ? answer.error
    : postgresError('timeout', schema, undefined, `${more} (timeoutMs: ${timeoutMs})`);
}

interface Lent {
  on(event: 'error', listener: () => void): unknown;
  removeListener(event: 'error', listener: () => void): unknown;
  /** Returns it to the pool. With `true`: closes it. */
  release(destroy?: boolean): void;
}

interface LendingPool {
  connect(): PromiseLike<Lent>;
}

/** Whether a value is a pool of `pg`. A pool may use another connection for each statement. */
export const isPool = (database: object): database is LendingPool => {
  const { connect, totalCount } = database as { connect?: unknown; totalCount?: unknown };
  return typeof connect === 'function' && typeof totalCount === 'number';
};

/**
 * What a client of `pg` reports of its transaction: `'I'` if none is open. Undefined if it is unknown: other libraries,
 * and `pg` before 8.21, do not report it.
 */
export function transactionStatus(database: object): unknown {
  const { getTransactionStatus } = database as { getTransactionStatus?: unknown };
  try {
    return typeof getTransactionStatus === 'function' ? getTransactionStatus.call(database) : undefined;
  } catch {
    // The native client has the method, but its binding may not.
    return undefined;
  }
}

/**
 * Sends a statement over a connection of a pool of `pg`. If it times out, it closes the connection. `query` of the pool
 * would keep the silent connection, until the pool has none left. It would also send a statement that has timed out
 * while it waited for a connection.
 */
async function queryPool(pool: LendingPool, text: string, values: readonly PostgresValue[], signal: AbortSignal) {
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
    const result = await sendOver(client, text, values);
    giveBack(false);
    return result;
  } catch (error) {
    // After an abort before the query, the connection is unused. After an error of the query, its state is unknown,
    // so it is closed.
    giveBack(!signal.aborted);
    throw error;
  } finally {
    signal.removeEventListener('abort', close);
  }
}
