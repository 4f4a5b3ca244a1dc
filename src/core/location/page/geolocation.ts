import type { LocationFailure } from '../../errors/errors.js';
import { sweepLater } from '../../platform/sweep-later.js';
import { type Clock, type Limit, withTimeout } from '../../platform/time.js';
import { unlessThrown } from '../../platform/unless-thrown.js';
import { isOnGlobe } from '../read-place.js';
import type { LocationSettings } from '../settings.js';
import { type GeolocationEvent, type GeolocationLike, type Page, queryPermission, readPermission } from './page.js';

export type Coordinates = { latitude: number; longitude: number; accuracy?: number };

/** A position, and the time on the clock at which the device was there. */
export interface Fix {
  readonly position: Coordinates;
  readonly takenAt: number;
}

export interface NoFix {
  readonly position: undefined;
  readonly reason: LocationFailure;
  /** Our own words: the browser's message is not shown. */
  readonly message: string;
}

/** Whether asking again, or with lower accuracy, is useless for a while. */
const isPermissionRefusal = ({ reason }: NoFix) => reason !== 'timeout' && reason !== 'position-unavailable';

const noFix = (reason: LocationFailure, message: string): NoFix => ({ position: undefined, reason, message });

/**
 * Ten years. An older timestamp is ignored, and so is one in the future: some browsers count in seconds, from 2001, or
 * from the start of the device.
 */
const OLDEST_MS = 315_360_000_000;

/** Undefined if the position is not valid. Never throws: the error would reach the page. */
function readPosition(position: unknown, now: number): Fix | undefined {
  return unlessThrown(() => {
    const { coords, timestamp } = position as { coords: Record<keyof Coordinates, unknown>; timestamp: unknown };
    // Each member is read once.
    const place = { latitude: coords.latitude, longitude: coords.longitude };
    if (!isOnGlobe(place)) return undefined;
    const { accuracy } = coords;
    const age = now - Number(timestamp);
    return {
      position: { ...place, ...(typeof accuracy === 'number' && Number.isFinite(accuracy) && { accuracy }) },
      takenAt: age >= 0 && age < OLDEST_MS ? now - age : now,
    };
  });
}

const UNAVAILABLE = noFix('position-unavailable', 'the device gave no usable position');

const OUTDATED = noFix(
  'position-unavailable',
  'the device gave an old position, or its clock is ahead: check its time',
);

/** Never throws. */
function readFailure(error: unknown, page: Page): NoFix {
  const code = unlessThrown(() => (error as { code: unknown }).code);
  if (code === 2) return noFix('position-unavailable', 'the device cannot determine its position');
  if (code === 3) return noFix('timeout', 'the device did not find its position in time');
  if (code !== 1) return UNAVAILABLE;
  // Browsers have one code for every refusal. If the browser does not expose the policy, its message may mention it.
  const isPolicy = page.isForbidden() || unlessThrown(() => /policy/i.test((error as { message: string }).message));
  return isPolicy
    ? noFix('blocked-by-policy', 'the Permissions Policy of the page or frame forbids geolocation')
    : noFix('denied', 'the player or the device denied permission');
}

interface GeolocationRequest {
  /**
   * A time on the clock, in milliseconds. A reader that finds it in the future sets it to now: the clock was set back.
   */
  askedAt: number;
  /** May never settle. */
  readonly answer: Promise<Fix | NoFix>;
}

/** The share of the time for high accuracy. The rest is for low accuracy. */
const HIGH_SHARE = 0.7;
/** How much older than the limit a position may be: the clocks of the receiver and the device may differ. */
const CLOCK_SKEW_MS = 300_000;

/**
 * Makes the check of a position's age, which sees all answers. The clock of a phone may be an hour ahead, so that each
 * position seems that old: the second of two answers is new if its time has moved on as the clock has. Returns
 * undefined for an old position.
 */
function createAgeCheck(maximumAgeMs: number) {
  let before: { readonly takenAt: number; readonly at: number } | undefined;
  return (fix: Fix, at: number): Fix | undefined => {
    const passed = before ? at - before.at : 0;
    const moved = before ? fix.takenAt - before.takenAt : 0;
    before = { takenAt: fix.takenAt, at };
    if (at - fix.takenAt <= maximumAgeMs + CLOCK_SKEW_MS) return fix;
    return moved > 0 && Math.abs(moved - passed) <= passed / 2 ? { ...fix, takenAt: at } : undefined;
  };
}

/**
 * Asks the browser, for high accuracy first. There is no timer here: the browser may take as long as the player does,
 * and each caller has its own limit.
 */
async function askBrowser(
  geolocation: GeolocationLike,
  { highAccuracy, timeoutMs, maximumAgeMs }: LocationSettings['browser'],
  { page, clock, checkAge }: { page: Page; clock: Clock; checkAge: ReturnType<typeof createAgeCheck> },
): Promise<Fix | NoFix> {
  const request = (enableHighAccuracy: boolean, timeout: number) =>
    new Promise<Fix | NoFix>((resolve) => {
      const succeed = (position: unknown) => {
        const now = clock.now();
        const fix = readPosition(position, now);
        resolve(fix ? (checkAge(fix, now) ?? OUTDATED) : UNAVAILABLE);
      };
      const fail = (error: unknown) => resolve(readFailure(error, page));
      // Asynchronous, since a replacement for the browser's geolocation may return a promise, which may reject.
      const ask = async () =>
        geolocation.getCurrentPosition(succeed, fail, { enableHighAccuracy, timeout, maximumAge: maximumAgeMs });
      ask().catch(fail);
    });

  if (!highAccuracy) return request(false, timeoutMs);
  const highMs = Math.ceil(timeoutMs * HIGH_SHARE);
  const first = await request(true, highMs);
  return first.position || isPermissionRefusal(first) ? first : request(false, Math.max(1, timeoutMs - highMs));
}

type PositionAttempt = { readonly position: Coordinates; readonly ageMs: number } | NoFix;

/**
 * Chromium gives a hidden page its position if permission is granted. Other browsers may wait until the player returns.
 */
const HIDDEN_MS = 1_000;

const ABORTED = noFix('aborted', 'the call was cancelled');
const HIDDEN = noFix('page-hidden', 'browsers may withhold the position while the page is hidden');
const UNDECIDED = noFix('timeout', 'no answer in time; the prompt may still be open');

/** Whether less time than that has passed. False also for a time in the future: the clock may have been set back. */
const isWithin = (clock: Clock, milliseconds: number, since: number) =>
  since <= clock.now() && clock.now() - since < milliseconds;

/** Keeps of the browser's answers the latest position, and a refusal after which asking again is useless. */
function createMemory({ maximumAgeMs, denialMemoryMs }: LocationSettings['browser'], clock: Clock) {
  let last: Fix | undefined;
  let hadPosition = false;
  /**
   * The last refusal, or a time-out that may mean an open prompt. A position clears it, since it shows that no prompt
   * is open.
   */
  let refused: { answer: NoFix; at: number } | undefined;

  const isRecent = ({ takenAt }: Fix) => isWithin(clock, maximumAgeMs, takenAt);
  const position = () => (last && isRecent(last) ? last : undefined);

  const forgetLater = sweepLater(() => {
    last = position();
    return last && last.takenAt + maximumAgeMs - clock.now();
  });

  return {
    position,
    refusal: () => (refused && isWithin(clock, denialMemoryMs, refused.at) ? refused.answer : undefined),
    /** Also takes an answer that comes after its callers have left. */
    keep(answer: Fix | NoFix) {
      if (answer.position) {
        refused = undefined;
        if (!isRecent(answer)) return;
        hadPosition = true;
        const known = position();
        if (!known || known.takenAt < answer.takenAt) last = answer;
        forgetLater();
      } else if (isPermissionRefusal(answer) || (answer.reason === 'timeout' && !hadPosition)) {
        refused = { answer, at: clock.now() };
      }
    },
  };
}

/**
 * Sends the browser one request at a time; all calls share it. The time is measured here: the browser's own `timeout`
 * counts neither the prompt nor a hidden page, and some WebViews never answer.
 */
export function createBrowserGeolocation(
  settings: LocationSettings['browser'],
  { page, clock, onEvent }: { page: Page; clock: Clock; onEvent?: ((event: GeolocationEvent) => void) | undefined },
) {
  const { timeoutMs, denialMemoryMs } = settings;
  const memory = createMemory(settings, clock);
  const checkAge = createAgeCheck(settings.maximumAgeMs);
  let request: GeolocationRequest | undefined;

  const toAttempt = (answer: Fix | NoFix): PositionAttempt =>
    answer.position ? { position: answer.position, ageMs: Math.max(0, clock.now() - answer.takenAt) } : answer;

  function joinRequest(): GeolocationRequest | undefined {
    if (request) {
      request.askedAt = Math.min(request.askedAt, clock.now());
      if (isWithin(clock, timeoutMs + denialMemoryMs, request.askedAt)) return request;
    }
    const geolocation = page.geolocation();
    if (!geolocation) return undefined;
    const asked: GeolocationRequest = {
      askedAt: clock.now(),
      answer: askBrowser(geolocation, settings, { page, clock, checkAge }).then((answer) => {
        if (request === asked) request = undefined;
        memory.keep(answer);
        return answer;
      }),
    };
    request = asked;
    // If the clock throws, the events are lost and the report is not.
    if (onEvent) tell(asked, onEvent).catch(() => {});
    return asked;
  }

  async function tell({ answer }: GeolocationRequest, onEvent: (event: GeolocationEvent) => void) {
    const began = clock.now();
    onEvent({ type: 'location-asked', permission: await readPermission(page, clock) });
    const { position, ...failed } = await answer;
    onEvent({
      type: 'location-answered',
      reason: position ? undefined : (failed as NoFix).reason,
      durationMs: Math.max(0, clock.now() - began),
    });
  }

  return {
    /** Settles once, within the limit; never rejects. */
    async ask({ milliseconds, signal }: Pick<Limit, 'milliseconds' | 'signal'>): Promise<PositionAttempt> {
      const began = clock.now();
      if (signal?.aborted) return ABORTED;
      const known = memory.position();
      if (known) return toAttempt(known);
      if (!page.isSecure()) return noFix('insecure-context', 'browsers give the position to https pages only');
      if (milliseconds <= 0) return noFix('timeout', 'timed out: no time was left to find a location');

      const remembered = memory.refusal();
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
      if (!shared) return noFix('not-available', 'no geolocation here; an app sets geolocation');
      const now = clock.now();
      const wait = Math.min(
        milliseconds - Math.max(0, now - began),
        shared.askedAt + (hidden ? HIDDEN_MS : timeoutMs) - now,
      );
      const tooLate = hidden ? HIDDEN : UNDECIDED;
      // Otherwise each report would leave a listener on a request that may stay open for long.
      if (wait <= 0) return tooLate;
      let stopListening = () => {};
      const waited = await withTimeout<Fix | NoFix>(
        () =>
          new Promise((resolve, reject) => {
            stopListening = page.whenHidden(() => resolve(HIDDEN));
            shared.answer.then(resolve, reject);
          }),
        { clock, milliseconds: wait, signal },
      );
      stopListening();
      if (waited.ended === 'done') return toAttempt(waited.value);
      if (waited.ended === 'aborted') return ABORTED;
      return tooLate;
    },
  };
}
