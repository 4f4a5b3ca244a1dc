import { hasCode } from '../../../core/errors/errors.js';
import type { StoreError } from '../../../core/errors/store-error.js';
import type { Clock } from '../../../core/platform/time.js';
import { asSqliteError, sqliteCodeOf } from './failure.js';
import type { FileGuard } from './file-checks.js';

const FIRST_WAIT_MS = 2;
const LONGEST_BUSY_WAIT_MS = 100;

/** Runs an attempt again while others hold the file, for at most `busyMs`. Rejects with the error of the last one. */
export function createRetryWhileBusy({
  clock,
  random,
  busyMs,
}: {
  readonly clock: Clock;
  readonly random: () => number;
  readonly busyMs: number;
}) {
  return async <T>(attempt: () => T): Promise<T> => {
    const began = performance.now();
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(LONGEST_BUSY_WAIT_MS, wait * 2)) {
      try {
        return attempt();
      } catch (error) {
        if (sqliteCodeOf(error) !== 'busy' || performance.now() - began > busyMs) throw error;
      }
      await new Promise<void>((resolve) => clock.setTimeout(resolve, wait * (0.5 + random() / 2)));
    }
  };
}

export type RetryWhileBusy = ReturnType<typeof createRetryWhileBusy>;

/** Attempts to use the file. They remember that it was missing, or is damaged. */
export function createAttempts({
  place,
  retryWhileBusy,
  guard,
}: {
  readonly place: string;
  readonly retryWhileBusy: RetryWhileBusy;
  readonly guard: Pick<FileGuard, 'ensureLive' | 'verify'>;
}) {
  /** The error of a damaged file. From then on every call rejects with it. */
  let damage: StoreError | undefined;

  let isGone = false;
  function look(): void {
    isGone = true;
    guard.ensureLive();
    isGone = false;
  }

  /** The error of a failure. A file that was replaced or restored looks damaged, too. */
  function failureOf(error: unknown): unknown {
    // A refusal of the outbox, and not an error of SQLite.
    if (hasCode(error, 'configuration')) return error;
    if (sqliteCodeOf(error) !== 'corrupt') return asSqliteError(place, error);
    try {
      look();
      guard.verify();
    } catch (other) {
      return asSqliteError(place, other);
    }
    damage = asSqliteError(place, error);
    return damage;
  }

  return {
    /** Throws if the file is missing. */
    look,
    /** Throws if the file was missing, and is not back. */
    ensureBack(): void {
      if (isGone) look();
    },
    /** Runs work, again while others hold the file. Rejects with the store's own error. */
    attempt: <T>(work: () => T): Promise<T> =>
      retryWhileBusy(() => {
        if (damage) throw damage;
        return work();
      }).catch((error) => {
        throw failureOf(error);
      }),
  };
}
