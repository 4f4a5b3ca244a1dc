import type { Clock } from '../../platform/time.js';
import type { GeolocationLike, GeolocationSettings } from './geolocation-types.js';
import type { Page } from './page.js';
import { type Fix, isPermissionRefusal, type NoFix, OUTDATED, readFailure, readPosition, UNAVAILABLE } from './position.js';

/** One request for a position, shared by all calls that wait for it. */
export interface GeolocationRequest {
  /** A time on the clock, in milliseconds. A reader that finds it in the future sets it to now: the clock was set back. */
  askedAt: number;
  /** Never rejects; may never settle. */
  readonly answer: Promise<Fix | NoFix>;
  isAnswered(): boolean;
  /** Also asks for a less accurate position, once. The first position is the answer. */
  tryLowAccuracy(): void;
}

/** The share of the time for high accuracy, before low accuracy is tried. */
export const HIGH_SHARE = 0.7;
/** How much older than the limit a position may be: the clocks of the receiver and the device may differ. */
const CLOCK_SKEW_MS = 300_000;

/**
 * Asks the browser. There is no timer here: the browser may take as long as the player does, and each caller has its
 * own limit. `onAnswer` gets the answer, and each later position of this request.
 */
export function askBrowser(
  geolocation: GeolocationLike,
  settings: GeolocationSettings,
  { page, clock, onAnswer }: { page: Page; clock: Clock; onAnswer: (answer: Fix | NoFix) => void },
): GeolocationRequest {
  const { highAccuracy, timeoutMs, maximumAgeMs } = settings;
  const highMs = highAccuracy ? Math.ceil(timeoutMs * HIGH_SHARE) : timeoutMs;
  let lowTried = !highAccuracy;
  let open = 0;
  let answered = false;
  let settle = (_answer: Fix | NoFix) => {};
  const answer = new Promise<Fix | NoFix>((resolve) => {
    settle = (answer) => {
      answered = true;
      onAnswer(answer);
      resolve(answer);
    };
  });

  function request(enableHighAccuracy: boolean, timeout: number) {
    let failed = false;
    open += 1;
    const fail = (failure: NoFix) => {
      if (failed || answered) return;
      failed = true;
      open -= 1;
      if (!isPermissionRefusal(failure)) tryLowAccuracy();
      if (isPermissionRefusal(failure) || open === 0) settle(failure);
    };
    const succeed = (position: unknown) => {
      const now = clock.now();
      const fix = readPosition(position, now);
      if (!fix) fail(UNAVAILABLE);
      else if (now - fix.takenAt > maximumAgeMs + CLOCK_SKEW_MS) fail(OUTDATED);
      else settle(fix);
    };
    const failWith = (error: unknown) => fail(readFailure(error, page));
    // Asynchronous, since a replacement for the browser's geolocation may return a promise, which may reject.
    const ask = async () => geolocation.getCurrentPosition(succeed, failWith, { enableHighAccuracy, timeout, maximumAge: maximumAgeMs });
    ask().catch(failWith);
  }

  function tryLowAccuracy() {
    if (lowTried || answered) return;
    lowTried = true;
    request(false, Math.max(1, timeoutMs - highMs));
  }

  const askedAt = clock.now();
  request(highAccuracy, highMs);
  return { askedAt, answer, isAnswered: () => answered, tryLowAccuracy };
}
