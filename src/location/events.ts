import type { LocationFailure } from '../errors/errors.js';
import type { LocationPermission } from './page/permission.js';

/** The browser is asked for the position; one event for all calls that wait for it. */
export interface LocationAskedEvent {
  /** Which event it is. */
  readonly type: 'location-asked';
  /** `'prompt'`: the player sees the browser's question, or will. `'granted'`: no question is shown. Some browsers always say `'prompt'`. */
  readonly permission: LocationPermission;
}

/** The browser's answer, also one that comes after the reports have gone without it. Never told of a question that stays open. */
export interface LocationAnsweredEvent {
  /** Which event it is. */
  readonly type: 'location-answered';
  /** Why there is no position; undefined where there is one. */
  readonly reason: LocationFailure | undefined;
  /** How long it took, in milliseconds. */
  readonly durationMs: number;
}

/** What the browser's geolocation tells while it runs. */
export type GeolocationEvent = LocationAskedEvent | LocationAnsweredEvent;
