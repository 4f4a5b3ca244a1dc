import { type Clock, withTimeout } from '../../../platform/time.js';
import { asPostgresError, postgresCodeOf, postgresError } from './failure.js';
import { sender } from './lend.js';
import type { PostgresDatabase, PostgresValue } from './types.js';

export type { PostgresDatabase, PostgresValue };

/** A row of a result: columns by name, each as text. */
export type Columns = Readonly<Record<string, string | null>>;

/** Sends a statement. Rejects with the store's own error. */
export type Run = (text: string, values?: readonly PostgresValue[]) => Promise<readonly Columns[]>;

/** The number of tries of a statement that the database rolled back because of another one. */
const MOST_TRIES = 5;
const FIRST_WAIT_MS = 5;

/** The time limit of a statement. */
export interface Patience {
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** Sends a statement once, within a transaction that the caller has begun. Without `patience`, without a time limit. */
export function runWithin(database: PostgresDatabase, place: string, patience?: Patience): Run {
  const send = (text: string, values: readonly PostgresValue[] = []) => sendOnce((...given) => database.query(...given), place, text, values);
  const more = '; the connection of your transaction may never answer: close it, as release(true) of pg does, instead of returning it to the pool';
  return patience ? (text, values) => inTime(() => send(text, values), place, patience, more) : send;
}

/**
 * Sends statements that are separate transactions. A statement that was rolled back (a deadlock, a serialization failure) is sent
 * again, within the time limit.
 */
export function createRun(database: PostgresDatabase, place: string, { random, ...patience }: Patience & { random: () => number }): Run {
  const send = sender(database);

  async function repeat(text: string, values: readonly PostgresValue[], signal: AbortSignal): Promise<readonly Columns[]> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await sendOnce((...given) => send(...given, signal), place, text, values);
      } catch (error) {
        if (postgresCodeOf(error) !== 'conflict' || tries >= MOST_TRIES || signal.aborted) throw error;
      }
      await new Promise<void>((resolve) => patience.clock.setTimeout(resolve, FIRST_WAIT_MS * 2 ** tries * (0.5 + random() / 2)));
      signal.throwIfAborted();
    }
  }

  return (text, values = []) => inTime((signal) => repeat(text, values, signal), place, patience);
}

async function sendOnce(query: PostgresDatabase['query'], place: string, text: string, values: readonly PostgresValue[]): Promise<readonly Columns[]> {
  try {
    return (await query(text, [...values])).rows as readonly Columns[];
  } catch (error) {
    throw asPostgresError(place, error);
  }
}

/** Ends a wait at the time limit, since a cut connection gives no error. */
async function inTime<T>(work: (signal: AbortSignal) => Promise<T>, place: string, { clock, timeoutMs }: Patience, more = ''): Promise<T> {
  const answer = await withTimeout(work, { clock, milliseconds: timeoutMs });
  if (answer.ended === 'done') return answer.value;
  throw answer.ended === 'failed' ? answer.error : postgresError('timeout', place, undefined, `${more} (timeoutMs: ${timeoutMs})`);
}
