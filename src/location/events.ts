import type { LocationFailure } from '../errors/errors.js';
import type { LocationPermission } from './page/permission.js';

/** The SDK asks the browser for the position. One event covers all calls that wait for it. */
export interface LocationAskedEvent {
  /** The type of the event. */
  readonly type: 'location-asked';
  /** `'prompt'`: the browser asks the player, or is about to. `'granted'`: the browser does not ask. Some browsers always say `'prompt'`. */
  readonly permission: LocationPermission;
}

/**
 * The browser's answer. The event also comes when the answer arrives after the reports were sent without a position. It
 * does not come while the browser's prompt stays open.
 */
export interface LocationAnsweredEvent {
  /** The type of the event. */
  readonly type: 'location-answered';
  /** Why there is no position. Undefined if there is one. */
  readonly reason: LocationFailure | undefined;
  /** How long the request took, in milliseconds. */
  readonly durationMs: number;
}

/** The events of the browser's geolocation. */
export type GeolocationEvent = LocationAskedEvent | LocationAnsweredEvent;
