import { type PauseScope, pauseKeyOf } from '../../src/outbox/rules/destination.js';
import type { Pause, PauseChange } from '../../src/outbox/rules/pause.js';
import type { Known } from './answers.js';
import type { Attempt } from './scenario.js';
import { breaks, subject, type World } from './world.js';

/** An end of an attempt that a worker has counted in a breaker, and the breaker before and after it. */
export interface Counted {
  readonly attempt: Attempt;
  readonly reply: Known;
  readonly isRecorded: boolean;
  readonly isCondemned: boolean;
  readonly before: Pick<Pause, 'reason'>;
  readonly next: Pick<PauseChange, 'reason'> | undefined;
}

/** The strikes of one operation since its breaker was last ended, or its operation last recorded a report. */
interface Strikes {
  /** Their places among all strikes, without those before a success whose worker had seen one of them. */
  most: { readonly place: number; readonly worker: number }[];
  /** Their number without those before any success: a worker may have been slow to hear of the strikes. */
  least: number;
}

const EARLY = 'a breaker opens no earlier than its option says';
const LATE = 'a breaker opens after the strikes of its option, in a row over all workers';

/** Counts the strikes of each operation over all workers, and knows when its breaker must open. */
export function createSharedBreaker(world: World) {
  const { scenario, coverage } = world;
  const known = new Map<string, Strikes>();
  /** The place of the latest strike that each worker has seen: of all operations, or of one. */
  const seen: number[] = [];
  const seenOf = new Map<string, number>();
  let places = 0;

  function strikesOf(scope: PauseScope): Strikes {
    const key = pauseKeyOf(scope);
    const strikes = known.get(key) ?? { most: [], least: 0 };
    known.set(key, strikes);
    return strikes;
  }

  function succeeds(strikes: Strikes, worker: number, hasSeen: boolean): void {
    strikes.least = 0;
    if (!hasSeen) return;
    if (strikes.most.some((one) => one.worker !== worker)) coverage["a success ends another worker's strikes"] += 1;
    strikes.most = [];
  }

  return {
    now: () => places,
    /** A worker has read the strikes of all operations, as they were at that place. */
    looked(worker: number, at: number): void {
      seen[worker] = at;
    },
    /** A worker has settled ends that it did not count. */
    passed(scope: PauseScope, worker: number, isRecorded: boolean): void {
      const strikes = isRecorded && known.size > 0 ? known.get(pauseKeyOf(scope)) : undefined;
      if (!strikes) return;
      const [first] = strikes.most;
      const place = Math.max(seen[worker] ?? 0, seenOf.get(`${worker} ${pauseKeyOf(scope)}`) ?? 0);
      succeeds(strikes, worker, first !== undefined && first.place <= place);
    },
    /** A worker has committed the counts of these ends. */
    counted(scope: PauseScope, worker: number, ends: readonly Counted[]): void {
      const strikes = strikesOf(scope);
      for (const { attempt, reply, isRecorded, isCondemned, before, next } of ends) {
        const isOpen = before.reason !== undefined;
        const isStrike =
          (isCondemned && reply.truth !== 'silent') || ('foreign' in reply.ending && reply.ending.foreign);
        if (isRecorded) {
          if (!isOpen || (next && next.reason === undefined)) succeeds(strikes, worker, true);
        } else if (!isOpen && isStrike) {
          places += 1;
          strikes.most.push({ place: places, worker });
          strikes.least += 1;
          seenOf.set(`${worker} ${pauseKeyOf(scope)}`, places);
        }
        if (isOpen) continue;
        const what = `${subject(attempt)} is strike ${strikes.most.length} of ${scenario.breakerAfter}`;
        if (next?.reason === undefined) {
          if (strikes.least >= scenario.breakerAfter) breaks(world, LATE, what);
          continue;
        }
        if (strikes.most.length < scenario.breakerAfter) breaks(world, EARLY, what);
        if (new Set(strikes.most.map((one) => one.worker)).size > 1)
          coverage['a breaker opens after strikes of several workers'] += 1;
      }
    },
    /** A person has ended it, or the store has lost it. */
    ended(scope: PauseScope): void {
      known.delete(pauseKeyOf(scope));
    },
  };
}

export type SharedBreaker = ReturnType<typeof createSharedBreaker>;
