import { describe, expect, test } from 'vitest';
import type { IpLocation } from '../../../src/location/lookup/provider.js';
import type { FakeClock } from '../fake-clock.js';
import { hanging, knowing, later, lookups, service, type TestService, unknowing } from '../lookups.js';

const at = (latitude: number): IpLocation => ({ latitude, longitude: 7 });

type Lookup = (clock: FakeClock) => Promise<IpLocation | undefined>;

function several(behaviours: Lookup[], settings = {}) {
  const services: TestService[] = [];
  const made = lookups(
    (clock) => {
      services.push(...behaviours.map((lookup, index) => service('abcd'[index] ?? '?', lookup, clock)));
      return services;
    },
    { hedgeAfterMs: 800, ...settings },
  );
  return { ...made, services, asked: () => services.map(({ asked }) => asked.length) };
}

const answering =
  (latitude: number, milliseconds: number): Lookup =>
  (clock) =>
    later(clock, milliseconds, at(latitude));
const failing =
  (milliseconds: number): Lookup =>
  (clock) =>
    later(clock, milliseconds, undefined);

test('without hedgeAfterMs only one service at a time receives the address', async () => {
  const { find, asked } = several([answering(1, 3_900), knowing], { hedgeAfterMs: undefined });
  expect(await find()).toMatchObject({ found: at(1) });
  expect(asked()).toEqual([1, 0]);
});

describe('with hedgeAfterMs', () => {
  test('a service that answers in that time is the only one that is asked', async () => {
    const { find, asked } = several([answering(1, 799), knowing]);
    expect(await find()).toMatchObject({ found: at(1) });
    expect(asked()).toEqual([1, 0]);
  });

  test('the next one starts in parallel to a slow one, and the first answer wins', async () => {
    const { find, clock, services } = several([answering(1, 3_000), answering(2, 200), knowing]);
    const began = clock.now();
    expect(await find()).toEqual({
      found: expect.objectContaining(at(2)),
      ageMs: 0,
      steps: [
        { step: 'a', reason: 'overtaken', message: 'another service answered first', durationMs: 1_000 },
        { step: 'b', durationMs: 200 },
      ],
    });
    expect(clock.now() - began).toBe(1_000);
    expect(services.map(({ signals }) => signals.map(({ aborted }) => aborted))).toEqual([[true], [false], []]);
  });

  test('the slow one still wins if it answers first', async () => {
    const { steps, asked } = several([answering(1, 900), answering(2, 500), knowing]);
    expect(await steps()).toEqual(['b: overtaken', 'a: found']);
    expect(asked()).toEqual([1, 1, 0]);
  });

  test('if two answer at the same moment, the preferred one wins', async () => {
    let release: (() => void)[] = [];
    const together =
      (latitude: number): Lookup =>
      () =>
        new Promise((resolve) => release.push(() => resolve(at(latitude))));
    const { start, clock } = several([together(1), together(2)]);
    const found = start();
    await clock.advance(800);
    release = release.reverse();
    for (const answer of release) answer();
    expect(await found).toMatchObject({ found: at(1), steps: [{ step: 'b', reason: 'overtaken' }, { step: 'a' }] });
  });

  test('a failure starts the next one at once, while an older one is still running', async () => {
    const { find, clock, asked } = several([hanging, failing(100), answering(3, 50)]);
    const began = clock.now();
    expect(await find()).toMatchObject({ found: at(3), steps: [{ reason: 'overtaken' }, { reason: 'bad-answer' }, { step: 'c' }] });
    expect(clock.now() - began).toBe(950);
    expect(asked()).toEqual([1, 1, 1]);
  });

  test('the failure of an older one does not start the next one earlier', async () => {
    const { steps, clock } = several([failing(900), answering(2, 700), knowing]);
    const began = clock.now();
    expect(await steps()).toEqual(['a: bad-answer', 'b: found']);
    expect(clock.now() - began).toBe(1_500);
  });

  test('each service keeps its own time limit', async () => {
    const { find, clock } = several([hanging, hanging, hanging]);
    const began = clock.now();
    const { steps } = await find();
    expect(steps.map(({ durationMs }) => durationMs)).toEqual([4_000, 4_000, 4_000]);
    expect(clock.now() - began).toBe(5_600);
    expect(clock.waiting).toBe(0);
  });

  test('a service that lost the race is not paused', async () => {
    const { find, asked } = several([hanging, knowing], { cacheMs: 0 });
    await find();
    await find();
    expect(asked()).toEqual([2, 2]);
  });

  test('0 starts all at once', async () => {
    const { steps, clock } = several([answering(1, 300), answering(2, 100), unknowing], { hedgeAfterMs: 0 });
    const began = clock.now();
    expect(await steps()).toEqual(['a: overtaken', 'c: bad-answer', 'b: found']);
    expect(clock.now() - began).toBe(100);
  });
});
