import type { Clock } from '../time.js';
import type { GeolocationLike, GeolocationSettings } from './browser-geolocation.js';
import type { Page } from './page.js';
import { type Fix, isRefusal, type NoFix, readFailure, readPosition, UNAVAILABLE } from './position.js';

/** One question to the browser, for all who wait. */
export interface Question {
  /** On the clock, in milliseconds. */
  readonly askedAt: number;
  /** Never rejects; may never settle. */
  readonly answer: Promise<Fix | NoFix>;
  isAnswered(): boolean;
  /** Asks for a less accurate position too, once; the first position is the answer. */
  tryLowAccuracy(): void;
}

/** Of the time, what high accuracy gets before low accuracy is tried. */
export const HIGH_SHARE = 0.7;

/**
 * Asks the browser. It has no timer: the browser may take as long as the player thinks, and who waits has a limit.
 * `onAnswer` hears the answer, and of every position that follows it.
 */
export function askBrowser(
  geolocation: GeolocationLike,
  settings: GeolocationSettings,
  { page, clock, onAnswer }: { page: Page; clock: Clock; onAnswer: (answer: Fix | NoFix) => void },
): Question {
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
      if (!isRefusal(failure)) tryLowAccuracy();
      if (isRefusal(failure) || open === 0) settle(failure);
    };
    try {
      geolocation.getCurrentPosition(
        (position) => {
          const fix = readPosition(position, clock.now());
          if (fix) settle(fix);
          else fail(UNAVAILABLE);
        },
        (error) => fail(readFailure(error, page)),
        { enableHighAccuracy, timeout, maximumAge: maximumAgeMs },
      );
    } catch {
      fail(UNAVAILABLE);
    }
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
