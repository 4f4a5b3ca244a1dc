import { type Clock, limited } from '../time.js';
import type { AbortSignalLike } from '../web-types.js';
import type { Page } from './page.js';
import { type Coordinates, type Fix, INSECURE, isRefusal, type NoFix, noFix } from './position.js';
import { askBrowser, highAccuracyMs, type Question } from './question.js';

/** The part of the browser's Geolocation API that is used. */
export interface GeolocationLike {
  getCurrentPosition(
    success: (position: { coords: { latitude: number; longitude: number; accuracy: number }; timestamp?: number }) => void,
    failure: (error: { code: number; message?: string }) => void,
    options: { enableHighAccuracy: boolean; timeout: number; maximumAge: number },
  ): void;
}

export interface GeolocationSettings {
  readonly highAccuracy: boolean;
  /** The whole step by the wall clock, the player's thinking time included. */
  readonly timeoutMs: number;
  /** How old a position may be, the browser's or one that is remembered. */
  readonly maximumAgeMs: number;
  /** For how long a no, or a question that got no answer, keeps the browser from being asked again. */
  readonly denialMemoryMs: number;
}

export type PositionAttempt = { readonly position: Coordinates; readonly ageMs: number } | NoFix;

/** The browser's geolocation, as one client asks it. */
export interface BrowserGeolocation {
  /** Settles once, within the limit; never rejects. */
  ask(limit: { milliseconds: number; signal: AbortSignalLike | undefined }): Promise<PositionAttempt>;
}

/** Nothing is gained by a longer wait for a hint. */
const PERMISSION_MS = 250;
/** Chromium gives a hidden page its position, if that is granted; others may hold it back until the player returns. */
const HIDDEN_MS = 1_000;

const ABORTED = noFix('aborted', 'the call was aborted');
const HIDDEN = noFix('page-hidden', 'browsers may keep a position back while the page is hidden');

/**
 * The browser is asked one question at a time, which all calls share. The time is measured here: the browser's own
 * `timeout` counts neither the prompt nor a hidden page, and some WebViews never answer.
 */
export function createBrowserGeolocation(settings: GeolocationSettings, { page, clock }: { page: Page; clock: Clock }): BrowserGeolocation {
  const { timeoutMs, maximumAgeMs, denialMemoryMs } = settings;
  let last: Fix | undefined;
  let refused: { answer: NoFix; at: number } | undefined;
  let question: Question | undefined;

  /** False also for what lies in the future, as it does once somebody sets the clock back. */
  const isWithin = (milliseconds: number, since: number) => since <= clock.now() && clock.now() - since < milliseconds;

  const told = (answer: Fix | NoFix): PositionAttempt =>
    answer.position ? { position: answer.position, ageMs: Math.max(0, clock.now() - answer.takenAt) } : answer;

  function openQuestion(): Question | undefined {
    if (question && !question.isAnswered() && isWithin(timeoutMs + denialMemoryMs, question.askedAt)) return question;
    const geolocation = page.geolocation();
    if (!geolocation) return undefined;
    const onFix = (fix: Fix) => {
      refused = undefined;
      if (!last || last.takenAt <= fix.takenAt || last.takenAt > clock.now()) last = fix;
    };
    const opened = askBrowser(geolocation, settings, { page, clock, onFix });
    opened.answer.then((answer) => {
      if (!answer.position && isRefusal(answer)) refused = { answer, at: clock.now() };
    });
    question = opened;
    return opened;
  }

  return {
    async ask({ milliseconds, signal }) {
      const deadline = clock.now() + milliseconds;
      if (signal?.aborted) return ABORTED;
      if (last && isWithin(maximumAgeMs, last.takenAt)) return told(last);
      if (!page.isSecure()) return INSECURE;
      if (milliseconds <= 0) return noFix('timeout', 'the time for finding a location was over');

      const remembered = refused && isWithin(denialMemoryMs, refused.at) ? refused.answer : undefined;
      const hidden = page.isHidden();
      if (remembered || hidden) {
        const permission = await limited(page.permission, { clock, milliseconds: Math.min(PERMISSION_MS, milliseconds), signal });
        if (permission.ended === 'aborted') return ABORTED;
        if (permission.ended !== 'done' || permission.value !== 'granted') return remembered ?? HIDDEN;
      }

      const shared = openQuestion();
      if (!shared) return noFix('not-available', 'this browser has no geolocation');
      const wait = Math.min(deadline, shared.askedAt + (hidden ? HIDDEN_MS : timeoutMs)) - clock.now();
      const answer = await waitFor(shared, wait, signal, hidden);
      return told(answer);
    },
  };

  async function waitFor(shared: Question, milliseconds: number, signal: AbortSignalLike | undefined, hidden: boolean): Promise<Fix | NoFix> {
    if (milliseconds <= 0) return hidden ? HIDDEN : noFix('timeout', 'the browser was asked before and has not answered yet');
    let over = false;
    // Only where no prompt can be open: a second question could open a second one.
    const lowTimer = clock.setTimeout(
      () => {
        page.permission().then(
          (state) => !over && state === 'granted' && shared.tryLowAccuracy(),
          () => {},
        );
      },
      Math.max(0, shared.askedAt + highAccuracyMs(settings) - clock.now()),
    );
    let stopListening = () => {};
    const waited = await limited<Fix | NoFix>(
      () =>
        new Promise((resolve) => {
          if (!hidden) stopListening = page.whenHidden(() => resolve(HIDDEN));
          shared.answer.then(resolve);
        }),
      { clock, milliseconds, signal },
    );
    over = true;
    clock.clearTimeout(lowTimer);
    stopListening();
    if (waited.ended === 'done') return waited.value;
    if (waited.ended === 'aborted') return ABORTED;
    return hidden ? HIDDEN : noFix('timeout', `no answer within ${milliseconds} ms; perhaps the player has not decided`);
  }
}
