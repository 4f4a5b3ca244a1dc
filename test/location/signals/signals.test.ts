import { inspect } from 'node:util';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type LocationObservation, locationSignals, type ValidationError } from '../../../src/entries/index.js';
import { polluted } from '../../polluted.js';
import { failureOf, issuesOf } from '../../support/failure-of.js';

const LAGOS = { latitude: 6.4541, longitude: 3.3947 };
const ABUJA = { latitude: 9.0579, longitude: 7.4951 };
const LONDON = { latitude: 51.5074, longitude: -0.1278 };
const NOON = 1_795_176_000_000;
const HOUR = 3_600_000;

const at = (
  place: typeof LAGOS,
  more: Omit<LocationObservation, 'latitude' | 'longitude'> = {},
): LocationObservation => ({ ...place, ...more });

afterEach(() => {
  vi.useRealTimers();
});

describe('distance', () => {
  test('is measured, with the part that the accuracies do not explain', () => {
    const { distance } = locationSignals(
      at(LAGOS, { accuracy: 20, source: 'gps' }),
      at(ABUJA, { accuracy: 50_000, source: 'ip' }),
    );
    expect(distance.metres).toBeGreaterThan(530_000);
    expect(distance).toEqual({
      metres: distance.metres,
      beyondAccuraciesMetres: distance.metres - 50_020,
      beyondLimit: 'yes',
    });
  });

  test('is measured if all objects inherit an enumerable member', async () => {
    const measure = async () => locationSignals(at(LAGOS), at(ABUJA));
    expect(await polluted({ each: () => {} }, measure, { enumerable: true })).toEqual(await measure());
  });

  test('is not below 0 if the accuracies explain it', () => {
    const { distance } = locationSignals(at(LAGOS, { accuracy: 600_000 }), at(ABUJA, { accuracy: 1_000 }));
    expect(distance).toMatchObject({ beyondAccuraciesMetres: 0, beyondLimit: 'no' });
  });

  test.each([
    ['missing', undefined],
    ['negative', -5],
  ])('beyond the accuracies is unknown if one is %s', (_what, accuracy) => {
    const { distance } = locationSignals(at(LAGOS, { accuracy }), at(ABUJA, { accuracy: 1_000 }));
    expect(distance).toMatchObject({
      beyondAccuraciesMetres: 'unknown',
      beyondLimit: 'unknown',
      unknownBecause: 'no-accuracy',
    });
    expect(distance.metres).toBeGreaterThan(530_000);
  });

  test('that an accuracy could explain is within the limit', () => {
    expect(locationSignals(at(LAGOS), at({ latitude: 6.5, longitude: 3.4 })).distance).toMatchObject({
      beyondAccuraciesMetres: 'unknown',
      beyondLimit: 'no',
    });
    expect(locationSignals(at(LAGOS), at(ABUJA, { accuracy: 500_000 })).distance.beyondLimit).toBe('no');
  });

  test('has a limit that can be set', () => {
    const places = [at(LAGOS, { accuracy: 0 }), at(ABUJA, { accuracy: 0 })] as const;
    expect(locationSignals(...places, { limits: { distanceMetres: 600_000 } }).distance.beyondLimit).toBe('no');
    expect(locationSignals(...places, { limits: { distanceMetres: 500_000 } }).distance.beyondLimit).toBe('yes');
    expect(locationSignals(...places, { limits: { distanceMetres: undefined } }).distance.beyondLimit).toBe('yes');
  });
});

describe('speed', () => {
  const between = (first: LocationObservation, second: LocationObservation) => locationSignals(first, second).speed;
  const exact = { accuracy: 0 };

  test('is measured from the first to the second', () => {
    expect(between(at(LAGOS, { ...exact, timestamp: NOON }), at(LONDON, { ...exact, timestamp: NOON + HOUR }))).toEqual(
      {
        seconds: 3_600,
        kilometresPerHour: expect.closeTo(5_020, -2),
        atLeastKilometresPerHour: expect.closeTo(5_020, -2),
        beyondLimit: 'yes',
      },
    );
  });

  test('is at least what the accuracies leave', () => {
    const far = between(
      at(LAGOS, { accuracy: 100_000, timestamp: NOON }),
      at(ABUJA, { accuracy: 200_000, timestamp: NOON + HOUR }),
    );
    expect(far.kilometresPerHour).toBeCloseTo(534, -1);
    expect(far.atLeastKilometresPerHour).toBeCloseTo(234, -1);
    expect(far.beyondLimit).toBe('no');
  });

  test('counts whole seconds as up to a second more, so that it is a lower bound', () => {
    const near = { latitude: LAGOS.latitude + 0.01, longitude: LAGOS.longitude };
    const speed = between(
      at(LAGOS, { ...exact, timestamp: '1795176000' }),
      at(near, { ...exact, timestamp: '1795176001' }),
    );
    expect(speed.kilometresPerHour).toBeCloseTo(4_003, -1);
    expect(speed.atLeastKilometresPerHour).toBeCloseTo(2_001, -1);
  });

  test('at least is rounded down', () => {
    const near = { latitude: LAGOS.latitude + 0.01, longitude: LAGOS.longitude };
    const speed = between(at(LAGOS, { ...exact, timestamp: NOON }), at(near, { ...exact, timestamp: NOON + 17_000 }));
    expect(speed).toMatchObject({ kilometresPerHour: 235.5, atLeastKilometresPerHour: 235.4 });
  });

  test('is the same for every spelling of a moment', () => {
    const first = at(LAGOS, { ...exact, timestamp: NOON });
    const speeds = [NOON + HOUR, new Date(NOON + HOUR), String((NOON + HOUR) / 1000)].map((timestamp) =>
      between(first, at(ABUJA, { ...exact, timestamp })),
    );
    expect(new Set(speeds.map(({ kilometresPerHour }) => kilometresPerHour)).size).toBe(1);
  });

  test('counts from when a position was taken, not from when it was used', () => {
    const speed = between(at(LAGOS, { timestamp: NOON, ageMs: HOUR }), at(ABUJA, { timestamp: NOON, ageMs: 0 }));
    expect(speed.seconds).toBe(3_600);
  });

  test.each([
    ['no time of the first', undefined, NOON, 'no-timestamp'],
    ['no time of the second', NOON, undefined, 'no-timestamp'],
    ['no time between', NOON, NOON, 'not-later'],
    ['a second that is earlier', NOON, NOON - 1, 'not-later'],
  ])('is unknown with %s', (_what, first, second, unknownBecause) => {
    const speed = between(at(LAGOS, { ...exact, timestamp: first }), at(LONDON, { ...exact, timestamp: second }));
    expect(speed).toMatchObject({
      kilometresPerHour: 'unknown',
      atLeastKilometresPerHour: 'unknown',
      beyondLimit: 'unknown',
      unknownBecause,
    });
  });

  test('without accuracies is an upper bound, which is enough to be within the limit', () => {
    expect(between(at(LAGOS, { timestamp: NOON }), at(ABUJA, { timestamp: NOON + HOUR }))).toMatchObject({
      atLeastKilometresPerHour: 'unknown',
      beyondLimit: 'no',
      unknownBecause: 'no-accuracy',
    });
    expect(between(at(LAGOS, { timestamp: NOON }), at(LONDON, { timestamp: NOON + HOUR })).beyondLimit).toBe('unknown');
  });
});

describe('time zones', () => {
  const compare = (
    first: string | undefined,
    second: string | undefined,
    timestamp: LocationObservation['timestamp'] = NOON,
  ) => locationSignals(at(LAGOS, { timeZone: first }), at(LAGOS, { timeZone: second, timestamp })).timeZone;

  test.each([
    ['Africa/Lagos', 'Africa/Lagos', 0, 'no'],
    ['Africa/Lagos', 'Africa/Kinshasa', 0, 'no'],
    ['Africa/Lagos', 'UTC', 60, 'no'],
    ['Africa/Lagos', 'Asia/Kolkata', 270, 'yes'],
    ['America/New_York', 'Africa/Lagos', 360, 'yes'],
    ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 25 * 60, 'yes'],
    ['africa/lagos', 'AFRICA/LAGOS', 0, 'no'],
  ])('%s and %s are %i minutes apart in November', (first, second, differenceMinutes, beyondLimit) => {
    expect(compare(first, second)).toEqual({ differenceMinutes, beyondLimit });
    expect(compare(second, first)).toEqual({ differenceMinutes, beyondLimit });
  });

  test('are compared at the moment of the second observation: London has summer time in July', () => {
    expect(compare('Africa/Lagos', 'Europe/London', new Date('2026-01-15T12:00:00Z')).differenceMinutes).toBe(60);
    expect(compare('Africa/Lagos', 'Europe/London', new Date('2026-07-15T12:00:00Z')).differenceMinutes).toBe(0);
    const july = at(LAGOS, { timeZone: 'Africa/Lagos', timestamp: new Date('2026-07-15T12:00:00Z') });
    const london = { timeZone: 'Europe/London' };
    expect(
      locationSignals(july, at(LAGOS, { ...london, timestamp: new Date('2026-12-15T12:00:00Z') })).timeZone
        .differenceMinutes,
    ).toBe(60);
    expect(locationSignals(july, at(LAGOS, london)).timeZone.differenceMinutes).toBe(0);
  });

  test('are compared at the passed moment, or now, if no observation has a time', () => {
    const zones = [at(LAGOS, { timeZone: 'Africa/Lagos' }), at(LAGOS, { timeZone: 'Europe/London' })] as const;
    expect(locationSignals(...zones, { at: new Date('2026-07-15T12:00:00Z') }).timeZone.differenceMinutes).toBe(0);
    expect(locationSignals(...zones, { at: new Date('1970-01-15T12:00:00Z') }).timeZone.differenceMinutes).toBe(0);
    vi.useFakeTimers({ now: new Date('2026-01-15T12:00:00Z') });
    expect(locationSignals(...zones).timeZone.differenceMinutes).toBe(60);
  });

  test.each([
    ['a missing one', undefined, 'UTC', 'no-time-zone'],
    ['an unknown one', 'Mars/Olympus', 'UTC', 'time-zone-not-known'],
    ['an empty one', 'UTC', '', 'time-zone-not-known'],
    ['a very long one', 'UTC', 'x'.repeat(1_000_000), 'time-zone-not-known'],
  ])('are unknown with %s', (_what, first, second, unknownBecause) => {
    expect(compare(first, second)).toEqual({ differenceMinutes: 'unknown', beyondLimit: 'unknown', unknownBecause });
  });
});

describe('each observation', () => {
  const of = (one: LocationObservation, limits = {}) => locationSignals(one, LAGOS, { limits }).a;

  test.each([
    [0, 'yes'],
    [-1, 'yes'],
    [0.5, 'yes'],
    [1, 'no'],
    [20, 'no'],
    [1_000_000, 'no'],
    [1_000_001, 'yes'],
  ])('with an accuracy of %d metres: implausible %s', (accuracy, implausible) => {
    expect(of(at(LAGOS, { accuracy })).accuracy).toEqual({ metres: accuracy, implausible });
  });

  test('without an accuracy: unknown', () => {
    expect(of(LAGOS).accuracy).toEqual({ metres: 'unknown', implausible: 'unknown', unknownBecause: 'no-accuracy' });
  });

  test.each([
    [0, 'no'],
    [300_000, 'no'],
    [300_001, 'yes'],
  ])('of an age of %d ms: stale %s', (ageMs, stale) => {
    expect(of(at(LAGOS, { ageMs })).age).toEqual({ ms: ageMs, stale });
  });

  test('without an age: unknown', () => {
    expect(of(LAGOS).age).toEqual({ ms: 'unknown', stale: 'unknown', unknownBecause: 'no-age' });
  });

  test.each([
    [0, 0, 'yes'],
    [-0.005, 0.005, 'yes'],
    [0.01, 0, 'no'],
    [0, 90, 'no'],
    [51.4779, 0, 'no'],
  ])('at %d, %d: null island %s', (latitude, longitude, nullIsland) => {
    expect(of({ latitude, longitude }).nullIsland).toBe(nullIsland);
  });

  test('has limits that can be set', () => {
    const limits = { leastAccuracyMetres: 30, mostAccuracyMetres: 40, ageMs: 10, nullIslandMetres: 2_000 };
    expect(of({ latitude: 0.01, longitude: 0, accuracy: 20, ageMs: 20 }, limits)).toMatchObject({
      accuracy: { implausible: 'yes' },
      age: { stale: 'yes' },
      nullIsland: 'yes',
    });
    expect(of(at(LAGOS, { accuracy: 41 }), limits).accuracy.implausible).toBe('yes');
  });
});

describe('the limits by default', () => {
  const exact = { accuracy: 0, timestamp: NOON };
  /** A degree of longitude on the equator is 111.195 km. */
  const east = (kilometres: number) => ({ latitude: 0, longitude: 20 + kilometres / 111.195 });
  const from = at(east(0), exact);

  test.each([
    [99.9, 'no'],
    [100.1, 'yes'],
  ])('a distance of %d km is beyond 100 km: %s', (kilometres, beyondLimit) => {
    expect(locationSignals(from, at(east(kilometres), exact)).distance.beyondLimit).toBe(beyondLimit);
  });

  test.each([
    [998, 'no'],
    [1_002, 'yes'],
  ])('%d kilometres in an hour are beyond 1,000 km/h: %s', (kilometres, beyondLimit) => {
    expect(locationSignals(from, at(east(kilometres), { accuracy: 0, timestamp: NOON + HOUR })).speed.beyondLimit).toBe(
      beyondLimit,
    );
  });

  test.each([
    ['Africa/Nairobi', 60, 'no'],
    ['Asia/Kathmandu', 75, 'yes'],
  ])('%s, %i minutes away, is beyond 60 minutes: %s', (timeZone, differenceMinutes, beyondLimit) => {
    const here = timeZone === 'Africa/Nairobi' ? 'Africa/Johannesburg' : 'Asia/Kabul';
    expect(locationSignals(at(LAGOS, { timeZone: here }), at(LAGOS, { timeZone, timestamp: NOON })).timeZone).toEqual({
      differenceMinutes,
      beyondLimit,
    });
  });

  test.each([
    [0.99, 'yes'],
    [1.01, 'no'],
  ])('%d km from 0, 0 is null island: %s', (kilometres, nullIsland) => {
    expect(locationSignals({ latitude: 0, longitude: kilometres / 111.195 }, LAGOS).a.nullIsland).toBe(nullIsland);
  });
});

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const observation = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
  accuracy: maybe(fc.double({ noNaN: true, noDefaultInfinity: true })),
  timestamp: maybe(
    fc.oneof(
      fc.integer({ min: 1e11, max: 8.64e15 }),
      fc.date({ noInvalidDate: true }),
      fc.stringMatching(/^[0-9]{1,10}$/),
    ),
  ),
  ageMs: maybe(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true })),
  timeZone: maybe(fc.oneof(fc.constantFrom('Africa/Lagos', 'UTC', 'America/St_Johns', 'Asia/Kathmandu'), fc.string())),
});

describe('for any observations', () => {
  test('numbers are finite, never negative, and the least speed is not more than the straight one', () => {
    fc.assert(
      fc.property(observation, observation, (a, b) => {
        const { distance, speed, timeZone } = locationSignals(a, b);
        for (const value of [
          distance.metres,
          distance.beyondAccuraciesMetres,
          speed.kilometresPerHour,
          speed.atLeastKilometresPerHour,
        ]) {
          if (value !== 'unknown') expect(Number.isFinite(value) && value >= 0).toBe(true);
        }
        if (speed.atLeastKilometresPerHour !== 'unknown')
          expect(speed.kilometresPerHour).toBeGreaterThanOrEqual(speed.atLeastKilometresPerHour);
        if (timeZone.differenceMinutes !== 'unknown') expect(timeZone.differenceMinutes).toBeLessThanOrEqual(26 * 60);
      }),
    );
  });

  test('an unknown value has a reason, and a known value has none', () => {
    fc.assert(
      fc.property(observation, observation, (a, b) => {
        const signals = locationSignals(a, b);
        for (const signal of [
          signals.distance,
          signals.speed,
          signals.timeZone,
          signals.a.accuracy,
          signals.a.age,
          signals.b.accuracy,
          signals.b.age,
        ]) {
          expect('unknownBecause' in signal).toBe(Object.values(signal).includes('unknown'));
        }
      }),
    );
  });

  test('the distance is the same both ways', () => {
    fc.assert(
      fc.property(observation, observation, (a, b) => {
        expect(locationSignals(a, b).distance).toEqual(locationSignals(b, a).distance);
      }),
    );
  });

  test('the result loses nothing as JSON', () => {
    fc.assert(
      fc.property(observation, observation, (a, b) => {
        expect(JSON.stringify(locationSignals(a, b))).not.toContain(':null');
      }),
    );
  });
});

test('the result contains no coordinate, place or time zone', () => {
  const canary = {
    latitude: 12.3456789,
    longitude: 98.7654321,
    city: 'CanaryCity',
    region: 'CanaryRegion',
    timeZone: 'Asia/Kolkata',
    accuracy: 10,
  };
  const text = JSON.stringify(locationSignals(canary, { ...canary, timestamp: NOON, ageMs: 5 }));
  expect(text).not.toMatch(/12\.3|98\.7|Canary|Kolkata/);
});

test('the result of locate and the location of a report are accepted unchanged', () => {
  const located = { ...LAGOS, city: 'Lagos', country: 'NG', source: 'gps', accuracy: 20, ageMs: 0, steps: [] };
  const report = {
    bet_id: 'B-1',
    amount: 5,
    user: {},
    metadata: {},
    request_id: 'R',
    status: 'x',
    userId: 'U',
    withdrawalId: 'W',
    outcome: 'WIN',
    ggr: 1,
    ur: 0,
  };
  expect(
    locationSignals({ ...report, ...LAGOS, timestamp: '1795176000' } as LocationObservation, located).distance.metres,
  ).toBe(0);
});

describe('bad input', () => {
  test('lists every problem at once', async () => {
    const a = { latitude: 91, longitude: '3', accuracy: Number.NaN, timestamp: 1_795_176_000, ageMs: -1, timeZone: 7 };
    const b = { longitude: 3, timestamp: '1795176000000', timezone: 'UTC' };
    expect(
      await issuesOf(() =>
        locationSignals(a as never, b as never, { at: 'soon', limits: { ageMs: -1, distance: 5 } } as never),
      ),
    ).toEqual([
      'a.latitude: invalid',
      'a.longitude: wrong-type',
      'a.accuracy: wrong-type',
      'a.timestamp: invalid',
      'a.ageMs: invalid',
      'a.timeZone: wrong-type',
      'b.timezone: unknown-field',
      'b.latitude: missing',
      'b.timestamp: invalid',
      'options.at: invalid',
      'options.limits.ageMs: invalid',
      'options.limits.distance: unknown-field',
    ]);
  });

  test('names a value that looks like seconds', async () => {
    const { message } = await failureOf(() => locationSignals({ ...LAGOS, timestamp: 1_795_176_000 }, LAGOS));
    expect(message).toContain('a.timestamp: expected milliseconds since 1970');
    expect(message).toContain('this looks like seconds, multiply by 1000');
  });

  test.each([
    ['an invalid Date', new Date(Number.NaN)],
    ['an object that only claims to be a Date', { [Symbol.toStringTag]: 'Date' }],
    ['an infinity', Number.POSITIVE_INFINITY],
    ['null', null],
  ])('a moment that is %s is refused', async (_what, timestamp) => {
    const error = await failureOf(() => locationSignals({ ...LAGOS, timestamp } as never, LAGOS));
    expect(error.code).toBe('validation');
  });

  test.each([[undefined], [null], [7], ['here'], [[]]])('an observation of %j is refused', async (observed) => {
    const { issues } = await failureOf<ValidationError>(() => locationSignals(observed as never, LAGOS));
    expect(issues.map(({ path }) => path)).toEqual(['a']);
  });

  test.each([[null], [7], [[]]])('options of %j are refused', async (options) => {
    const { issues } = await failureOf<ValidationError>(() => locationSignals(LAGOS, LAGOS, options as never));
    expect(issues.map(({ path, code }) => `${path}: ${code}`)).toEqual(['options: wrong-type']);
  });

  test('a getter that throws is refused, and its error is not shown', async () => {
    const hostile = {
      ...LAGOS,
      get accuracy(): number {
        throw new Error('canary');
      },
    };
    const error = await failureOf(() => locationSignals(hostile, LAGOS));
    expect(error.code).toBe('validation');
    expect(inspect(error)).not.toContain('canary');
  });

  test('no value is repeated', async () => {
    const canary = {
      latitude: 777.123,
      longitude: -888.456,
      accuracy: '999.789',
      timestamp: 'canary-time',
      timeZone: ['Canary/Zone'],
    };
    const error = await failureOf(() => locationSignals(canary as never, { ...canary, 'canary key': 1 } as never));
    expect(inspect(error) + JSON.stringify(error)).not.toMatch(/777|888|999|canary|Canary\/Zone/);
  });
});

test.each([[{ kilometresPerHour: 100 }], [{ threshold: { kilometresPerHour: 100 } }], [{ limits: { kmh: 100 } }]])(
  'unknown options are refused: %j',
  (options) => {
    expect(() => locationSignals(at(LAGOS), at(LONDON), options as never)).toThrow(/unknown field/);
  },
);
