import { describe, expect, test } from 'vitest';
import { createLookupCache } from '../../../../src/core/location/lookup/ip-lookup.js';
import type { IpLocation } from '../../../../src/core/location/lookup/provider.js';
import { createClient } from '../../../../src/entries/index.js';
import { FakeClock } from '../../../support/fake-clock.js';
import {
  ADDRESS,
  hanging,
  knowing,
  lookups,
  PLACE,
  refusing,
  service,
  type TestService,
  unknowing,
  unreachable,
} from '../lookups.js';

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
    expect(await find()).toMatchObject({ location: PLACE, ageMs: 0 });
    await clock.pass(299_999);
    expect(await find()).toEqual({
      location: expect.objectContaining(PLACE),
      ageMs: 299_999,
      steps: [{ step: 'ours', durationMs: 0 }],
    });
    expect(asked()).toEqual([ADDRESS]);
  });

  test('until it expires', async () => {
    const { find, clock, asked } = one(knowing);
    await find();
    await clock.pass(300_000);
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
    expect(await find({ within: 0 })).toMatchObject({ location: PLACE });
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
    for (const clientIP of [ADDRESS, `::ffff:${ADDRESS}`, '2C0F:F248:0:0:0:0:0:1', '2c0f:f248::1'])
      await client.locate({ clientIP });
    expect(ours.asked).toEqual([ADDRESS, '2c0f:f248::1']);
    await clock.pass(1_000);
    expect(await client.locate({ clientIP: ADDRESS })).toMatchObject({ ...PLACE, ageMs: 1_000, source: 'client_ip' });
    expect(clock.pending).toBe(0);
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

  test('drops the oldest address when it is full', () => {
    const { cache } = cacheOf(2);
    cache.set('a', 1);
    cache.set('b', 2);
    cache.set('c', 3);
    expect(['a', 'b', 'c'].map((address) => cache.get(address)?.value)).toEqual([undefined, 2, 3]);
  });

  test('replaces an entry, and its age starts again', async () => {
    const { cache, clock } = cacheOf(2);
    cache.set('a', 1);
    await clock.pass(600);
    cache.set('a', 2);
    await clock.pass(600);
    expect(cache.get('a')).toEqual({ value: 2, ageMs: 600 });
  });

  test('ignores ages while the clock is set back', () => {
    let now = 5_000;
    const cache = createLookupCache<number>(
      { cacheMs: 1_000, cacheSize: 2 },
      { now: () => now, setTimeout: () => 0, clearTimeout: () => {} },
    );
    cache.set('a', 1);
    now = 4_999;
    expect(cache.get('a')).toBeUndefined();
  });
});
