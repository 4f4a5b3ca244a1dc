import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/entries/index.js';
import { createLookupCache } from '../../../src/location/lookup/lookup-cache.js';
import type { IpLocation } from '../../../src/location/lookup/provider.js';
import { FakeClock } from '../fake-clock.js';
import { ADDRESS, hanging, knowing, later, lookups, PLACE, refusing, service, type TestService, unknowing, unreachable } from '../lookups.js';

function one(lookup: (clock: FakeClock) => Promise<IpLocation | undefined>, settings = {}) {
  let ours: TestService | undefined;
  const made = lookups((clock) => {
    ours = service('ours', lookup, clock);
    return [ours];
  }, settings);
  return { ...made, asked: () => ours?.asked ?? [], signals: () => ours?.signals ?? [] };
}

describe('an answer is reused', () => {
  test('for the same address, with its age', async () => {
    const { find, clock, asked } = one(knowing);
    expect(await find()).toMatchObject({ found: PLACE, ageMs: 0 });
    await clock.advance(299_999);
    expect(await find()).toEqual({ found: expect.objectContaining(PLACE), ageMs: 299_999, steps: [{ step: 'ours', durationMs: 0 }] });
    expect(asked()).toEqual([ADDRESS]);
  });

  test('until it expires', async () => {
    const { find, clock, asked } = one(knowing);
    await find();
    await clock.advance(300_000);
    expect(await find()).toMatchObject({ ageMs: 0 });
    expect(asked()).toHaveLength(2);
  });

  test('for no other address', async () => {
    const { find, asked } = one(knowing);
    await find();
    await find({ ip: '102.89.23.46' });
    await find({ ip: undefined });
    expect(asked()).toEqual([ADDRESS, '102.89.23.46', undefined]);
  });

  test('even if no time is left to ask', async () => {
    const { find } = one(knowing);
    await find();
    expect(await find({ within: 0 })).toMatchObject({ found: PLACE });
  });

  test('but not if cacheMs or cacheSize is 0', async () => {
    for (const settings of [{ cacheMs: 0 }, { cacheSize: 0 }]) {
      const { find, asked } = one(knowing, settings);
      await find();
      await find();
      expect(asked()).toHaveLength(2);
    }
  });

  test('not for a call that is already aborted', async () => {
    const { find } = one(knowing);
    await find();
    expect(await find({ signal: AbortSignal.abort() })).toEqual({ steps: [] });
  });

  test('for every spelling of the address, through the client', async () => {
    const clock = new FakeClock();
    const ours = service('ours', knowing, clock);
    const client = createClient({ clock, location: { ip: { providers: [ours] } } });
    for (const clientIP of [ADDRESS, `::ffff:${ADDRESS}`, '2C0F:F248:0:0:0:0:0:1', '2c0f:f248::1']) await client.locate({ clientIP });
    expect(ours.asked).toEqual([ADDRESS, '2c0f:f248::1']);
    await clock.advance(1_000);
    expect(await client.locate({ clientIP: ADDRESS })).toMatchObject({ ...PLACE, ageMs: 1_000, source: 'client_ip' });
    expect(clock.waiting).toBe(0);
  });
});

test.each([
  ['that does not know', unknowing],
  ['that refuses', () => refusing()],
  ['that cannot be reached', unreachable],
  ['that answers 0, 0', async () => ({ latitude: 0, longitude: 0 })],
  ['that does not answer', hanging],
])('no answer of a service %s is cached', async (_what, lookup) => {
  const { find, asked } = one(lookup);
  await find();
  await find();
  expect(asked()).toHaveLength(2);
});

describe('the cache', () => {
  const cacheOf = (cacheSize: number) => {
    const clock = new FakeClock();
    return { cache: createLookupCache<number>({ cacheMs: 1_000, cacheSize }, clock), clock };
  };

  test('drops the least recently used address when it is full', () => {
    const { cache } = cacheOf(2);
    cache.set('a', 1);
    cache.set('b', 2);
    cache.get('a');
    cache.set('c', 3);
    expect(['a', 'b', 'c'].map((address) => cache.get(address)?.value)).toEqual([1, undefined, 3]);
  });

  test('replaces an entry, and its age starts again', async () => {
    const { cache, clock } = cacheOf(2);
    cache.set('a', 1);
    await clock.advance(600);
    cache.set('a', 2);
    await clock.advance(600);
    expect(cache.get('a')).toEqual({ value: 2, ageMs: 600 });
  });

  test('ignores ages while the clock is set back', () => {
    let now = 5_000;
    const cache = createLookupCache<number>({ cacheMs: 1_000, cacheSize: 2 }, { now: () => now, setTimeout: () => 0, clearTimeout: () => {} });
    cache.set('a', 1);
    now = 4_999;
    expect(cache.get('a')).toBeUndefined();
  });
});

describe('callers at the same time', () => {
  test('share one lookup of an address', async () => {
    const { start, clock, asked } = one((clock) => later(clock, 500, PLACE));
    const calls = [start(), start(), start({ ip: '102.89.23.46' })];
    await clock.advance(100);
    calls.push(start());
    const results = await clock.runUntilSettled(Promise.all(calls));
    expect(asked()).toEqual([ADDRESS, '102.89.23.46']);
    expect(results.map(({ found }) => found?.latitude)).toEqual([9.07, 9.07, 9.07, 9.07]);
    expect(clock.waiting).toBe(0);
  });

  test('get separate steps, so that no caller can change what another reads', async () => {
    const { start, clock } = one((clock) => later(clock, 500, PLACE));
    const [first, second] = await clock.runUntilSettled(Promise.all([start(), start()]));
    expect(first.steps).toEqual(second.steps);
    expect(first.steps[0]).not.toBe(second.steps[0]);
  });

  test('share a failure too, and a later caller asks again', async () => {
    const { start, find, clock, asked } = one(unknowing);
    await clock.runUntilSettled(Promise.all([start(), start()]));
    expect(asked()).toHaveLength(1);
    await find();
    expect(asked()).toHaveLength(2);
  });

  test('with little time do not spoil it for the others', async () => {
    const { start, clock, signals, asked } = one((clock) => later(clock, 500, PLACE));
    const hasty = start({ within: 20 });
    const patient = start();
    expect(await clock.runUntilSettled(hasty)).toEqual({ steps: [{ step: 'ours', reason: 'timeout', message: expect.any(String), durationMs: 20 }] });
    expect(signals()[0]?.aborted).toBe(false);
    expect(await clock.runUntilSettled(patient)).toMatchObject({ found: PLACE });
    expect(asked()).toHaveLength(1);
  });

  test('leave the others waiting when one is aborted', async () => {
    const controller = new AbortController();
    const { start, clock } = one((clock) => later(clock, 500, PLACE));
    const aborted = start({ signal: controller.signal });
    const patient = start();
    controller.abort();
    expect(await aborted).toMatchObject({ steps: [{ reason: 'aborted' }] });
    expect(await clock.runUntilSettled(patient)).toMatchObject({ found: PLACE });
  });

  test('when the last one has left, the lookup is aborted, and the next caller starts another', async () => {
    const { start, clock, signals, asked } = one((clock) => later(clock, 500, PLACE));
    const controller = new AbortController();
    const calls = [start({ within: 20 }), start({ signal: controller.signal })];
    await clock.advance(50);
    expect(signals()[0]?.aborted).toBe(false);
    controller.abort();
    await Promise.all(calls);
    expect(signals()[0]?.aborted).toBe(true);
    expect(await clock.runUntilSettled(start())).toMatchObject({ found: PLACE, ageMs: 0 });
    expect(asked()).toHaveLength(2);
    await clock.advance(1_000);
    expect(clock.waiting).toBe(0);
  });

  test('a cancelled lookup does not end the one that replaced it', async () => {
    const controller = new AbortController();
    const { start, clock, asked } = one((clock) => later(clock, 500, PLACE));
    const next = start({ signal: controller.signal }).then(() => start());
    controller.abort();
    await clock.advance(100);
    await clock.runUntilSettled(Promise.all([next, start()]));
    expect(asked()).toHaveLength(2);
  });

  test('the answer of a lookup without a waiting caller is not cached', async () => {
    const { start, clock, find } = one((clock) => later(clock, 500, PLACE), { timeoutMs: 1_000 });
    await clock.runUntilSettled(start({ within: 20 }));
    await clock.advance(5_000);
    expect(await find()).toMatchObject({ ageMs: 0 });
  });
});
