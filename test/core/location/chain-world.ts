import fc from 'fast-check';
import { optionTable } from '../../../src/core/client/option-table.js';
import { type IpProvider, LookupFailure } from '../../../src/core/location/lookup/provider.js';
import type { LocationSettings } from '../../../src/core/location/settings.js';
import type { LocateRequest } from '../../../src/core/location/source.js';
import type { Clock } from '../../../src/core/platform/time.js';
import { complete } from '../../../src/core/schema/option-rules.js';
import type { FakeClock } from '../../support/fake-clock.js';
import { type Asked, FakePage } from './page/fake-page.js';

/** The action of an answerer: at once without a time, otherwise after that many milliseconds. */
interface Act<What> {
  readonly after: number | undefined;
  readonly what: What;
}

const often = <T>(arbitrary: fc.Arbitrary<T>) => ({ arbitrary, weight: 4 });
const seldom = <T>(arbitrary: fc.Arbitrary<T>) => ({ arbitrary, weight: 1 });

const delay = fc.oneof(
  seldom(fc.constant(undefined)),
  often(fc.nat(300)),
  often(fc.nat(12_000)),
  seldom(fc.nat(100_000)),
);
/** Mostly one action; sometimes none, or several. */
const acts = <What>(what: fc.Arbitrary<What>, maxLength: number): fc.Arbitrary<Act<What>[]> => {
  const one = fc.record<Act<What>>({ after: delay, what });
  return fc.oneof(
    often(fc.array(one, { minLength: 1, maxLength: 1 })),
    seldom(fc.array(one, { maxLength: 0 })),
    seldom(fc.array(one, { maxLength })),
  );
};

const good = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
});
const bad = fc.constantFrom<unknown>(
  undefined,
  {},
  { latitude: Number.NaN, longitude: 1 },
  { latitude: 91, longitude: 1 },
  { latitude: '6', longitude: '3' },
);

type BrowserAct = { position: object } | { rubbish: unknown } | { code: unknown } | 'throws';
/** The browser's actions for one request: none, one, or several. */
const browserAnswer = acts<BrowserAct>(
  fc.oneof(
    often(good.map((position) => ({ position }))),
    seldom(bad.map((rubbish) => ({ rubbish }))),
    often(fc.constantFrom<unknown>(1, 1, 1, 2, 3, 3, 77, undefined).map((code) => ({ code }))),
    seldom(fc.constant('throws' as const)),
  ),
  3,
);

/** The action of a service, or of the operator's own function: the first one settles it. */
const answer = acts(fc.constantFrom('good', 'good', 'good', 'bad', 'nothing', 'throws', 'refuses'), 1);

const limit = fc.oneof(
  seldom(fc.integer({ min: 1, max: 300 })),
  often(fc.integer({ min: 1, max: 30_000 })),
  often(fc.integer({ min: 10_000, max: 30_000 })),
);

const evenly = <T>(members: { [Name in keyof T]: fc.Arbitrary<T[Name]> }) => fc.noBias(fc.record<T>(members));

/**
 * One world: everything that can succeed or fail while a location is found. Evenly drawn: by default fast-check prefers
 * the smallest numbers, and answers would rarely come in time.
 */
export const worlds = evenly({
  browser: fc.record({
    enabled: fc.constantFrom(true, true, true, false),
    highAccuracy: fc.boolean(),
    timeoutMs: limit,
    maximumAgeMs: fc.constantFrom(0, 1_000, 60_000),
    denialMemoryMs: fc.constantFrom(0, 60_000),
  }),
  secure: fc.oneof(often(fc.constant(true)), often(fc.constant(true)), seldom(fc.boolean())),
  hidden: fc.oneof(often(fc.constant(false)), seldom(fc.boolean())),
  /** When the page is hidden or shown, from the start on. */
  turns: fc.oneof(often(fc.constant([])), seldom(fc.array(fc.nat(20_000), { maxLength: 2 }))),
  permission: fc.constantFrom('granted', 'granted', 'denied', 'prompt', 'hangs', 'throws', 'rejects'),
  allowed: fc.constantFrom(undefined, true, false),
  /** One entry for each request; the last one for all further requests. */
  browserAnswers: fc.array(browserAnswer, { minLength: 1, maxLength: 3 }),
  ip: fc.record({
    enabled: fc.constantFrom(true, true, false),
    timeoutMs: limit,
    answers: fc.array(answer, { maxLength: 3 }),
  }),
  timeoutMs: limit,
  calls: fc.array(
    fc.record({
      after: fc.constantFrom(0, 0, 5, 1_000, 70_000),
      timeoutMs: fc.oneof(seldom(fc.nat(300)), often(fc.nat(40_000)), often(fc.constant(60_000))),
      abortedAfter: fc.oneof(often(fc.constant(undefined)), seldom(limit)),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  clientIP: fc.constantFrom('8.8.8.8', '8.8.8.8', '10.0.0.1', undefined),
});

export type World = typeof worlds extends fc.Arbitrary<infer T> ? T : never;

/** The world's own actions have separate timers, so that the timers of the chain can be counted. */
const act = (clock: FakeClock, after: number | undefined, what: () => void) =>
  after === undefined ? what() : void clock.setTimeout(what, after);

/** The place that the services and the operator's function return. */
export const placeOf = (index: number) => ({ latitude: 10 + index, longitude: 3 });

function answering<T>(clock: FakeClock, script: readonly Act<string>[], value: T): Promise<T | undefined> {
  const [first] = script;
  if (first?.what === 'throws' && first.after === undefined) throw new Error('at once');
  return new Promise((resolve, reject) => {
    if (!first) return;
    act(clock, first.after, () => {
      if (first.what === 'good') resolve(value);
      else if (first.what === 'bad') resolve({ latitude: 'nil', longitude: 200, city: 7 } as T);
      else if (first.what === 'nothing') resolve(undefined);
      else reject(first.what === 'refuses' ? new LookupFailure('refused', 'no more requests') : new Error('later'));
    });
  });
}

function answerBrowser(clock: FakeClock, script: readonly Act<BrowserAct>[], { success, failure }: Asked) {
  for (const { after, what } of script) {
    if (what === 'throws') {
      if (after === undefined) throw new Error('at once');
    } else {
      act(clock, after, () => {
        if ('position' in what) success({ coords: what.position } as never);
        else if ('rubbish' in what) success({ coords: what.rubbish } as never);
        else failure(what.code === undefined ? (undefined as never) : { code: what.code as number });
      });
    }
  }
}

export function makePage(world: World, clock: FakeClock): FakePage {
  const page = new FakePage();
  page.isSecureContext = world.secure;
  page.allowed = world.allowed;
  if (world.hidden) page.show('hidden');
  const other = world.hidden ? 'visible' : 'hidden';
  for (const [index, after] of world.turns.entries())
    act(clock, after, () => page.show(index % 2 === 0 ? other : world.hidden ? 'hidden' : 'visible'));
  page.permission = () => {
    if (world.permission === 'throws') throw new TypeError('not supported');
    if (world.permission === 'rejects') return Promise.reject(new TypeError('not supported'));
    return world.permission === 'hangs' ? new Promise(() => {}) : Promise.resolve({ state: world.permission });
  };
  page.answer = (asked) => {
    const script = world.browserAnswers[Math.min(page.asked.length, world.browserAnswers.length) - 1];
    answerBrowser(clock, script ?? [], asked);
  };
  return page;
}

export function makeSettings(world: World, clock: FakeClock): LocationSettings {
  const { timeoutMs, browser } = world;
  const providers = world.ip.answers.map(
    (script, index): IpProvider => ({
      name: `service-${index}`,
      lookup: () => answering(clock, script, placeOf(index)),
    }),
  );
  const standard = complete(optionTable.location.ip, {});
  return {
    required: true,
    timeoutMs,
    browser,
    ip: { ...standard, enabled: world.ip.enabled, timeoutMs: world.ip.timeoutMs, providers },
    sourceNames: { gps: 'gps', ip: 'ip', client_ip: 'client_ip', provided: 'provided' },
  };
}

/** A signal that counts its listeners. */
export function countingSignal() {
  const listeners = new Set<() => void>();
  let aborted = false;
  return {
    get aborted() {
      return aborted;
    },
    addEventListener: (_type: 'abort', listener: () => void) => void listeners.add(listener),
    removeEventListener: (_type: 'abort', listener: () => void) => void listeners.delete(listener),
    get listeners() {
      return listeners.size;
    },
    abort() {
      aborted = true;
      for (const listener of listeners) listener();
    },
  } satisfies NonNullable<LocateRequest['signal']> & Record<string, unknown>;
}

/** The clock of the chain, and the number of its waiting timers. */
export function countTimers(clock: FakeClock): { clock: Clock; waiting(): number } {
  const timers = new Set<unknown>();
  return {
    waiting: () => timers.size,
    clock: {
      now: () => clock.now(),
      setTimeout(callback, milliseconds) {
        const timer = clock.setTimeout(() => {
          timers.delete(timer);
          callback();
        }, milliseconds);
        timers.add(timer);
        return timer;
      },
      clearTimeout(timer) {
        timers.delete(timer);
        clock.clearTimeout(timer);
      },
    },
  };
}
