import type { FoundStep, LocationStep } from '../../errors/errors.js';
import { asOwnRecord } from '../../platform/as-record.js';
import { type Clock, withTimeout } from '../../platform/time.js';
import type { AbortSignalLike, WebAbortSignal } from '../../platform/web-types.js';
import { placeName } from '../read-place.js';
import type { Coordinates } from './position.js';

/** The names of a place, if known. */
export interface Place {
  /** Name of the city or town. */
  city?: string | undefined;
  /** Name of the state or region. */
  region?: string | undefined;
  /** Two-letter code or name of the country, as the source gives it. */
  country?: string | undefined;
}

/** Returns the names of the place at a pair of coordinates. `signal` is aborted when the time is over. */
export type ReverseGeocode = (
  coordinates: {
    /** Degrees, north of the equator. */
    latitude: number;
    /** Degrees, east of Greenwich. */
    longitude: number;
  },
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

export interface PlaceFound {
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
  /** Never rejects. */
  answer: Promise<PlaceFound>;
  failed: boolean;
  waiting: number;
  readonly callersLeft: AbortController;
}

const FAILED = { reason: 'bad-answer', message: 'reverseGeocode threw an error' } as const;
const NOT_YET = 'reverseGeocode did not answer in time';

/** How long a position is used without place names after the function failed, so that not every report waits for it again. */
const FAILURE_MEMORY_MS = 30_000;

/**
 * Adds the place names to a position with the operator's own `reverseGeocode`. The names are optional: if the function
 * fails or is slow, the position is used without them.
 */
export function createPlaceFinder({ reverseGeocode, reverseGeocodeTimeoutMs }: PlaceSettings, clock: Clock) {
  /** The last lookup, shared by all callers that wait for it and by later uses of the same position. */
  let last: PlaceRequest | undefined;

  function ask(geocode: ReverseGeocode, { latitude, longitude }: Coordinates): PlaceRequest {
    const callersLeft = new AbortController();
    const work = async (signal: WebAbortSignal) => readPlace(await geocode({ latitude, longitude }, { signal }));
    const question: PlaceRequest = { latitude, longitude, askedAt: clock.now(), answer: Promise.resolve(NOTHING), failed: false, waiting: 0, callersLeft };
    question.answer = withTimeout(work, { clock, milliseconds: reverseGeocodeTimeoutMs, signal: callersLeft.signal }).then((answer) => {
      const step = { step: 'reverse-geocode', durationMs: clock.now() - question.askedAt };
      if (answer.ended === 'done') return { place: answer.value, steps: [step] };
      question.failed = true;
      return { place: {}, steps: [{ ...step, ...(answer.ended === 'failed' ? FAILED : { reason: 'timeout', message: NOT_YET }) }] };
    });
    return question;
  }

  /** The last lookup, if it was for the same position. A failed one is repeated after a while. */
  function sameAsLast({ latitude, longitude }: Coordinates): PlaceRequest | undefined {
    if (last?.latitude !== latitude || last.longitude !== longitude) return undefined;
    return last.failed && clock.now() - last.askedAt >= FAILURE_MEMORY_MS ? undefined : last;
  }

  return async (fix: Coordinates, { deadline, signal }: { deadline: number; signal: AbortSignalLike | undefined }): Promise<PlaceFound> => {
    if (!reverseGeocode) return NOTHING;
    const started = clock.now();
    const known = sameAsLast(fix);
    const question = known ?? ask(reverseGeocode, fix);
    last = question;
    question.waiting += 1;
    const waited = await withTimeout(() => question.answer, { clock, milliseconds: deadline - started, signal });
    question.waiting -= 1;
    if (question.waiting === 0) question.callersLeft.abort();
    // A cached result is not a step of this call.
    if (waited.ended === 'done') return known && clock.now() === started ? { place: waited.value.place, steps: [] } : waited.value;
    const reason = waited.ended === 'aborted' ? 'aborted' : 'timeout';
    return { place: {}, steps: [{ step: 'reverse-geocode', durationMs: clock.now() - started, reason, message: NOT_YET }] };
  };
}

/** Own properties only, and only values that a report can contain. */
function readPlace(answer: Place | undefined): Place {
  const { city, region, country } = asOwnRecord(answer);
  return { city: placeName(city), region: placeName(region), country: placeName(country) };
}
