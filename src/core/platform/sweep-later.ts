import { LONGEST_TIMER_MS, systemClock } from './time.js';
import { unlessThrown } from './unless-thrown.js';

interface Runtime {
  readonly Deno?: { unrefTimer(timer: unknown): void };
}

/**
 * Makes a cache of personal data forget by time, though no other event comes. `sweep` removes what is too old, and
 * returns the milliseconds after which it must run again, or undefined if nothing is left. Call the returned function
 * after each addition. The timer is the platform's own: one of the caller's clock might keep the process alive.
 */
export function sweepLater(sweep: () => number | undefined): () => void {
  let dueAt = 0;
  const run = () =>
    unlessThrown(() => {
      const left = sweep();
      const now = systemClock.now();
      // On Cloudflare Workers a timer ends with its request. Then the next addition starts another one.
      if (left === undefined || now < dueAt) return;
      dueAt = now + Math.min(left + 1, LONGEST_TIMER_MS);
      const timer: { unref?(): void } = setTimeout(() => {
        dueAt = 0;
        run();
      }, dueAt - now);
      if (timer.unref) timer.unref();
      else (globalThis as Runtime).Deno?.unrefTimer(timer);
    });
  return run;
}
