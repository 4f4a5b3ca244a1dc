import type { LocationFailure } from '../../errors/errors.js';
import { type Clock, type Limit, systemClock, withTimeout } from '../../platform/time.js';
import { unlessThrown } from '../../platform/unless-thrown.js';

/** The part of the browser's Geolocation API that the SDK uses. */
export interface GeolocationLike {
  /** Calls one of the two callbacks, once. */
  getCurrentPosition(
    success: (position: {
      /** The coordinates of the device. */
      coords: {
        /** Degrees, north of the equator. */
        latitude: number;
        /** Degrees, east of Greenwich. */
        longitude: number;
        /** In metres: the radius of the circle in which the device is with a probability of 95 %. */
        accuracy: number | null;
      };
      /** When the position was measured, in milliseconds since 1970. */
      timestamp?: number;
    }) => void,
    failure: (error: {
      /** 1: permission denied. 2: position unavailable. 3: timed out. */
      code: number;
      /** The browser's message. */
      message?: string;
    }) => void,
    options: {
      /** Whether to ask for the device's best accuracy. */
      enableHighAccuracy: boolean;
      /** The limit for the measurement, in milliseconds. */
      timeout: number;
      /** The greatest age of a cached position, in milliseconds. */
      maximumAge: number;
    },
  ): void;
}

interface PolicyLike {
  allowsFeature(name: 'geolocation'): boolean;
}

/** The part of a page's global object that the SDK reads. Every member may be missing, and each getter may throw. */
export interface PageScope {
  readonly isSecureContext?: boolean;
  readonly navigator?: {
    readonly geolocation?: GeolocationLike;
    readonly permissions?: { query(permission: { name: 'geolocation' }): PromiseLike<{ readonly state: string }> };
  };
  readonly document?: {
    readonly visibilityState?: string;
    readonly permissionsPolicy?: PolicyLike;
    readonly featurePolicy?: PolicyLike;
    addEventListener(type: 'visibilitychange', listener: () => void): void;
    removeEventListener(type: 'visibilitychange', listener: () => void): void;
  };
}

/**
 * Each fact is read again at each use, and none throws but `permission`. `given` replaces the browser's geolocation.
 */
export function readPage(scope: PageScope, given: GeolocationLike | undefined) {
  // jsdom says "prerender" for every page.
  const isHidden = () => unlessThrown(() => scope.document?.visibilityState) === 'hidden';
  return {
    geolocation: () => given ?? unlessThrown(() => scope.navigator?.geolocation),
    // jsdom and happy-dom do not have it.
    isSecure: () => unlessThrown(() => scope.isSecureContext) !== false,
    isHidden,
    /** Returns a function that removes the listener. */
    whenHidden(listener: () => void): () => void {
      const heard = () => {
        if (isHidden()) listener();
      };
      unlessThrown(() => scope.document?.addEventListener('visibilitychange', heard));
      return () => unlessThrown(() => scope.document?.removeEventListener('visibilitychange', heard));
    },
    /** Whether the page's Permissions Policy is known to forbid geolocation. */
    isForbidden: () =>
      unlessThrown(() =>
        (scope.document?.permissionsPolicy ?? scope.document?.featurePolicy)?.allowsFeature('geolocation'),
      ) === false,
    /** Only a hint: Safari always says `'prompt'`. May reject, and may never settle. */
    permission: async () => (await scope.navigator?.permissions?.query({ name: 'geolocation' }))?.state,
  };
}

export type Page = ReturnType<typeof readPage>;

/**
 * Whether a page may have the position. `'prompt'`: the browser will ask the player. `'unavailable'`: this page cannot
 * get a position.
 */
type LocationPermission = 'granted' | 'prompt' | 'denied' | 'unavailable';

/** A longer wait for a hint brings no gain. */
const PERMISSION_MS = 250;

/** Within a quarter of a second. Undefined if the browser gives no answer. */
export async function queryPermission(page: Page, limit: Limit): Promise<string | undefined> {
  const milliseconds = Math.min(PERMISSION_MS, limit.milliseconds);
  const asked = await withTimeout(page.permission, { ...limit, milliseconds });
  return asked.ended === 'done' ? asked.value : undefined;
}

/** The permission in the words of a page developer. */
export async function readPermission(page: Page, clock: Clock): Promise<LocationPermission> {
  if (!page.geolocation() || !page.isSecure() || page.isForbidden()) return 'unavailable';
  const state = await queryPermission(page, { clock, milliseconds: PERMISSION_MS });
  return state === 'granted' || state === 'denied' ? state : 'prompt';
}

/**
 * Returns whether this page may have the player's position, without asking the player. Use it to explain the browser's
 * prompt before it opens. `'unavailable'`: the page is not https, a policy forbids geolocation, or the browser has
 * none. Safari, and browsers without the Permissions API, give `'prompt'`. Never rejects.
 *
 * @example
 * ```ts
 * if ((await locationPermission()) === 'prompt') explanation.hidden = false; // before client.locate()
 * ```
 */
export const locationPermission = (): Promise<LocationPermission> =>
  readPermission(readPage(globalThis, undefined), systemClock);

/** The SDK asks the browser for the position. One event covers all calls that wait for it. */
interface LocationAskedEvent {
  /** The type of the event. */
  readonly type: 'location-asked';
  /**
   * `'prompt'`: the browser asks the player, or is about to. `'granted'`: the browser does not ask. Some browsers
   * always say `'prompt'`.
   */
  readonly permission: LocationPermission;
}

/**
 * The browser's answer. The event also comes when the answer arrives after the reports were sent without a position. It
 * does not come while the browser's prompt stays open.
 */
interface LocationAnsweredEvent {
  /** The type of the event. */
  readonly type: 'location-answered';
  /** Why there is no position. Undefined if there is one. */
  readonly reason: LocationFailure | undefined;
  /** How long the request took, in milliseconds. */
  readonly durationMs: number;
}

/** The events of the browser's geolocation. */
export type GeolocationEvent = LocationAskedEvent | LocationAnsweredEvent;
