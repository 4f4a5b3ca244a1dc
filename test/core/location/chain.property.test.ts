import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findLocation } from '../../../src/core/location/locate.js';
import type { LocationResult } from '../../../src/core/location/source.js';
import { pageSources, serverSources } from '../../../src/core/location/sources.js';
import { sampleSize } from '../../support/cases.js';
import { FakeClock } from '../../support/fake-clock.js';
import { countingSignal, countTimers, makePage, makeSettings, placeOf, type World, worlds } from './chain-world.js';

interface Call {
  /** How long the call took. */
  took: number;
  budget: number;
  located: LocationResult;
  aborted: boolean;
}

/** Long enough for every late answer of a world. */
const AGES_MS = 1_000_000;

/**
 * Runs a world, and returns the result of each call. Throws if a call does not settle, or if a listener or timer is
 * left.
 */
async function happen(world: World, browser: boolean): Promise<Call[]> {
  const clock = new FakeClock();
  const timers = countTimers(clock);
  const page = makePage(world, clock);
  const fetch = () => Promise.reject(new Error('this world has no fetch'));
  const settings = makeSettings(world, clock);
  const { sources } = (browser ? pageSources : serverSources)(settings, {
    geolocation: undefined,
    onEvent: undefined,
    scope: page,
    fetch,
    clock: timers.clock,
  });
  const chain = { timeoutMs: settings.timeoutMs, clock: timers.clock };
  const signals: ReturnType<typeof countingSignal>[] = [];

  const calls = world.calls.map(async ({ after, timeoutMs, abortedAfter }): Promise<Call> => {
    await new Promise<void>((resolve) => void clock.setTimeout(resolve, after));
    const signal = countingSignal();
    signals.push(signal);
    if (abortedAfter !== undefined) clock.setTimeout(signal.abort, abortedAfter);
    const began = clock.now();
    const request = { clientIP: browser ? undefined : world.clientIP, deadline: began + timeoutMs, signal };
    const located = await findLocation(sources, request, chain);
    return {
      located,
      took: clock.now() - began,
      budget: Math.min(timeoutMs, world.timeoutMs),
      aborted: signal.aborted,
    };
  });
  const ended = await clock.run(Promise.all(calls));
  const atFirst = structuredClone(ended);
  const left = () => ({
    timers: timers.waiting(),
    pageListeners: page.listeners,
    signalListeners: signals.reduce((sum, { listeners }) => sum + listeners, 0),
  });
  expect(left()).toEqual({ timers: 0, pageListeners: 0, signalListeners: 0 });

  // Late answers change no result, and start no work.
  await clock.pass(AGES_MS);
  expect(ended).toEqual(atFirst);
  expect(left()).toEqual({ timers: 0, pageListeners: 0, signalListeners: 0 });
  return ended;
}

/** The browser's position, if that is its only answer. */
const onlyPosition = (asked: World['browserAnswers'][number] | undefined) => {
  const [first] = asked ?? [];
  const what = first && typeof first.what === 'object' && 'position' in first.what ? first.what.position : undefined;
  return what && asked?.length === 1 ? { after: first?.after ?? 0, position: what } : undefined;
};

/** The first service's answer, if it comes well in time. */
const promptService = (world: World) => {
  const [[first] = []] = world.ip.answers;
  return world.ip.enabled && first?.what === 'good' && (first.after ?? 0) < Math.min(world.ip.timeoutMs, 300)
    ? placeOf(0)
    : undefined;
};

const RUNS = { numRuns: sampleSize('worlds of the location chain', 1_000) };

/** Within the budget, and each step once, in the order of preference. */
function expectBounded({ took, budget, located }: Call, names: readonly string[]) {
  expect(took).toBeLessThanOrEqual(budget);
  const order = located.steps.map(({ step }) => names.indexOf(step));
  expect(order).not.toContain(-1);
  expect(order).toEqual([...new Set(order)].sort((a, b) => a - b));
  if (!located.location) expect(located.steps.map(({ reason }) => reason)).not.toContain(undefined);
}

describe('for any behaviour of the sources', () => {
  const services = ['service-0', 'service-1', 'service-2'];

  test('in a page the chain settles once, within its budget, in order, and leaves no timer and no listener', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        const calls = await happen(world, true);
        for (const call of calls) {
          const { location, steps } = call.located;
          const names =
            location?.source === 'gps' ? ['browser-geolocation'] : ['browser-geolocation', 'ip-lookup', ...services];
          expectBounded(call, names);
          if (location?.source === 'ip' && world.browser.enabled) expect(steps[0]?.reason).toBeDefined();
          if (location?.source === 'ip') expect(steps.at(-1)?.reason).toBeUndefined();
        }
      }),
      RUNS,
    );
  });

  test('in a page a position that comes in time is preferred to any service', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, fc.nat(), async (world, seed) => {
        const [first] = world.browserAnswers;
        const position = onlyPosition(first);
        const [call] = world.calls;
        if (!position || !call) return;
        // A possible lookup gets a third of the time.
        const chain = Math.min(world.timeoutMs, call.timeoutMs) * (world.ip.enabled ? 2 / 3 : 1);
        const budget = Math.max(1, Math.ceil(Math.min(world.browser.timeoutMs, chain)));
        const after = seed % budget;
        const answers = [[{ after, what: { position: position.position } }]];
        const clear = {
          enabled: true,
          secure: true,
          hidden: false,
          turns: [],
          calls: [{ ...call, timeoutMs: Math.max(1, call.timeoutMs), abortedAfter: undefined }],
        };
        const [ended] = await happen(
          { ...world, ...clear, browser: { ...world.browser, enabled: true }, browserAnswers: answers as never },
          true,
        );
        expect(ended?.located.location).toMatchObject({ ...position.position, source: 'gps' });
      }),
      RUNS,
    );
  });

  test('in a page without a position the first service that answers in time is used', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        const place = promptService(world);
        if (!place) return;
        const never = {
          ...world,
          browserAnswers: [[]],
          timeoutMs: 30_000,
          browser: { ...world.browser, timeoutMs: Math.min(20_000, world.browser.timeoutMs) },
        };
        const calls = await happen(
          { ...never, calls: world.calls.map((call) => ({ ...call, timeoutMs: 30_000, abortedAfter: undefined })) },
          true,
        );
        for (const { located } of calls) expect(located.location).toMatchObject({ ...place, source: 'ip' });
      }),
      RUNS,
    );
  });

  test('on a server the chain settles once, within its budget, in order, and leaves no timer and no listener', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        const calls = await happen(world, false);
        for (const call of calls) {
          const { location, steps } = call.located;
          expectBounded(call, ['client-ip', 'ip-lookup', ...services]);
          if (location)
            expect([location.source, steps.at(-1)?.reason, world.clientIP]).toEqual([
              'client_ip',
              undefined,
              '8.8.8.8',
            ]);
        }
      }),
      RUNS,
    );
  });

  test('on a server the first service that answers in time is used', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        const place = promptService(world);
        if (!place) return;
        const calls = world.calls.map((call) => ({ ...call, timeoutMs: 30_000, abortedAfter: undefined }));
        const ended = await happen({ ...world, clientIP: '8.8.8.8', timeoutMs: 30_000, calls }, false);
        for (const { located } of ended) expect(located.location).toMatchObject({ ...place, source: 'client_ip' });
      }),
      RUNS,
    );
  });
});
