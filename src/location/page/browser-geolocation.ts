import { type Clock, withTimeout } from '../../platform/time.js';
import type { AbortSignalLike } from '../../platform/web-types.js';
import type { GeolocationEvent } from '../events.js';
import { askBrowser, type GeolocationRequest, HIGH_SHARE } from './geolocation-request.js';
import type { GeolocationSettings } from './geolocation-types.js';
import type { Page } from './page.js';
import { queryPermission, readPermission } from './permission.js';
import { type Coordinates, type Fix, isMoreAccurate, isPermissionRefusal, type NoFix, noFix } from './position.js';

export type PositionAttempt = { readonly position: Coordinates; readonly ageMs: number } | NoFix;

/** The browser's geolocation, as one client uses it. */
export interface BrowserGeolocation {
  /** Settles once, within the limit; never rejects. */
  ask(limit: { milliseconds: number; signal: AbortSignalLike | undefined }): Promise<PositionAttempt>;
}

/** Chromium gives a hidden page its position if permission is granted. Other browsers may wait until the player returns. */
const HIDDEN_MS = 1_000;

const ABORTED = noFix('aborted', 'the call was cancelled');
const HIDDEN = noFix('page-hidden', 'browsers may withhold the position while the page is hidden');
const UNDECIDED = noFix('timeout', "no answer in time; the browser's prompt may still be open");

/**
 * Sends the browser one request at a time; all calls share it. The time is measured here: the browser's own `timeout`
 * counts neither the prompt nor a hidden page, and some WebViews never answer.
 */
export function createBrowserGeolocation(
  settings: GeolocationSettings,
  { page, clock, onEvent }: { page: Page; clock: Clock; onEvent?: ((event: GeolocationEvent) => void) | undefined },
): BrowserGeolocation {
  const { timeoutMs, maximumAgeMs, denialMemoryMs } = settings;
  let last: Fix | undefined;
  let lastAsked = 0;
  let requests = 0;
  /** The last refusal, or a time-out that may mean an open prompt. A position clears it, since it shows that no prompt is open. */
  let refused: { answer: NoFix; at: number } | undefined;
  let request: GeolocationRequest | undefined;

  /** False also for a time in the future: the clock may have been set back. */
  const isWithin = (milliseconds: number, since: number) => since <= clock.now() && clock.now() - since < milliseconds;

  const isRecent = ({ takenAt }: Fix) => isWithin(maximumAgeMs, takenAt);

  /** Among positions of one request, the most accurate. Among several requests, the newest. */
  const isBetter = (fix: Fix, asked: number) => !last || !isRecent(last) || (asked === lastAsked ? isMoreAccurate(fix, last) : fix.takenAt > last.takenAt);

  /** Also keeps an answer that comes after its callers have left. */
  function remember(answer: Fix | NoFix, asked: number) {
    if (answer.position) {
      refused = undefined;
      if (!isRecent(answer) || !isBetter(answer, asked)) return;
      last = answer;
      lastAsked = asked;
    } else if (isPermissionRefusal(answer) || (answer.reason === 'timeout' && !last)) {
      refused = { answer, at: clock.now() };
    }
  }

  const toAttempt = (answer: Fix | NoFix): PositionAttempt =>
    answer.position ? { position: answer.position, ageMs: Math.max(0, clock.now() - answer.takenAt) } : answer;

  /** The open request, or a new one. Undefined if there is no geolocation. */
  function joinRequest(): GeolocationRequest | undefined {
    if (request && !request.isAnswered()) {
      request.askedAt = Math.min(request.askedAt, clock.now());
      if (isWithin(timeoutMs + denialMemoryMs, request.askedAt)) return request;
    }
    const geolocation = page.geolocation();
    requests += 1;
    const asked = requests;
    request = geolocation && askBrowser(geolocation, settings, { page, clock, onAnswer: (answer) => remember(answer, asked) });
    // If the clock throws, the events are lost and the report is not.
    if (request && onEvent) tell(request, onEvent).catch(() => {});
    return request;
  }

  /** Emits the event of a request, then the event of its answer. */
  async function tell({ answer }: GeolocationRequest, onEvent: (event: GeolocationEvent) => void) {
    const began = clock.now();
    onEvent({ type: 'location-asked', permission: await readPermission(page, clock) });
    const { position, ...failed } = await answer;
    onEvent({ type: 'location-answered', reason: position ? undefined : (failed as NoFix).reason, durationMs: Math.max(0, clock.now() - began) });
  }

  return {
    async ask({ milliseconds, signal }) {
      const began = clock.now();
      if (signal?.aborted) return ABORTED;
      if (last && isWithin(maximumAgeMs, last.takenAt)) return toAttempt(last);
      if (!page.isSecure()) return noFix('insecure-context', 'browsers give the position to https pages only');
      if (milliseconds <= 0) return noFix('timeout', 'timed out: no time was left to find a location');

      const remembered = refused && isWithin(denialMemoryMs, refused.at) ? refused.answer : undefined;
      const hidden = page.isHidden();
      if (remembered || hidden) {
        const state = await queryPermission(page, { clock, milliseconds, signal });
        if (signal?.aborted) return ABORTED;
        if (state !== 'granted') {
          if (remembered && isPermissionRefusal(remembered)) return remembered;
          // Chromium times out while its prompt is still open.
          if (remembered && state === 'prompt') return UNDECIDED;
          if (hidden) return HIDDEN;
        }
      }

      const shared = joinRequest();
      if (!shared) return noFix('not-available', 'this browser has no geolocation');
      const now = clock.now();
      const wait = Math.min(milliseconds - Math.max(0, now - began), shared.askedAt + (hidden ? HIDDEN_MS : timeoutMs) - now);
      const tooLate = hidden ? HIDDEN : UNDECIDED;
      // Otherwise each report would leave a listener on a request that may stay open for long.
      if (wait <= 0) return tooLate;
      const lowTimer = clock.setTimeout(() => tryLowAccuracy(shared), wait * HIGH_SHARE);
      let stopListening = () => {};
      const waited = await withTimeout<Fix | NoFix>(
        () =>
          new Promise((resolve) => {
            stopListening = page.whenHidden(() => resolve(HIDDEN));
            shared.answer.then(resolve);
          }),
        { clock, milliseconds: wait, signal },
      );
      clock.clearTimeout(lowTimer);
      stopListening();
      if (waited.ended === 'done') return toAttempt(waited.value);
      if (waited.ended === 'aborted') return ABORTED;
      return tooLate;
    },
  };

  /** Only if permission is granted: otherwise a second request could open a second prompt. */
  function tryLowAccuracy(shared: GeolocationRequest) {
    page.permission().then(
      (state) => state === 'granted' && shared.tryLowAccuracy(),
      () => {},
    );
  }
}
