import type { LocationInput } from '../schema/location.js';

/**
 * A location for terminals that never move, and for tests: the whole chain is replaced by it.
 *
 * @example
 * ```ts
 * createClient({ location: fixedLocation({ latitude: 6.45, longitude: 3.39, source: 'terminal' }) });
 * ```
 */
export const fixedLocation = (
  location: LocationInput,
): {
  /** The location that every call gets. */
  fixed: LocationInput;
} => ({ fixed: location });
