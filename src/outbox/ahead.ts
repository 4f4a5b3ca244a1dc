import type { Clock } from '../time.js';
import { claimsAhead } from './plan.js';
import type { OutboxEnvironment } from './record.js';

/**
 * Stands between the claims and the attempts: so many are sent at once, in the order in which they were claimed, and a
 * few more are claimed ahead, so that the next need not wait for a commit.
 */
export function createAhead({ concurrency, clock }: { concurrency: number; clock: Clock }) {
  const waiting: (() => Promise<void>)[] = [];
  const heldBack: { [Environment in OutboxEnvironment]?: number } = {};
  let running = 0;
  let turns = 0;
  let ahead = 0;
  let turnedAt = clock.now();

  async function run(work: () => Promise<void>): Promise<void> {
    running += 1;
    for (let next: typeof work | undefined = work; next; next = waiting.shift()) await next();
    running -= 1;
  }

  return {
    /** How many rows may be claimed and not yet written back. */
    places: (): number => concurrency + ahead,
    /** Whether an attempt that ends makes place for one that is claimed already. */
    hasMore: (): boolean => waiting.length > 0,
    /** A turn begins; returns its number. */
    turn: (): number => {
      turns += 1;
      return turns;
    },
    /** A turn wrote so many ends. */
    wrote(ends: number): void {
      if (ends === 0) return;
      const now = clock.now();
      ahead = claimsAhead(ends, now - turnedAt, ahead);
      turnedAt = now;
    },
    /** Attempts a claimed row, now or when its turn has come; the work must not reject. */
    attempt(work: () => Promise<void>): void {
      if (running < concurrency) void run(work);
      else waiting.push(work);
    },
    /** The environment is paused: what was claimed for it, and is not yet being sent, is not to be. */
    holdBack(environment: OutboxEnvironment): void {
      heldBack[environment] = turns;
    },
    /** Whether that concerns what was claimed for it in a turn. */
    isHeldBack: (environment: OutboxEnvironment, turn: number | undefined): boolean => turn !== undefined && turn <= (heldBack[environment] ?? 0),
  };
}
