import type { AttemptEvent } from '../delivery/events.js';
import type { Environment, LocationFailure } from '../errors/errors.js';
import type { GeolocationEvent } from '../location/events.js';

/** A step of the location chain has ended. */
export interface LocationStepEvent {
  /** The type of the event. */
  readonly type: 'location-step';
  /** The operation that needed the location: a function's name. */
  readonly operation: string;
  /** Undefined with a relay, which has its own environment. */
  readonly environment: Environment | undefined;
  /** `'browser-geolocation'`, `'client-ip'`, `'ip-lookup'`, `'reverse-geocode'`, or the name of the lookup service. */
  readonly step: string;
  /** How long the step took, in milliseconds. */
  readonly durationMs: number;
  /** Why the step failed. Undefined if it succeeded. */
  readonly reason: LocationFailure | undefined;
}

/** The events that the option `onEvent` receives; `type` identifies the event. None contains a secret, a coordinate or personal data. */
export type ClientEvent = LocationStepEvent | GeolocationEvent | AttemptEvent;
