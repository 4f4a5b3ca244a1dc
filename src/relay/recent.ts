import type { LocationInput } from '../schema/location.js';
import type { Clock } from '../time.js';
import type { Answer } from './answers.js';

const LONGEST_MS = 600_000;
const MOST = 1_000;
const MOST_CHARACTERS = 4_000_000;

/** What is remembered of an event, so that its repetition has the same bytes. */
export interface Remembered {
  /** While it is on its way: who asks again waits for the same answer. */
  running?: Promise<Answer>;
  timestamp?: string;
  location?: LocationInput;
  /** The error of a report in doubt, for `resend`. */
  inDoubt?: unknown;
}

export interface Recent {
  get(key: string): Remembered | undefined;
  set(key: string, remembered: Remembered): void;
  forget(key: string): void;
}

/**
 * A page that loses an answer sends the same event again. The gateway takes other bytes under the same reference for a
 * conflict, so what the relay itself added (a time, a location that it looked up) has to be the same again. Ten minutes
 * and a thousand events are remembered, in memory.
 */
export function createRecent(clock: Clock): Recent {
  const entries = new Map<string, Remembered & { at: number }>();
  let characters = 0;
  const forget = (key: string) => {
    if (entries.delete(key)) characters -= key.length;
  };
  /** The oldest first, on its way or not: it ends all the same, and is only not waited for any more. */
  const forgetOld = (now: number) => {
    for (const [key, { at }] of entries) {
      if (entries.size <= MOST && characters <= MOST_CHARACTERS && now - at <= LONGEST_MS) return;
      forget(key);
    }
  };
  return {
    get(key) {
      forgetOld(clock.now());
      return entries.get(key);
    },
    set(key, remembered) {
      forget(key);
      entries.set(key, { ...remembered, at: clock.now() });
      characters += key.length;
      forgetOld(clock.now());
    },
    forget,
  };
}

/** The same for the same event of the same player. */
export const keyOf = (...parts: readonly string[]): string => JSON.stringify(parts);
