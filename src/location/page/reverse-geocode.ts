import type { FoundStep, LocationStep } from '../../errors/errors.js';
import { asOwnRecord } from '../../platform/as-record.js';
import { type Clock, type Limit, type TimedResult, withTimeout } from '../../platform/time.js';
import type { AbortSignalLike, WebAbortSignal } from '../../platform/web-types.js';
import type { LocationInput } from '../../schema/location.js';
import { placeName } from '../read-place.js';

/** The names of a place, if known. */
export type Place = Pick<LocationInput, 'city' | 'region' | 'country'>;

type Coordinates = Pick<LocationInput, 'latitude' | 'longitude'>;

/** Returns the names of the place at a pair of coordinates. `signal` is aborted when the time is over. */
export type ReverseGeocode = (
  coordinates: Coordinates,
  context: {
    /** Aborted when the time for this lookup is over. */
    signal: WebAbortSignal;
  },
) => Place | undefined | Promise<Place | undefined>;

export interface PlaceSettings {
  readonly reverseGeocode: ReverseGeocode | undefined;
  /** The limit for one lookup. */
  readonly reverseGeocodeTimeoutMs: number;
}

interface PlaceFound {
  readonly place: Place;
  /** One step, if the operator's function was called. */
  readonly steps: readonly (LocationStep | FoundStep)[];
}

const NOTHING: PlaceFound = { place: {}, steps: [] };

/** One call of the operator's function. */
interface PlaceRequest {
  readonly latitude: number;
  readonly longitude: number;
  readonly askedAt: number;
  readonly answer: Promise<TimedResult<Place>>;
  failed?: boolean;
}

/**
 * How long a position is used without place names after the function failed, so that not every report waits for it
 * again.
 */
const FAILURE_MEMORY_MS = 30_000;

/**
 * Adds the place names to a position with the operator's own `reverseGeocode`. The names are optional: if the function
 * fails or is slow, the position is used without them.
 */
export function createPlaceFinder({ reverseGeocode, reverseGeocodeTimeoutMs }: PlaceSettings, clock: Clock) {
  /** The last lookup, shared by all callers that wait for it and by later uses of the same position. */
  let last: PlaceRequest | undefined;

  function ask(geocode: ReverseGeocode, { latitude, longitude }: Coordinates, limit: Limit): PlaceRequest {
    const answer = withTimeout(async (signal) => readPlace(await geocode({ latitude, longitude }, { signal })), limit);
    const request: PlaceRequest = { latitude, longitude, askedAt: clock.now(), answer };
    answer.then(({ ended }) => {
      request.failed = ended === 'failed' || ended === 'timeout';
      // Only the caller that asked was cancelled.
      if (ended === 'aborted') last = undefined;
    });
    return request;
  }

  /** The last lookup, if it was for the same position. A failed one is repeated after a while. */
  function sameAsLast({ latitude, longitude }: Coordinates): PlaceRequest | undefined {
    if (last?.latitude !== latitude || last.longitude !== longitude) return undefined;
    return last.failed && clock.now() - last.askedAt >= FAILURE_MEMORY_MS ? undefined : last;
  }

  return async (
    fix: Coordinates,
    { deadline, signal }: { deadline: number; signal: AbortSignalLike | undefined },
  ): Promise<PlaceFound> => {
    if (!reverseGeocode) return NOTHING;
    const started = clock.now();
    const left = { clock, milliseconds: deadline - started, signal };
    const milliseconds = Math.min(left.milliseconds, reverseGeocodeTimeoutMs);
    const request = sameAsLast(fix) ?? ask(reverseGeocode, fix, { ...left, milliseconds });
    last = request;
    const waited = await withTimeout(() => request.answer, left);
    const result = waited.ended === 'done' ? waited.value : waited;
    const step = { step: 'reverse-geocode', durationMs: clock.now() - started };
    if (result.ended === 'done') return { place: result.value, steps: [step] };
    const failure: Pick<LocationStep, 'reason' | 'message'> =
      result.ended === 'failed'
        ? { reason: 'bad-answer', message: 'reverseGeocode threw an error' }
        : { reason: result.ended, message: 'reverseGeocode did not answer in time' };
    return { place: {}, steps: [{ ...step, ...failure }] };
  };
}

/** Own properties only, and only values that a report can contain. */
function readPlace(answer: Place | undefined): Place {
  const { city, region, country } = asOwnRecord(answer);
  return { city: placeName(city), region: placeName(region), country: placeName(country) };
}
