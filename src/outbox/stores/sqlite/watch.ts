import type { Clock } from '../../../platform/time.js';

/** How often it is looked whether another process has committed: a number that SQLite keeps in memory. */
const WATCH_MS = 100;

/** Calls the listener when another connection has committed. Returns how to stop. */
export function watchCommits(version: () => unknown, listener: () => void, clock: Clock): () => void {
  let timer: unknown;
  let seen = look();

  function look(): unknown {
    try {
      return version();
    } catch {
      // Held by others for a moment: looked at the next time.
      return seen;
    }
  }

  function next(): void {
    timer = clock.setTimeout(() => {
      const now = look();
      if (now !== seen) listener();
      seen = now;
      next();
    }, WATCH_MS);
    // Nobody should be kept running by it.
    (timer as { unref?: () => void } | undefined)?.unref?.();
  }

  next();
  return () => clock.clearTimeout(timer);
}
