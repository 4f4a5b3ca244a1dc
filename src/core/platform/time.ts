import { unlessThrown } from './unless-thrown.js';
import type { AbortSignalLike } from './web-types.js';

/**
 * The clock that the SDK uses for times and waits. Pass your own to `createClient({ clock })` to test without waiting.
 */
export interface Clock {
  /** Milliseconds since 1970, like `Date.now()`. */
  now(): number;
  /** Calls back once, after this number of milliseconds. */
  setTimeout(callback: () => void, milliseconds: number): unknown;
  /** Cancels that call. */
  clearTimeout(timer: unknown): void;
}

export const systemClock: Clock = {
  // Another script may have replaced Date.now, by one that throws or returns a Date.
  now: () => Number(unlessThrown(() => Number(Date.now())) ?? new Date()),
  setTimeout: (callback, milliseconds) => setTimeout(callback, milliseconds),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** The longest time that a timer can hold. A longer one would fire at once. */
export const LONGEST_TIMER_MS = 2_147_483_647;

export interface Limit {
  /** Measures the time. */
  clock: Clock;
  /** The limit for the work. */
  milliseconds: number;
  /** The option that sets it, for messages. */
  option?: string;
  /** The caller's signal. Its reason is never read, since it may contain any data. */
  signal?: AbortSignalLike | undefined;
}

interface Abortable {
  abort(): void;
}

export type TimedResult<T> =
  | { ended: 'done'; value: T }
  | { ended: 'failed'; error: unknown }
  | { ended: 'timeout' }
  | { ended: 'aborted' };

interface Listening {
  readonly heard: () => void;
  readonly callbacks: Set<() => void>;
}

const listening = new WeakMap<AbortSignalLike, Listening>();

function listenTo(signal: AbortSignalLike): Listening {
  const callbacks = new Set<() => void>();
  const heard = () => {
    for (const callback of [...callbacks]) callback();
  };
  signal.addEventListener('abort', heard);
  return { heard, callbacks };
}

/**
 * Calls back when a signal is aborted, until the returned function is called. All calls that share a signal use one
 * listener: Node.js warns of a leak above ten. Errors of the signal are thrown.
 */
function onAbort(signal: AbortSignalLike, callback: () => void): () => void {
  const shared = listening.get(signal) ?? listenTo(signal);
  const { heard, callbacks } = shared;
  listening.set(signal, shared);
  callbacks.add(callback);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size > 0) return;
    listening.delete(signal);
    signal.removeEventListener('abort', heard);
  };
}

/**
 * Runs `work` until it settles, times out or is cancelled by the caller, whichever comes first, and settles once with
 * that result. `work` gets a signal that is aborted in the last two cases. Work that ignores it continues, and its
 * later result is dropped.
 */
export function withTimeout<T>(
  work: (signal: AbortSignal) => T | PromiseLike<T>,
  limit: Limit,
): Promise<TimedResult<T>>;
/** For work with its own `abort`: the platform's signal costs more than the rest of a limit. */
export function withTimeout<T>(
  work: () => T | PromiseLike<T>,
  limit: Limit,
  controller: Abortable,
): Promise<TimedResult<T>>;
export function withTimeout<T>(
  work: (signal: AbortSignal) => T | PromiseLike<T>,
  limit: Limit,
  controller: Abortable = new AbortController(),
): Promise<TimedResult<T>> {
  const { clock, signal } = limit;
  return new Promise((resolve) => {
    let timer: unknown;
    let stopListening: (() => void) | undefined;
    let isOver = false;
    // Only once: a later failure of the work must not clear the timer or listener of another call.
    const end = (result: TimedResult<T>): void => {
      if (isOver) return;
      isOver = true;
      // First of all, so that a clock or a signal that throws cannot keep the caller waiting.
      resolve(result);
      if (result.ended === 'timeout' || result.ended === 'aborted') controller.abort();
      try {
        clock.clearTimeout(timer);
        stopListening?.();
      } catch {
        // Thrown inside a timer, the error would end the process, and the caller has the result already.
      }
    };
    const abort = () => end({ ended: 'aborted' });
    // Read before anything is started, since it may throw.
    const aborted = signal?.aborted;
    timer = clock.setTimeout(() => end({ ended: 'timeout' }), Math.max(0, limit.milliseconds));
    if (aborted) return abort();
    try {
      stopListening = signal && onAbort(signal, abort);
    } catch (error) {
      clock.clearTimeout(timer);
      throw error;
    }
    // A timer that calls back at once.
    if (isOver) return stopListening?.();
    const fail = (error: unknown) => end({ ended: 'failed', error });
    try {
      Promise.resolve(work((controller as AbortController).signal)).then(
        (value) => end({ ended: 'done', value }),
        fail,
      );
    } catch (error) {
      fail(error);
    }
  });
}

/** A hundred years: a longer time is a mistake, and may be infinite. */
const LONGEST_WAIT_MS = 3e12;

/**
 * A `Retry-After` header in whole milliseconds: seconds, as some limiters send them with a fraction, or an HTTP date.
 * Undefined if it is neither.
 */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  const value = header?.trim() ?? '';
  if (/^[0-9]+(?:\.[0-9]*)?$/.test(value)) return Math.min(Math.ceil(Number(value) * 1000), LONGEST_WAIT_MS);
  if (!/^[A-Za-z]{3,9},? /.test(value)) return undefined;
  // The oldest of the three forms of an HTTP date has no zone: it is GMT, too.
  const date = new Date(/ [0-9]{4}$/.test(value) ? `${value} GMT` : value).getTime();
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

export interface BackoffSettings {
  baseMs: number;
  capMs: number;
}

/**
 * The wait after a failed attempt (the first is 1): exponential with full jitter, so that clients which failed together
 * do not retry together.
 */
export const backoffMs = (attempt: number, { baseMs, capMs }: BackoffSettings, random: () => number): number =>
  random() * Math.min(capMs, baseMs * 2 ** (attempt - 1));

export const DAY_MS = 86_400_000;

const UNITS = [
  ['d', DAY_MS],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** A length of time in its largest unit, rounded down: 3 and `h`. */
export function inLargestUnit(milliseconds: number): {
  readonly count: number;
  readonly unit: (typeof UNITS)[number][0];
} {
  const positive = Math.max(0, milliseconds);
  const [unit, size] = UNITS.find(([, length]) => positive >= length) ?? UNITS[3];
  return { count: Math.floor(positive / size), unit };
}
