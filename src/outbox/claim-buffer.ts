import type { Clock } from '../platform/time.js';
import { type Destination, keyOf } from './destination.js';
import { claimsAhead } from './plan.js';
import type { Ending } from './state-machine.js';

/** Attempts a claimed row and says how that ended, where it did. Too late, the row is given back unsent. Must not reject. */
export type Work = (isTooLate: boolean) => Promise<Ending | undefined>;

interface Waiting {
  readonly work: Work;
  readonly since: number;
}

/** What was claimed ahead waits no longer than this, in milliseconds: then the gateway has become slow, and others may have it. */
const LONGEST_MS = 1_000;
/** Of how much weight the last attempt is in the time that they take. */
const WEIGHT = 1 / 8;

/**
 * Stands between the claims and the attempts: so many are sent at once, in the order in which they were claimed, and a
 * few more are claimed ahead, so that the next need not wait for a commit.
 */
export function createClaimBuffer({ concurrency, clock, isStopping }: { concurrency: number; clock: Clock; isStopping: () => boolean }) {
  const waiting: Waiting[] = [];
  const heldBack = new Map<string, number>();
  let running = 0;
  let turns = 0;
  /** How long an attempt takes; undefined while that is not known. */
  let tookMs: number | undefined;
  let endedAt = Number.NaN;

  /** A clock that throws must not take a place with it. */
  const now = (): number => {
    try {
      return clock.now();
    } catch {
      return Number.NaN;
    }
  };
  const isWithin = (milliseconds: number): boolean => milliseconds >= 0 && milliseconds <= LONGEST_MS;

  async function attempt({ work, since }: Waiting): Promise<void> {
    const began = now();
    const ending = await work(isStopping() || !isWithin(began - since));
    endedAt = now();
    const took = endedAt - began;
    const wasSent = ending?.kind === 'recorded' || (ending !== undefined && ending.counts !== false);
    if (wasSent) tookMs = took >= 0 ? (tookMs ?? took) * (1 - WEIGHT) + took * WEIGHT : undefined;
  }

  async function run(first: Waiting): Promise<void> {
    running += 1;
    for (let next: Waiting | undefined = first; next; next = waiting.shift()) await attempt(next);
    running -= 1;
  }

  return {
    /** How many rows may be claimed and not yet written back. */
    places: (): number => concurrency + claimsAhead(concurrency, tookMs),
    /** Whether an attempt that ends makes place for one that is claimed already. */
    hasMore: (): boolean => waiting.length > 0,
    /** A turn begins; returns its number. */
    turn(): number {
      turns += 1;
      // What was so before a rest says nothing of now.
      if (running === 0 && !isWithin(now() - endedAt)) tookMs = undefined;
      return turns;
    },
    /** Attempts a claimed row, now or when its turn has come. */
    attempt(work: Work): void {
      const claimed = { work, since: now() };
      if (running < concurrency) void run(claimed);
      else waiting.push(claimed);
    },
    /** Where a destination pauses: what was claimed for it, and is not yet being sent, is not to be. */
    holdBack(destination: Destination): void {
      heldBack.set(keyOf(destination), turns);
    },
    /** Whether that concerns what was claimed for it in a turn. */
    isHeldBack: (destination: Destination, turn: number | undefined): boolean => turn !== undefined && turn <= (heldBack.get(keyOf(destination)) ?? 0),
  };
}
