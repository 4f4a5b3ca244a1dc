import type { Clock } from '../../../core/platform/time.js';

/** The interval of the check for commits of other processes. The check is cheap: SQLite has the number in memory. */
const WATCH_MS = 100;

/** Calls the listener when another connection has committed. Returns a function that stops this. */
export function watchCommits(version: () => unknown, listener: () => void, clock: Clock): () => void {
  let timer: unknown;
  let seen = look();

  function look(): unknown {
    try {
      return version();
    } catch {
      // Others hold the file for a moment. The next check reads it.
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
    // The timer must not keep the process alive.
    (timer as { unref?: () => void } | undefined)?.unref?.();
  }

  next();
  return () => clock.clearTimeout(timer);
}
