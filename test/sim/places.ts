import { type PauseScope, pauseKeyOf } from '../../src/outbox/rules/destination.js';
import type { Coverage } from './coverage.js';

/**
 * The counterpart of `src/outbox/sending/pipeline.ts` without promises: a limited number of attempts at once, and then the
 * prefetched rows.
 */
export function createPlaces(concurrency: number, coverage: Coverage) {
  const waiting: (() => void)[] = [];
  const heldBack = new Map<string, number>();
  let running = 0;
  let turns = 0;

  function begin(work: () => void): void {
    running += 1;
    work();
  }

  return {
    claimedAhead: () => waiting.length,
    turn(): number {
      turns += 1;
      return turns;
    },
    take(work: () => void): void {
      if (running < concurrency) begin(work);
      else waiting.push(work);
    },
    leave(): void {
      running -= 1;
      const next = waiting.shift();
      if (!next) return;
      coverage['claimed ahead, sent later'] += 1;
      begin(next);
    },
    holdBack(scope: PauseScope): void {
      heldBack.set(pauseKeyOf(scope), turns);
    },
    isHeldBack(scope: PauseScope, turn: number): boolean {
      if (turn > (heldBack.get(pauseKeyOf(scope)) ?? 0)) return false;
      coverage['claimed ahead, held back by a pause'] += 1;
      return true;
    },
  };
}
