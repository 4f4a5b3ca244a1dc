import { describe, expect, it } from 'vitest';
import { createIpLookup } from '../../../src/core/location/lookup/ip-lookup.js';
import { systemClock } from '../../../src/core/platform/time.js';
import { polluted } from '../../polluted.js';

const INHERITED = { latitude: 51.5, longitude: -0.12, accuracy: 1, city: 'London', region: 'LND', country: 'GB' };

async function placeFrom(answer: object) {
  const provider = { name: 'own', lookup: async () => answer as never };
  const settings = { timeoutMs: 1_000, restMs: 0, cacheMs: 0, cacheSize: 0 };
  const fetch = () => Promise.reject(new Error('not used'));
  const lookUp = createIpLookup([provider], settings, { fetch, clock: systemClock }, 'ip');
  const request = { ip: '203.0.113.1', deadline: systemClock.now() + 1_000, signal: undefined };
  return (await lookUp(request)).location;
}

describe('a property that a library put on the prototype of all objects', () => {
  it('is not a location from a lookup service', async () => {
    expect(await polluted(INHERITED, () => placeFrom({}))).toBeUndefined();
  });

  it('completes no location of a lookup service', async () => {
    const own = { latitude: 6.45, longitude: 3.39 };
    expect(await polluted(INHERITED, async () => ({ ...(await placeFrom(own)) }))).toEqual({ ...own, source: 'ip' });
  });
});
