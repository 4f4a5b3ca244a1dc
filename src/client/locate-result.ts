import type { FoundStep, LocationStep } from '../errors/errors.js';
import type { Location } from '../schema/location.js';

/**
 * The result of `locate`: a location, and how it was found. You may pass it unchanged as the `location` of a report, in
 * this process or, as JSON, in another: `ageMs` and `steps` are not sent to the gateway.
 */
export interface LocateResult extends Location {
  /** How long ago the location was found, in milliseconds. 0 unless a cached one was used. */
  ageMs: number;
  /**
   * The steps, in order: those that failed and why, then the one that gave the location, then `reverseGeocode` if it
   * was called. Empty for a fixed location.
   */
  steps: readonly (LocationStep | FoundStep)[];
}
