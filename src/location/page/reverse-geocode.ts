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
  coordinates: Pick<LocationInput, 'latitude' | 'longitude'>,
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

/** One call of the operator's function. */
interface PlaceRequest {
  readonly answer: Promise<TimedResult<Place>>;
  /** A time on the clock, from which the function is called again for the same position. */
  retryAt: number;
}

/**
 * How long a position is used without place names after the function failed, so that not every report waits for it
 * again.
 */
const FAILURE_MEMORY_MS = 30_000;

/**
 * Adds the place names to a position with the operator's own `reverseGeocode`. The names are optional: if the function
 * fails or is slow, the position is used without them. There is one step if the function was called.
 */
export function createPlaceFinder({ reverseGeocode, reverseGeocodeTimeoutMs }: PlaceSettings, clock: Clock) {
  /** The lookups of positions that are remembered: shared by all callers, and forgotten with their position. */
  const requests = new WeakMap<Coordinates, PlaceRequest>();

  function ask(geocode: ReverseGeocode, fix: Coordinates, limit: Limit): PlaceRequest {
    const { latitude, longitude } = fix;
    const now = clock.now();
    const answer = withTimeout(async (signal) => readPlace(await geocode({ latitude, longitude }, { signal })), limit);
    const request = { answer, retryAt: Number.POSITIVE_INFINITY };
    answer.then(({ ended }) => {
      // If it was aborted, only the caller that asked was cancelled.
      if (ended !== 'done') request.retryAt = ended === 'aborted' ? 0 : now + FAILURE_MEMORY_MS;
    });
    requests.set(fix, request);
    return request;
  }

  return async (
    fix: Coordinates,
    { deadline, signal }: { deadline: number; signal: AbortSignalLike | undefined },
  ): Promise<{ readonly place: Place; readonly steps: readonly (LocationStep | FoundStep)[] }> => {
    if (!reverseGeocode) return { place: {}, steps: [] };
    const started = clock.now();
    const left = { clock, milliseconds: deadline - started, signal };
    const known = requests.get(fix);
    const limit = { ...left, milliseconds: Math.min(left.milliseconds, reverseGeocodeTimeoutMs) };
    const { answer } = known && started < known.retryAt ? known : ask(reverseGeocode, fix, limit);
    const waited = await withTimeout(() => answer, left);
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

function readPlace(answer: Place | undefined): Place {
  const { city, region, country } = asOwnRecord(answer);
  return { city: placeName(city), region: placeName(region), country: placeName(country) };
}
