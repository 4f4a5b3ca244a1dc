import type { FoundStep, LocationStep } from '../errors.js';
import { type Clock, limited } from '../time.js';
import type { AbortSignalLike, WebAbortSignal } from '../web-types.js';
import type { Coordinates } from './browser-geolocation.js';
import { placeName } from './providers/answer.js';

/** The names of a place, as far as they are known. */
export interface Place {
  city?: string | undefined;
  region?: string | undefined;
  country?: string | undefined;
}

/** Tells which place is at a pair of coordinates; `signal` is aborted when its time is over. */
export type ReverseGeocode = (
  coordinates: { latitude: number; longitude: number },
  context: { signal: WebAbortSignal },
) => Place | undefined | Promise<Place | undefined>;

export interface PlaceSettings {
  readonly reverseGeocode: ReverseGeocode | undefined;
  /** For one question. */
  readonly reverseGeocodeTimeoutMs: number;
}

export interface PlaceFound {
  readonly place: Place;
  /** One step, if the operator's function was asked. */
  readonly steps: readonly (LocationStep | FoundStep)[];
}

const NOTHING: PlaceFound = { place: {}, steps: [] };

/**
 * Completes a fix through the operator's own `reverseGeocode`. A place is a help and no more: where the function
 * fails or is slow, the fix goes on without it.
 */
export function createPlaceFinder({ reverseGeocode, reverseGeocodeTimeoutMs }: PlaceSettings, clock: Clock) {
  /** A fix that is used again is not asked for again. */
  let last: { latitude: number; longitude: number; place: Place } | undefined;

  return async ({ latitude, longitude }: Coordinates, limit: { deadline: number; signal: AbortSignalLike | undefined }): Promise<PlaceFound> => {
    if (!reverseGeocode) return NOTHING;
    if (last?.latitude === latitude && last.longitude === longitude) return { place: last.place, steps: [] };
    const started = clock.now();
    const milliseconds = Math.min(reverseGeocodeTimeoutMs, limit.deadline - started);
    const answer =
      milliseconds > 0
        ? await limited(async (signal) => readPlace(await reverseGeocode({ latitude, longitude }, { signal })), { clock, milliseconds, signal: limit.signal })
        : ({ ended: 'timeout' } as const);
    const step = { step: 'reverse-geocode', durationMs: clock.now() - started };
    if (answer.ended === 'done') {
      last = { latitude, longitude, place: answer.value };
      return { place: answer.value, steps: [step] };
    }
    const failures = {
      failed: { reason: 'bad-answer', message: 'reverseGeocode threw an error' },
      timeout: { reason: 'timeout', message: 'reverseGeocode did not answer in time' },
      aborted: { reason: 'aborted', message: 'the call was aborted' },
    } as const;
    return { place: {}, steps: [{ ...step, ...failures[answer.ended] }] };
  };
}

/** Own names only, and only such as a report can hold. */
function readPlace(answer: Place | undefined): Place {
  const { city, region, country } = answer ?? {};
  return { city: placeName(city), region: placeName(region), country: placeName(country) };
}
