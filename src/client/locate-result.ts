import type { FoundStep, LocationStep } from '../errors/errors.js';
import type { Location } from '../schema/location.js';

/**
 * What `locate` resolves with: a location, and how it was obtained. It may be passed as it is as the `location` of a
 * report, in this process or, as JSON, in another: `ageMs` and `steps` are not sent to the gateway.
 */
export interface LocateResult extends Location {
  /** How long ago the location was obtained, in milliseconds: 0, unless one was used again. */
  ageMs: number;
  /**
   * What was tried, in order: what failed and why, then what gave the location, then `reverseGeocode`, if it was asked. Empty where a
   * fixed location stands in.
   */
  steps: readonly (LocationStep | FoundStep)[];
}
