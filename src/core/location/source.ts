import type { FoundStep, LocationStep } from '../errors/errors.js';
import type { AbortSignalLike } from '../platform/web-types.js';
import { plainCoordinates } from '../schema/copy-json.js';
import type { Location, LocationInput } from '../schema/location.js';

export interface LocateRequest {
  /** The player's public address. */
  readonly clientIP: string | undefined;
  /** A time on the clock, in milliseconds. */
  readonly deadline: number;
  readonly signal: AbortSignalLike | undefined;
}

export type LocationResult =
  | { readonly location: Location; readonly ageMs: number; readonly steps: readonly (LocationStep | FoundStep)[] }
  | { readonly location: undefined; readonly steps: readonly LocationStep[]; readonly advice?: string | undefined };

/** Never rejects. */
export interface LocationSource {
  find(
    request: LocateRequest & { /** Whether no other source is tried after it. */ readonly isLast: boolean },
  ): Promise<LocationResult>;
}

export interface LocationSources {
  readonly sources: readonly LocationSource[];
  /** The problem with a `clientIP`. Undefined in a runtime that does not accept it. */
  readonly clientIpProblem?: (clientIP: unknown) => string | undefined;
  /** The warning that the location of mock mode hides, if a `clientIP` cannot be looked up. Undefined in a page. */
  readonly hiddenByMock?: (clientIP: string | undefined) => string | undefined;
}

/** Finds nothing, for a client for which no source is enabled. */
export const findNothing = async (): Promise<LocationResult> => ({
  location: undefined,
  steps: [
    {
      step: 'ip-lookup',
      reason: 'not-available',
      message: 'no location source is enabled: see location.browser.enabled and location.ip',
      durationMs: 0,
    },
  ],
  advice: 'pass location',
});

/** Adds the source to a location, and leaves out unknown values. */
export function withSource(location: LocationInput, source: string): Location {
  const known = Object.entries(location).filter(([, value]) => value !== undefined);
  return {
    source,
    ...(Object.fromEntries(known) as LocationInput & { latitude: number; longitude: number }),
  } as Location;
}

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
} => ({ fixed: plainCoordinates(location) as LocationInput });
