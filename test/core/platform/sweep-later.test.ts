import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { makeError } from '../../../src/core/errors/errors.js';
import { createLookupCache } from '../../../src/core/location/lookup/ip-lookup.js';
import { createBrowserGeolocation } from '../../../src/core/location/page/geolocation.js';
import { readPage } from '../../../src/core/location/page/page.js';
import { sweepLater } from '../../../src/core/platform/sweep-later.js';
import { systemClock } from '../../../src/core/platform/time.js';
import { createRelay, type RelayClient } from '../../../src/entries/relay.js';
import { pageBet, pageRequest } from '../../http/relay/world.js';
import { FakePage } from '../location/page/fake-page.js';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Whether an object is still in memory: nothing else tells what a cache holds. */
async function isKept(held: WeakRef<object>): Promise<boolean> {
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  return held.deref() !== undefined;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
});
afterEach(() => {
  // In this order: a stub was made over a fake, and leaves it behind.
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('with no other event, personal data leaves the memory', () => {
  test('of a lookup cache, after cacheMs', async () => {
    const cache = createLookupCache<object>({ cacheMs: 300_000, cacheSize: 10 }, systemClock);
    const { setTimeout: start } = globalThis;
    const began: unknown[] = [];
    vi.stubGlobal('setTimeout', (...given: Parameters<typeof start>) => {
      // Other timers of this process, such as those of connections, are short.
      if (Number(given[1]) > 100_000) began.push(given[1]);
      return start(...given);
    });
    const add = (address: string) => {
      const place = { city: 'Lagos' };
      cache.set(address, place);
      return new WeakRef(place);
    };
    const first = add('102.89.23.47');
    await vi.advanceTimersByTimeAsync(200_000);
    const second = add('102.89.23.48');
    expect(await isKept(first)).toBe(true);
    await vi.advanceTimersByTimeAsync(101_000);
    expect([await isKept(first), await isKept(second)]).toEqual([false, true]);
    await vi.advanceTimersByTimeAsync(200_000);
    expect(await isKept(second)).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000_000);
    expect(began).toHaveLength(2);
  });

  test.each(['a place that was found', 'a report in doubt'])('of a relay, after ten minutes: %s', async (what) => {
    let held: WeakRef<object> | undefined;
    const client = {
      async reportBetEvent() {
        if (what === 'a report in doubt') {
          const error = makeError('timeout', 'No answer', { outcome: 'unknown' });
          held = new WeakRef(error);
          throw error;
        }
        const location = { latitude: 6.5, longitude: 3.4, source: 'client_ip' };
        held = new WeakRef(location);
        const told = { operation: 'reportBetEvent', reference: 'BET-1', environment: 'staging', attempts: 1 } as const;
        return { outcome: 'recorded', ...told, location };
      },
      reportWithdrawalEvent: () => Promise.reject(new Error('not in this test')),
      resend: () => Promise.reject(new Error('not in this test')),
    } as Partial<RelayClient> as RelayClient;
    const relay = createRelay({
      client,
      authorize: () => ({ user: { user_id: 'U-1' } }),
      timestampWindowMs: Number.MAX_SAFE_INTEGER,
      logger: { warn() {} },
    });
    await relay(pageRequest({ body: pageBet() }), { remoteAddress: '102.89.23.47' });
    if (!held) throw new Error('the client was not called');
    await vi.advanceTimersByTimeAsync(590_000);
    expect(await isKept(held)).toBe(true);
    await vi.advanceTimersByTimeAsync(11_000);
    expect(await isKept(held)).toBe(false);
  });

  test('of a page: its position, after a minute', async () => {
    const page = new FakePage();
    page.answer = ({ success }) =>
      success({ coords: { latitude: 6.5, longitude: 3.4, accuracy: 20 }, timestamp: Date.now() });
    const geolocation = createBrowserGeolocation(
      { enabled: true, highAccuracy: true, timeoutMs: 1_000, maximumAgeMs: 60_000, denialMemoryMs: 1_000 },
      { page: readPage(page, undefined), clock: systemClock },
    );
    const find = async () => {
      const asked = await geolocation.ask({ milliseconds: 1_000 });
      if (!asked.position) throw new Error(asked.message);
      page.asked.length = 0;
      return new WeakRef(asked.position);
    };
    expect(await isKept(await find())).toBe(true);
    const position = await find();
    await vi.advanceTimersByTimeAsync(61_000);
    expect(await isKept(position)).toBe(false);
  });
});

describe('the timer', () => {
  test('keeps no process alive, in Node.js, Bun or Deno', () => {
    vi.useRealTimers();
    const timers: NodeJS.Timeout[] = [];
    const { setTimeout: start } = globalThis;
    vi.stubGlobal('setTimeout', (...given: Parameters<typeof start>) => {
      const timer = start(...given);
      timers.push(timer);
      return timer;
    });
    sweepLater(() => 50_000)();
    expect(timers.map((timer) => timer.hasRef())).toEqual([false]);
    timers.forEach(clearTimeout);

    const released: unknown[] = [];
    vi.stubGlobal('setTimeout', () => 7);
    vi.stubGlobal('Deno', { unrefTimer: (timer: unknown) => released.push(timer) });
    sweepLater(() => 50_000)();
    expect(released).toEqual([7]);
  });

  test('that ended with its request, as on Cloudflare Workers, is started again by the next event', () => {
    const began: number[] = [];
    vi.stubGlobal('setTimeout', (_: unknown, milliseconds: number) => began.push(milliseconds));
    const added = sweepLater(() => 1_000);
    added();
    added();
    expect(began).toEqual([1_001]);
    vi.setSystemTime(Date.now() + 2_000);
    added();
    expect(began).toEqual([1_001, 1_001]);
  });

  test('is none where the platform starts none, and a clock that throws breaks nothing', () => {
    vi.stubGlobal('setTimeout', () => {
      throw new Error('not in the global scope');
    });
    expect(sweepLater(() => 1_000)).not.toThrow();
    expect(
      sweepLater(() => {
        throw new Error('the clock is broken');
      }),
    ).not.toThrow();
  });
});
