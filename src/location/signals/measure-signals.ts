import { type LocationObservation, momentOf, type signalOptions } from '../../schema/observation.js';
import type { CompleteOptions } from '../../schema/option-rules.js';

export interface Point {
  /** Degrees. */
  readonly latitude: number;
  readonly longitude: number;
}

/** The mean radius of the earth, in metres. */
const EARTH_RADIUS = 6_371_008.8;

const radians = (degrees: number) => (degrees * Math.PI) / 180;

/**
 * The distance along the surface, in metres (haversine formula on a sphere). The earth is not a sphere: the error is
 * 0.6 % at most.
 */
export function distanceBetween(a: Point, b: Point): number {
  const half = (from: number, to: number) => Math.sin(radians(to - from) / 2) ** 2;
  const chord =
    half(a.latitude, b.latitude) +
    Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * half(a.longitude, b.longitude);
  // Rounding can make it slightly more than 1 between opposite points.
  return 2 * EARTH_RADIUS * Math.asin(Math.sqrt(Math.min(1, chord)));
}

/** How far a time zone was ahead of UTC at a moment, in minutes. Undefined if the platform does not have the zone. */
function utcOffset(timeZone: string, moment: number): number | undefined {
  try {
    const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).formatToParts(moment);
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    // "GMT+05:45", or "GMT" alone.
    const [, sign, hours = 0, minutes = 0] = /^GMT(?:([-+])(\d\d):(\d\d))?/.exec(name) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  } catch {
    return undefined;
  }
}

/** The answer of a check. It is unknown if the value was not measured. */
type SignalAnswer = 'yes' | 'no' | 'unknown';

/** Why a part of a signal is unknown. */
type UnknownBecause =
  /** An observation has no accuracy, or a negative one. */
  | 'no-accuracy'
  /** An observation has no time. */
  | 'no-timestamp'
  /** The second observation is not later than the first. */
  | 'not-later'
  /** An observation has no time zone. */
  | 'no-time-zone'
  /** This platform does not know one of the time zones. */
  | 'time-zone-not-known'
  /** The observation has no age of the position. */
  | 'no-age';

/** Present if a part is unknown. */
interface Explained {
  /** Why a value here is `'unknown'`. Left out if none is. */
  readonly unknownBecause?: UnknownBecause;
}

/** The signals of one observation. */
interface ObservationSignals {
  /** The accuracy as given, and whether it is outside the range that lookup services give. */
  readonly accuracy: Explained & {
    /** The accuracy as given, in metres. */
    readonly metres: number | 'unknown';
    /** Whether it is below `leastAccuracyMetres` or above `mostAccuracyMetres`. */
    readonly implausible: SignalAnswer;
  };
  /** How old the position was when it was used, and whether that exceeds the limit. */
  readonly age: Explained & {
    /** The age in milliseconds. */
    readonly ms: number | 'unknown';
    /** Whether it is above `ageMs`. */
    readonly stale: SignalAnswer;
  };
  /** Whether it is at 0° N 0° E, a point in the ocean that many programs write for an unknown place. */
  readonly nullIsland: SignalAnswer;
}

/**
 * The result of `locationSignals`: measured values, and whether each is beyond its limit. It contains no coordinate.
 */
export interface LocationSignals {
  /** Metres along the surface, to within 0.6 %, and the part that the accuracies do not explain if both are known. */
  readonly distance: Explained & {
    /** Metres between the two positions. */
    readonly metres: number;
    /** Metres that are left after both accuracies are subtracted. Not below 0. */
    readonly beyondAccuraciesMetres: number | 'unknown';
    /** Whether the rest is above `distanceMetres`. */
    readonly beyondLimit: SignalAnswer;
  };
  /**
   * The speed of travel from the first position to the second: along the straight line, and at least. The least speed
   * takes the shortest distance that the accuracies allow, and the longest time that timestamps in whole seconds allow.
   */
  readonly speed: Explained & {
    /** Seconds from the first to the second. */
    readonly seconds: number | 'unknown';
    /** The speed along the straight line. */
    readonly kilometresPerHour: number | 'unknown';
    /** The lowest speed that accuracies and rounded times allow. */
    readonly atLeastKilometresPerHour: number | 'unknown';
    /** Whether the lowest speed is above the limit `kilometresPerHour`. */
    readonly beyondLimit: SignalAnswer;
  };
  /** Minutes between the UTC offsets of the two time zones, at the moment of the second observation. */
  readonly timeZone: Explained & {
    /** Minutes between the two offsets. Not below 0. */
    readonly differenceMinutes: number | 'unknown';
    /** Whether the difference is above `timeZoneMinutes`. */
    readonly beyondLimit: SignalAnswer;
  };
  /** The first of the two observations. */
  readonly a: ObservationSignals;
  /** The second of the two observations. */
  readonly b: ObservationSignals;
}

type Limits = CompleteOptions<typeof signalOptions>['limits'];

const answer = (is: boolean): SignalAnswer => (is ? 'yes' : 'no');
const because = (reason: UnknownBecause | undefined): Explained => (reason ? { unknownBecause: reason } : {});
const tenths = (round: (value: number) => number, value: number) => round(value * 10) / 10;

/** An accuracy that is usable in a calculation. */
const radius = ({ accuracy }: LocationObservation) => (accuracy === undefined || accuracy < 0 ? undefined : accuracy);

const takenAt = ({ timestamp, ageMs = 0 }: LocationObservation) =>
  timestamp === undefined ? undefined : momentOf(timestamp) - ageMs;

function measureDistance(a: LocationObservation, b: LocationObservation, limits: Limits): LocationSignals['distance'] {
  const metres = Math.round(distanceBetween(a, b));
  const [first, second] = [radius(a), radius(b)];
  // The distance that is left if an unknown accuracy counts as 0.
  const most = Math.max(0, Math.floor(metres - (first ?? 0) - (second ?? 0)));
  const known = first !== undefined && second !== undefined;
  return {
    metres,
    beyondAccuraciesMetres: known ? most : 'unknown',
    beyondLimit: known || most <= limits.distanceMetres ? answer(most > limits.distanceMetres) : 'unknown',
    ...because(known ? undefined : 'no-accuracy'),
  };
}

const NO_SPEED = {
  seconds: 'unknown',
  kilometresPerHour: 'unknown',
  atLeastKilometresPerHour: 'unknown',
  beyondLimit: 'unknown',
} as const;

function measureSpeed(
  a: LocationObservation,
  b: LocationObservation,
  distance: LocationSignals['distance'],
  limits: Limits,
): LocationSignals['speed'] {
  const [from, to] = [takenAt(a), takenAt(b)];
  if (from === undefined || to === undefined) return { ...NO_SPEED, ...because('no-timestamp') };
  const seconds = (to - from) / 1000;
  if (seconds <= 0) return { ...NO_SPEED, seconds, ...because('not-later') };
  const { metres, beyondAccuraciesMetres: beyond } = distance;
  const kilometresPerHour = tenths(Math.round, (metres / seconds) * 3.6);
  // Timestamps in whole seconds may hide up to one more second.
  const longest = seconds + (typeof b.timestamp === 'string' ? 1 : 0);
  const atLeast = beyond === 'unknown' ? beyond : tenths(Math.floor, (beyond / longest) * 3.6);
  const limit = limits.kilometresPerHour;
  return {
    seconds,
    kilometresPerHour,
    atLeastKilometresPerHour: atLeast,
    beyondLimit: atLeast !== 'unknown' ? answer(atLeast > limit) : kilometresPerHour <= limit ? 'no' : 'unknown',
    ...because(atLeast === 'unknown' ? 'no-accuracy' : undefined),
  };
}

function compareTimeZones(
  a: LocationObservation,
  b: LocationObservation,
  now: number,
  limits: Limits,
): LocationSignals['timeZone'] {
  const unknown = (reason: UnknownBecause) =>
    ({ differenceMinutes: 'unknown', beyondLimit: 'unknown', unknownBecause: reason }) as const;
  if (a.timeZone === undefined || b.timeZone === undefined) return unknown('no-time-zone');
  const said = b.timestamp ?? a.timestamp;
  const moment = said === undefined ? now : momentOf(said);
  const [first, second] = [utcOffset(a.timeZone, moment), utcOffset(b.timeZone, moment)];
  if (first === undefined || second === undefined) return unknown('time-zone-not-known');
  const differenceMinutes = Math.abs(first - second);
  return { differenceMinutes, beyondLimit: answer(differenceMinutes > limits.timeZoneMinutes) };
}

function lookAt(one: LocationObservation, limits: Limits): ObservationSignals {
  const { accuracy, ageMs } = one;
  return {
    accuracy:
      accuracy === undefined
        ? { metres: 'unknown', implausible: 'unknown', ...because('no-accuracy') }
        : {
            metres: accuracy,
            implausible: answer(accuracy < limits.leastAccuracyMetres || accuracy > limits.mostAccuracyMetres),
          },
    age:
      ageMs === undefined
        ? { ms: 'unknown', stale: 'unknown', ...because('no-age') }
        : { ms: ageMs, stale: answer(ageMs > limits.ageMs) },
    nullIsland: answer(distanceBetween(one, { latitude: 0, longitude: 0 }) <= limits.nullIslandMetres),
  };
}

/** Measures two checked observations. `now` is the moment for time zones if neither observation has a time. */
export function measureSignals(
  a: LocationObservation,
  b: LocationObservation,
  limits: Limits,
  now: number,
): LocationSignals {
  const distance = measureDistance(a, b, limits);
  return {
    distance,
    speed: measureSpeed(a, b, distance, limits),
    timeZone: compareTimeZones(a, b, now, limits),
    a: lookAt(a, limits),
    b: lookAt(b, limits),
  };
}
