import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { intervalOf, isClear, median, verdictOf } from '../../bench/statistics.js';

/** The same figures for the same seed, in [0, 1). */
function randomBy(seed: number) {
  let state = seed >>> 0;
  return () => {
    // Mulberry32.
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Noise with the median 1: even, skewed as times are, and with rare rounds that take several times as long. */
const NOISES = {
  even: (random: () => number) => 1 + (random() - 0.5) * 0.2,
  skewed: (random: () => number) => 2 ** ((random() - 0.5) * (random() < 0.5 ? 0.2 : 0.8)),
  'with outliers': (random: () => number) => {
    const away = (random() < 0.1 ? 4 : 1.1) + random() / 10;
    return random() < 0.5 ? away : 1 / away;
  },
};

describe.each(Object.entries(NOISES))('with noise that is %s', (_, noise) => {
  it('the interval contains the true ratio in at least about 95 of 100 runs', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 6, max: 40 }),
        fc.double({ min: 0.1, max: 10, noNaN: true }),
        fc.integer(),
        (rounds, ratio, seed) => {
          const random = randomBy(seed);
          const runs = 500;
          let contained = 0;
          for (let run = 0; run < runs; run += 1) {
            const { low, high } = intervalOf(Array.from({ length: rounds }, () => ratio * noise(random)));
            if (low <= ratio && ratio <= high) contained += 1;
          }
          // Five standard deviations of the count.
          return contained / runs >= 0.95 - 5 * Math.sqrt((0.95 * 0.05) / runs);
        },
      ),
      { numRuns: 12 },
    );
  });
});

it('the interval is as narrow as one at 95 % may be', () => {
  fc.assert(
    fc.property(fc.integer({ min: 30, max: 40 }), fc.integer(), (rounds, seed) => {
      const random = randomBy(seed);
      const runs = 2_000;
      let contained = 0;
      for (let run = 0; run < runs; run += 1) {
        const { low, high } = intervalOf(Array.from({ length: rounds }, () => NOISES.skewed(random)));
        if (low <= 1 && 1 <= high) contained += 1;
      }
      // At most 0.951 of them, and five standard deviations of the count.
      return contained / runs <= 0.975;
    }),
    { numRuns: 3 },
  );
});

it.each([0.8, 0.78])(
  'rounds that end once the answer is clear contain the true ratio nearly as often, with the limit %d',
  (atLeast) => {
    const random = randomBy(7);
    let contained = 0;
    for (let run = 0; run < 300; run += 1) {
      const figures: number[] = [];
      do figures.push(0.8 * NOISES.skewed(random));
      while (figures.length < 6 || (figures.length < 40 && !isClear(intervalOf(figures), { atLeast })));
      const { low, high } = intervalOf(figures);
      if (low <= 0.8 && 0.8 <= high) contained += 1;
    }
    expect(contained / 300).toBeGreaterThan(0.89);
  },
);

it('the interval has the ranks of a table of signed ranks', () => {
  // The logarithms are 1, 2, 4 and so on, so all means of pairs differ, and their order is known.
  const leftOut = (count: number) => {
    const figures = Array.from({ length: count }, (_, index) => Math.exp(2 ** index / 2 ** count));
    const means = figures.flatMap((one, index) => figures.slice(index).map((other) => Math.sqrt(one * other)));
    const { low, high } = intervalOf(figures);
    return [means.filter((mean) => mean < low).length, means.filter((mean) => mean > high).length];
  };
  expect(leftOut(6)).toEqual([0, 0]);
  expect(leftOut(8)).toEqual([3, 3]);
  expect(leftOut(9)).toEqual([5, 5]);
  expect(leftOut(12)).toEqual([13, 13]);
  expect(leftOut(20)).toEqual([52, 52]);
});

it('fewer than six rounds prove nothing', () => {
  const interval = intervalOf([1, 1, 1, 1, 1]);
  expect(interval).toEqual({ middle: 1, low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY });
  expect(verdictOf(interval, { atLeast: 0.1 })).toBe('undecided');
  expect(verdictOf(interval, { atMost: 9 })).toBe('undecided');
});

it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
  'rounds with %d, which no ratio can be, prove nothing',
  (wrong) => {
    const interval = intervalOf([1, 1, 1, 1, 1, 1, 1, 1, wrong]);
    expect(verdictOf(interval, { atLeast: 0.1 })).toBe('undecided');
    expect(verdictOf(interval, { atMost: 9 })).toBe('undecided');
  },
);

it('the median is the middle figure, or between the two', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  expect(median([])).toBeNaN();
});

it('one wild round does not move the interval', () => {
  const calm = [0.98, 0.98, 0.99, 0.99, 0.99, 1, 1, 1, 1.01, 1.01, 1.02, 1.02, 1.03];
  const { low, high } = intervalOf([...calm, 40]);
  expect(low).toBeGreaterThanOrEqual(0.98);
  expect(high).toBeLessThanOrEqual(1.03);
});

describe('a promise', () => {
  const from = (low: number, high: number) => ({ middle: (low + high) / 2, low, high });

  it.each([
    [from(0.86, 0.9), 'kept'],
    [from(0.85, 0.85), 'kept'],
    [from(0.8, 0.9), 'undecided'],
    [from(0.8, 0.84), 'broken'],
  ] as const)('of at least 0.85: %o is %s', (interval, verdict) => {
    expect(verdictOf(interval, { atLeast: 0.85 })).toBe(verdict);
  });

  it.each([
    [from(1, 1.25), 'kept'],
    [from(1.2, 1.3), 'undecided'],
    [from(1.26, 1.3), 'broken'],
  ] as const)('of at most 1.25: %o is %s', (interval, verdict) => {
    expect(verdictOf(interval, { atMost: 1.25 })).toBe(verdict);
  });

  it('is not kept by a figure that is missing', () => {
    expect(verdictOf({ middle: Number.NaN, low: Number.NaN, high: Number.NaN }, { atLeast: 0.85 })).toBe('undecided');
  });
});
