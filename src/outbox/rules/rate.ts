/**
 * The rate that a destination has learned from its 429. All workers of a store share it. It is that of a cubic curve:
 * it returns to `perSecond`, stays near it, and then grows faster and faster until it is forgotten.
 */
export interface LearnedRate {
  /** Reports per second, slightly below the rate that was refused. */
  readonly perSecond: number;
  /** The milliseconds after which the curve is at `perSecond` again. */
  readonly spanMs: number;
}

/** A learned rate as a store has read it, by its own clock. */
export interface KeptRate extends LearnedRate {
  /** Milliseconds since it was learned. */
  readonly ageMs: number;
}

/** A part of `perSecond`: the first rate after a 429 is lower by it. */
const DIP = 0.01;
/** A rate that has grown to this multiple without a 429 is forgotten. */
const FORGOTTEN = 16;
const LEAST_PER_SECOND = 1;
const FIRST_SPAN_MS = 1_000;
const LONGEST_SPAN_MS = 60_000;
/** A longer wait than this one ends a window of a minute. */
const SHORT_WAIT_MS = 2_000;
/** After a shorter time without a 429 the rate was much too high. */
const SOON_MS = 10_000;

/** Reports per second that a learned rate allows now. Undefined: it is forgotten, or its numbers are damaged. */
export function learnedNow({ perSecond, spanMs, ageMs }: KeptRate): number | undefined {
  const factor = 1 + DIP * ((Math.max(0, ageMs) - spanMs) / spanMs) ** 3;
  return perSecond > 0 && factor < FORGOTTEN ? Math.max(LEAST_PER_SECOND, perSecond * factor) : undefined;
}

/** The facts at the first 429 of a pause. */
export interface Throttling {
  /** The rate in force. Undefined: none. */
  readonly perSecond: number | undefined;
  /** The rate that was learned before. */
  readonly kept: KeptRate | undefined;
  /** Milliseconds since the end of the pause before. */
  readonly sentMs: number;
  /** Milliseconds until the gateway takes reports again. */
  readonly waitMs: number;
  /** The number of reports that this worker has seen answered in the last milliseconds. */
  answeredIn(milliseconds: number): number;
}

/** The number of workers that is assumed before they share a rate. */
const WORKERS = 2;

/**
 * The rate after a 429. Without a rate in force, it is what this worker saw answered, for two workers. If there are
 * more, the first curve rises within seconds. Each further 429 soon after makes the curve longer.
 */
export function learn({ perSecond, kept, sentMs, waitMs, answeredIn }: Throttling): LearnedRate {
  const windowMs = waitMs > SHORT_WAIT_MS ? 60_000 : 1_000;
  // A gateway that counts in windows of a second answers "in 1 s" also if the rest of the window is shorter.
  const cycleMs = Math.max(1_000, sentMs + waitMs - 1_000);
  const accepted =
    perSecond === undefined ? (WORKERS * answeredIn(windowMs) * 1_000) / windowMs : (perSecond * sentMs) / cycleMs;
  const longer = (kept?.spanMs ?? FIRST_SPAN_MS) * (sentMs < SOON_MS ? 3 : 4);
  const spanMs = perSecond === undefined ? FIRST_SPAN_MS : Math.max(FIRST_SPAN_MS, longer, waitMs);
  return {
    perSecond: Math.max(LEAST_PER_SECOND, accepted * (sentMs >= SOON_MS ? 0.99 : spanMs < SOON_MS ? 0.95 : 0.98)),
    spanMs: Math.min(LONGEST_SPAN_MS, spanMs),
  };
}

/** The slots of all workers of a destination, in microseconds by the store's clock. */
export interface Slots {
  /** The first slot that is free. */
  readonly next: number;
  readonly now: number;
}

/** A slot that is further ahead shows that the clock has jumped. */
export const FARTHEST_SLOT = 600_000_000;

/** The microseconds that a number of slots take. */
export const slotsLong = (count: number, perSecond: number): number => Math.ceil((count * 1_000_000) / perSecond);

/** The first of the slots that are taken, and the next free one. Slots in the past are lost: no burst follows a quiet time. */
export function takeSlots({ next, now }: Slots, long: number): { readonly first: number; readonly next: number } {
  const first = next >= now && next <= now + FARTHEST_SLOT ? next : now;
  return { first, next: first + long };
}
