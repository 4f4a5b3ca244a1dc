import type { LocationInput } from '../schema/location.js';

/**
 * A fixed location in place of the location chain: for terminals that never move, and for tests.
 *
 * @example
 * ```ts
 * createClient({ location: fixedLocation({ latitude: 6.45, longitude: 3.39, source: 'terminal' }) });
 * ```
 */
export const fixedLocation = (
  location: LocationInput,
): {
  /** The location that every call uses. */
  fixed: LocationInput;
} => ({ fixed: location });
