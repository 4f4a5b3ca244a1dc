import * as z from 'zod/mini';
import { finite, latitude, longitude, personal } from './fields.js';
import type { LocationInput } from './location.js';
import { model } from './model.js';
import { option, optional, within } from './option-rules.js';

/** The place and time at which a player was seen. */
export interface LocationObservation extends LocationInput {
  /** The time: milliseconds since 1970, a `Date`, or Unix seconds as a string, as in reports. */
  timestamp?: number | Date | string | undefined;
  /** How old the position was at that time, in milliseconds. */
  ageMs?: number | undefined;
  /** The IANA name of a time zone, from the page's `Intl` or from a database for the address. */
  timeZone?: string | undefined;
}

/** The limits of distance, speed and age in `locationSignals`. */
interface LocationSignalLimits {
  /** Metres between the two, beyond both accuracies. Default: 100,000. */
  distanceMetres?: number | undefined;
  /** Kilometres per hour. An airliner flies about 900. Default: 1,000. */
  kilometresPerHour?: number | undefined;
  /** Minutes between the two time zones. Neighbours differ by 60. Default: 60. */
  timeZoneMinutes?: number | undefined;
  /** An accuracy below this number of metres is implausible. Default: 1. */
  leastAccuracyMetres?: number | undefined;
  /** An accuracy above this number of metres is implausible. Default: 1,000,000. */
  mostAccuracyMetres?: number | undefined;
  /** A position older than this is stale, in milliseconds. Default: 300,000. */
  ageMs?: number | undefined;
  /** The distance from 0° N 0° E that counts as null island, in metres. Default: 1,000. */
  nullIslandMetres?: number | undefined;
}

/** The options of `locationSignals`, beside the two observations. */
export interface LocationSignalOptions {
  /** The limits. */
  limits?: LocationSignalLimits | undefined;
  /** The moment at which the time zones are compared, if neither observation has a time. Default: now. */
  at?: number | Date | string | undefined;
}

const MOMENT = 'milliseconds since 1970, a Date, or Unix seconds as a string of at most 10 digits';

/** In the year 1973: a smaller number of milliseconds is probably one of seconds. */
const LEAST_MILLISECONDS = 100_000_000_000;
/** The last moment that a `Date` can express. */
const MOST_MILLISECONDS = 8_640_000_000_000_000;

/** A moment in milliseconds since 1970. NaN if it is not valid. */
export function momentOf(given: unknown): number {
  if (typeof given === 'string') return /^[0-9]{1,10}$/.test(given) ? Number(given) * 1000 : Number.NaN;
  // Also a Date of another realm.
  if (Object.prototype.toString.call(given) === '[object Date]') return Date.prototype.getTime.call(given);
  return typeof given === 'number' && given >= LEAST_MILLISECONDS && given <= MOST_MILLISECONDS ? given : Number.NaN;
}

const moment = () =>
  z.custom((given) => !Number.isNaN(momentOf(given)), {
    error: ({ input }) =>
      typeof input === 'number' && input >= 0 && input < LEAST_MILLISECONDS
        ? `${MOMENT}; this looks like seconds, multiply by 1000`
        : MOMENT,
  });

/**
 * The members that are read of an observation. Zero coordinates are a place, and an accuracy has no bounds, as in a
 * report.
 */
export const observation = model(
  { latitude: personal(latitude()), longitude: personal(longitude()) },
  {
    accuracy: personal(finite()),
    timestamp: moment(),
    ageMs: within('milliseconds', 0),
    timeZone: personal(z.string('the name of a time zone')),
  },
);

/** The options of `locationSignals` with their defaults. */
export const signalOptions = {
  at: optional<LocationSignalOptions['at']>(moment()),
  limits: {
    distanceMetres: option(within('metres', 0), 100_000),
    kilometresPerHour: option(within('kilometres per hour', 0), 1_000),
    timeZoneMinutes: option(within('minutes', 0), 60),
    leastAccuracyMetres: option(within('metres', 0), 1),
    mostAccuracyMetres: option(within('metres', 0), 1_000_000),
    ageMs: option(within('milliseconds', 0), 300_000),
    nullIslandMetres: option(within('metres', 0), 1_000),
  },
};
