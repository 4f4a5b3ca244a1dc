import type { AttemptEvent } from '../delivery/events.js';
import type { Environment, LocationFailure } from '../errors/errors.js';
import type { GeolocationEvent } from '../location/events.js';

/** A step of the location chain came to its end. */
export interface LocationStepEvent {
  /** Which event it is. */
  readonly type: 'location-step';
  /** The call that wanted the location: a function's name. */
  readonly operation: string;
  /** Undefined with a relay, whose environment is its own. */
  readonly environment: Environment | undefined;
  /** `'browser-geolocation'`, `'client-ip'`, `'ip-lookup'`, `'reverse-geocode'`, or the name of the lookup service. */
  readonly step: string;
  /** How long it took, in milliseconds. */
  readonly durationMs: number;
  /** Why it failed; undefined where it succeeded. */
  readonly reason: LocationFailure | undefined;
}

/** What the option `onEvent` is told; `type` says which event it is. None holds a secret, a coordinate or personal data. */
export type ClientEvent = LocationStepEvent | GeolocationEvent | AttemptEvent;
