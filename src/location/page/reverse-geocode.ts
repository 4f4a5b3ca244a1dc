import type { FoundStep, LocationStep } from '../../errors/errors.js';
import { asOwnRecord } from '../../platform/as-record.js';
import { sweepLater } from '../../platform/sweep-later.js';
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
interface PlaceRequest extends Coordinates {
  readonly answer: Promise<TimedResult<Place>>;
  /** A time on the clock, from which the function is called again for the same position. */
  retryAt: number;
  /** A time on the clock. A device that does not move has the same position again. */
  readonly forgetAt: number;
}

/**
 * How long a position is used without place names after the function failed, so that not every report waits for it
 * again.
 */
const FAILURE_MEMORY_MS = 30_000;
/** How long the names of the last place are kept, in memory. */
const MEMORY_MS = 60_000;

/**
 * Adds the place names to a position with the operator's own `reverseGeocode`. The names are optional: if the function
 * fails or is slow, the position is used without them. There is one step if the function was called.
 */
export function createPlaceFinder({ reverseGeocode, reverseGeocodeTimeoutMs }: PlaceSettings, clock: Clock) {
  /** The last lookup, shared by all callers that wait for it and by later uses of the same position. */
  let last: PlaceRequest | undefined;
  const forgetLater = sweepLater(() => {
    const left = (last?.forgetAt ?? 0) - clock.now();
    if (last && left > 0) return left;
    last = undefined;
    return undefined;
  });

  function ask(geocode: ReverseGeocode, { latitude, longitude }: Coordinates, limit: Limit): PlaceRequest {
    const now = clock.now();
    const answer = withTimeout(async (signal) => readPlace(await geocode({ latitude, longitude }, { signal })), limit);
    const request = { latitude, longitude, answer, retryAt: Number.POSITIVE_INFINITY, forgetAt: now + MEMORY_MS };
    answer.then(({ ended }) => {
      // If it was aborted, only the caller that asked was cancelled.
      if (ended !== 'done') request.retryAt = ended === 'aborted' ? 0 : now + FAILURE_MEMORY_MS;
    });
    return request;
  }

  return async (
    fix: Coordinates,
    { deadline, signal }: { deadline: number; signal: AbortSignalLike | undefined },
  ): Promise<{ readonly place: Place; readonly steps: readonly (LocationStep | FoundStep)[] }> => {
    if (!reverseGeocode) return { place: {}, steps: [] };
    const started = clock.now();
    const left = { clock, milliseconds: deadline - started, signal };
    if (last?.latitude !== fix.latitude || last.longitude !== fix.longitude || started >= last.retryAt) {
      last = ask(reverseGeocode, fix, { ...left, milliseconds: Math.min(left.milliseconds, reverseGeocodeTimeoutMs) });
      forgetLater();
    }
    const { answer } = last;
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
