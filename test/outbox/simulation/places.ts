import type { Environment } from '../../../src/errors.js';
import type { Coverage } from './coverage.js';

/** What `src/outbox/ahead.ts` is for a worker, without promises: so many attempts at once, the rows that were claimed ahead after them. */
export function createPlaces(concurrency: number, coverage: Coverage) {
  const waiting: (() => void)[] = [];
  const heldBack = { staging: 0, production: 0 };
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
    holdBack(environment: Environment): void {
      heldBack[environment] = turns;
    },
    isHeldBack(environment: Environment, turn: number): boolean {
      if (turn > heldBack[environment]) return false;
      coverage['claimed ahead, held back by a pause'] += 1;
      return true;
    },
  };
}
