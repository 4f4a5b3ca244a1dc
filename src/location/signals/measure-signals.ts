import { type LocationObservation, type LocationSignalLimits, momentOf } from '../../schema/observation.js';
import { distanceBetween } from './great-circle.js';
import { utcOffset } from './utc-offset.js';

/** Whether something is so: what was not measured is neither. */
export type SignalAnswer = 'yes' | 'no' | 'unknown';

/** Why a part of a signal is unknown. */
export type UnknownBecause =
  /** An observation has no accuracy, or a negative one. */
  | 'no-accuracy'
  /** An observation does not say when it was. */
  | 'no-timestamp'
  /** The second observation is not later than the first. */
  | 'not-later'
  /** An observation has no time zone. */
  | 'no-time-zone'
  /** This platform does not know one of the time zones. */
  | 'time-zone-not-known'
  /** The observation does not say how old the position was. */
  | 'no-age';

/** Present where a part is unknown. */
interface Explained {
  /** Why a value here is `'unknown'`; left out where none is. */
  readonly unknownBecause?: UnknownBecause;
}

/** What is told of one observation. */
export interface ObservationSignals {
  /** The accuracy as given, and whether it is less or more than any service's. */
  readonly accuracy: Explained & {
    /** The accuracy as given, in metres. */
    readonly metres: number | 'unknown';
    /** Whether it is below `leastAccuracyMetres` or above `mostAccuracyMetres`. */
    readonly implausible: SignalAnswer;
  };
  /** How old the position was when it was used, and whether that is too old. */
  readonly age: Explained & {
    /** The age in milliseconds. */
    readonly ms: number | 'unknown';
    /** Whether it is above `ageMs`. */
    readonly stale: SignalAnswer;
  };
  /** Whether it is at 0° N 0° E, where many programs put what they could not find. Nobody lives there. */
  readonly nullIsland: SignalAnswer;
}

/** What `locationSignals` returns: measured values, and whether each is beyond its limit. No coordinate is among them. */
export interface LocationSignals {
  /** Metres along the surface, to within 0.6 %; and what of it no accuracy explains, where both are known. */
  readonly distance: Explained & {
    /** Metres from the one to the other. */
    readonly metres: number;
    /** Metres that are left when both accuracies are taken off; not below 0. */
    readonly beyondAccuraciesMetres: number | 'unknown';
    /** Whether what is left is above `distanceMetres`. */
    readonly beyondLimit: SignalAnswer;
  };
  /**
   * How fast the player would have travelled from the first to the second: straight from one to the other, and at least,
   * if each was as near to the other as its accuracy allows and the time as long as seconds without fractions allow.
   */
  readonly speed: Explained & {
    /** Seconds from the first to the second. */
    readonly seconds: number | 'unknown';
    /** Straight from the one to the other. */
    readonly kilometresPerHour: number | 'unknown';
    /** The least that accuracies and rounded times allow. */
    readonly atLeastKilometresPerHour: number | 'unknown';
    /** Whether the least is above the limit `kilometresPerHour`. */
    readonly beyondLimit: SignalAnswer;
  };
  /** Minutes between the two time zones' UTC offsets at the moment of the second observation. */
  readonly timeZone: Explained & {
    /** Minutes between the two offsets, not below 0. */
    readonly differenceMinutes: number | 'unknown';
    /** Whether they are above `timeZoneMinutes`. */
    readonly beyondLimit: SignalAnswer;
  };
  /** The first of the two observations. */
  readonly a: ObservationSignals;
  /** The second of the two observations. */
  readonly b: ObservationSignals;
}

/** What counts as too much where nothing else is said. */
export const STANDARD_LIMITS = {
  distanceMetres: 100_000,
  kilometresPerHour: 1_000,
  timeZoneMinutes: 60,
  leastAccuracyMetres: 1,
  mostAccuracyMetres: 1_000_000,
  ageMs: 300_000,
  nullIslandMetres: 1_000,
} satisfies Required<LocationSignalLimits>;

export type Limits = typeof STANDARD_LIMITS;

const answer = (is: boolean): SignalAnswer => (is ? 'yes' : 'no');
const because = (reason: UnknownBecause | undefined): Explained => (reason ? { unknownBecause: reason } : {});
const tenths = (round: (value: number) => number, value: number) => round(value * 10) / 10;

/** An accuracy that may be reckoned with. */
const radius = ({ accuracy }: LocationObservation) => (accuracy === undefined || accuracy < 0 ? undefined : accuracy);

/** When the position was taken. */
const takenAt = ({ timestamp, ageMs = 0 }: LocationObservation) => (timestamp === undefined ? undefined : momentOf(timestamp) - ageMs);

function measureDistance(a: LocationObservation, b: LocationObservation, limits: Limits): LocationSignals['distance'] {
  const metres = Math.round(distanceBetween(a, b));
  const [first, second] = [radius(a), radius(b)];
  // What is left if an accuracy that is not known is none at all.
  const most = Math.max(0, Math.floor(metres - (first ?? 0) - (second ?? 0)));
  const known = first !== undefined && second !== undefined;
  return {
    metres,
    beyondAccuraciesMetres: known ? most : 'unknown',
    beyondLimit: known || most <= limits.distanceMetres ? answer(most > limits.distanceMetres) : 'unknown',
    ...because(known ? undefined : 'no-accuracy'),
  };
}

const NO_SPEED = { seconds: 'unknown', kilometresPerHour: 'unknown', atLeastKilometresPerHour: 'unknown', beyondLimit: 'unknown' } as const;

function measureSpeed(a: LocationObservation, b: LocationObservation, distance: LocationSignals['distance'], limits: Limits): LocationSignals['speed'] {
  const [from, to] = [takenAt(a), takenAt(b)];
  if (from === undefined || to === undefined) return { ...NO_SPEED, ...because('no-timestamp') };
  const seconds = (to - from) / 1000;
  if (seconds <= 0) return { ...NO_SPEED, seconds, ...because('not-later') };
  const { metres, beyondAccuraciesMetres: beyond } = distance;
  const kilometresPerHour = tenths(Math.round, (metres / seconds) * 3.6);
  // Whole seconds may have been up to a second more.
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

function compareTimeZones(a: LocationObservation, b: LocationObservation, now: number, limits: Limits): LocationSignals['timeZone'] {
  const unknown = (reason: UnknownBecause) => ({ differenceMinutes: 'unknown', beyondLimit: 'unknown', unknownBecause: reason }) as const;
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
        : { metres: accuracy, implausible: answer(accuracy < limits.leastAccuracyMetres || accuracy > limits.mostAccuracyMetres) },
    age: ageMs === undefined ? { ms: 'unknown', stale: 'unknown', ...because('no-age') } : { ms: ageMs, stale: answer(ageMs > limits.ageMs) },
    nullIsland: answer(distanceBetween(one, { latitude: 0, longitude: 0 }) <= limits.nullIslandMetres),
  };
}

/** Measures two observations that were checked; `now` is the moment for time zones where neither says when it was. */
export function measureSignals(a: LocationObservation, b: LocationObservation, limits: Limits, now: number): LocationSignals {
  const distance = measureDistance(a, b, limits);
  return {
    distance,
    speed: measureSpeed(a, b, distance, limits),
    timeZone: compareTimeZones(a, b, now, limits),
    a: lookAt(a, limits),
    b: lookAt(b, limits),
  };
}
