import type { FoundStep, LocationStep } from '../errors/errors.js';
import type { AbortSignalLike } from '../platform/web-types.js';
import type { Location } from '../schema/location.js';

export interface LocateRequest {
  /** The player's public address. */
  readonly clientIP: string | undefined;
  /** A time on the clock, in milliseconds. */
  readonly deadline: number;
  readonly signal: AbortSignalLike | undefined;
}

/** A location and the steps that led to it; or only the steps, and what helps. */
export type LocationResult =
  | { readonly location: Location; readonly ageMs: number; readonly steps: readonly (LocationStep | FoundStep)[] }
  | { readonly location: undefined; readonly steps: readonly LocationStep[]; readonly advice?: string | undefined };

/** One location source. Never rejects. */
export interface LocationSource {
  find(request: LocateRequest & { /** Whether another source is tried after it. */ readonly isLast: boolean }): Promise<LocationResult>;
}

/** All location sources of one runtime. */
export interface LocationSources {
  /** Tried in this order until one finds a location. */
  readonly sources: readonly LocationSource[];
  /** The problem with a `clientIP`. Undefined in a runtime that does not accept it. */
  readonly clientIpProblem?: (clientIP: unknown) => string | undefined;
}

/** The options leave no source to try. */
export const NO_SOURCE: LocationResult = {
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
};
