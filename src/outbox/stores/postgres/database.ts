import { type Clock, withTimeout } from '../../../platform/time.js';
import { asPostgresError, postgresCodeOf, postgresError } from './failure.js';
import { sender } from './lend.js';
import type { PostgresDatabase, PostgresValue } from './types.js';

export type { PostgresDatabase, PostgresValue };

/** A row as it comes: columns by name, each of them text that this store has made. */
export type Columns = Readonly<Record<string, string | null>>;

/** Sends a statement; rejects with the store's own error. */
export type Run = (text: string, values?: readonly PostgresValue[]) => Promise<readonly Columns[]>;

/** How often a statement is tried that the database took back because of another one. */
const MOST_TRIES = 5;
const FIRST_WAIT_MS = 5;

/** How long an answer is waited for. */
export interface Patience {
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** Sends a statement once, as part of a transaction that somebody else has begun; without `patience` for as long as it takes. */
export function runWithin(database: PostgresDatabase, place: string, patience?: Patience): Run {
  const send = (text: string, values: readonly PostgresValue[] = []) => sendOnce((...given) => database.query(...given), place, text, values);
  const more = '; that of your transaction may be silent for good: close its connection, as release(true) of pg does, instead of giving it back';
  return patience ? (text, values) => inTime(() => send(text, values), place, patience, more) : send;
}

/**
 * Sends statements that are transactions of their own. One that was taken back whole (a deadlock, a serialization
 * failure) is sent again, as long as there is time.
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

/** A connection that was cut off on the way does not say so. */
async function inTime<T>(work: (signal: AbortSignal) => Promise<T>, place: string, { clock, timeoutMs }: Patience, more = ''): Promise<T> {
  const answer = await withTimeout(work, { clock, milliseconds: timeoutMs });
  if (answer.ended === 'done') return answer.value;
  throw answer.ended === 'failed' ? answer.error : postgresError('timeout', place, undefined, `${more} (waited for ${timeoutMs} ms)`);
}
