import * as z from 'zod/mini';
import { finite, latitude, longitude, personal } from './fields.js';
import type { LocationInput } from './location.js';
import { model } from './model.js';

/** Where a player was seen, and when. */
export interface LocationObservation extends LocationInput {
  /** When: milliseconds since 1970, a `Date`, or Unix seconds as a string, as reports hold it. */
  timestamp?: number | Date | string | undefined;
  /** How old the position was by then, in milliseconds. */
  ageMs?: number | undefined;
  /** The IANA name of a time zone: what the page's `Intl` says, or what a database says of the address. */
  timeZone?: string | undefined;
}

/** What counts as too far, too fast or too old in `locationSignals`. */
export interface LocationSignalLimits {
  /** Metres between the two, beyond both accuracies. Default: 100,000. */
  distanceMetres?: number | undefined;
  /** Kilometres per hour; an airliner flies about 900. Default: 1,000. */
  kilometresPerHour?: number | undefined;
  /** Minutes between the two time zones; neighbours differ by 60. Default: 60. */
  timeZoneMinutes?: number | undefined;
  /** An accuracy of fewer metres is implausible. Default: 1. */
  leastAccuracyMetres?: number | undefined;
  /** An accuracy of more metres is implausible. Default: 1,000,000. */
  mostAccuracyMetres?: number | undefined;
  /** A position that is older is stale, in milliseconds. Default: 300,000. */
  ageMs?: number | undefined;
  /** How near to 0° N 0° E counts as null island, in metres. Default: 1,000. */
  nullIslandMetres?: number | undefined;
}

/** What `locationSignals` takes beside the two observations. */
export interface LocationSignalOptions {
  /** What counts as too much. */
  limits?: LocationSignalLimits | undefined;
  /** For which moment the time zones are compared where neither observation says when it was. Default: now. */
  at?: number | Date | string | undefined;
}

const MOMENT = 'milliseconds since 1970, a Date, or Unix seconds as a string of at most 10 digits';

/** In the year 1973: as milliseconds a smaller number is one of seconds. */
const LEAST_MILLISECONDS = 100_000_000_000;
/** The last moment that a `Date` can hold. */
const MOST_MILLISECONDS = 8_640_000_000_000_000;

/** A moment in milliseconds since 1970; NaN where it is none. */
export function momentOf(given: unknown): number {
  if (typeof given === 'string') return /^[0-9]{1,10}$/.test(given) ? Number(given) * 1000 : Number.NaN;
  // Also that of another realm.
  if (Object.prototype.toString.call(given) === '[object Date]') return Date.prototype.getTime.call(given);
  return typeof given === 'number' && given >= LEAST_MILLISECONDS && given <= MOST_MILLISECONDS ? given : Number.NaN;
}

const looksLikeSeconds = (given: unknown) => typeof given === 'number' && given >= 0 && given < LEAST_MILLISECONDS;

const moment = () =>
  z.custom((given) => !Number.isNaN(momentOf(given)), {
    error: ({ input }) => (looksLikeSeconds(input) ? `${MOMENT}; this looks like seconds, multiply by 1000` : MOMENT),
  });

const from0 = (what: string) => {
  const expected = `${what} from 0`;
  return z.number(expected).check(z.refine((value) => value >= 0, expected));
};

/** What is read of an observation: zero coordinates are a place, and an accuracy has no bounds, as in a report. */
export const observation = model(
  { latitude: personal(latitude()), longitude: personal(longitude()) },
  {
    accuracy: personal(finite()),
    timestamp: moment(),
    ageMs: from0('a number of milliseconds'),
    timeZone: personal(z.string('the name of a time zone')),
  },
);

/** The options of `locationSignals`. */
export const signalOptions = model(
  {},
  {
    at: moment(),
    limits: model(
      {},
      {
        distanceMetres: from0('a number of metres'),
        kilometresPerHour: from0('a number of kilometres per hour'),
        timeZoneMinutes: from0('a number of minutes'),
        leastAccuracyMetres: from0('a number of metres'),
        mostAccuracyMetres: from0('a number of metres'),
        ageMs: from0('a number of milliseconds'),
        nullIslandMetres: from0('a number of metres'),
      },
    ),
  },
);
