import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LocationFailure } from '../../../../src/core/errors/errors.js';
import { createIpLookup } from '../../../../src/core/location/lookup/ip-lookup.js';
import { type IpLocation, type IpProvider, LookupFailure } from '../../../../src/core/location/lookup/provider.js';
import type { AbortSignalLike } from '../../../../src/core/platform/web-types.js';
import { sampleOf, sampleSize } from '../../../support/cases.js';
import { FakeClock } from '../../../support/fake-clock.js';

const RUNS = { numRuns: sampleSize('worlds of lookup services', 1_000) };

const TIMEOUT_MS = 400;
const STANDARD = { timeoutMs: TIMEOUT_MS, restMs: 60_000, cacheMs: 300_000, cacheSize: 10 };

const KINDS = [
  'knows',
  'has no place',
  'answers 0, 0',
  'rejects',
  'refuses',
  'is unreachable',
  'throws',
  'hangs',
  'answers late',
  'answers twice',
  'dies',
] as const;

interface Behaviour {
  readonly kind: (typeof KINDS)[number];
  /**
   * The time until it answers, in milliseconds: a multiple of 10 below its limit, so that it never coincides with a
   * caller's end.
   */
  readonly delay: number;
}

const REASONS: Partial<Record<Behaviour['kind'], LocationFailure>> = {
  'has no place': 'bad-answer',
  'answers 0, 0': 'bad-answer',
  rejects: 'bad-answer',
  refuses: 'refused',
  'is unreachable': 'unreachable',
  throws: 'bad-answer',
  hangs: 'timeout',
  'answers late': 'timeout',
  dies: 'timeout',
};

const placeOf = (service: number): IpLocation => ({ latitude: service + 1, longitude: 7 });

/** A service whose timers are gone when it has answered or was aborted. Counts the calls that run. */
function misbehaving(
  { kind, delay }: Behaviour,
  service: number,
  clock: FakeClock,
  count: { running: number },
): IpProvider {
  const place = placeOf(service);
  return {
    name: `service ${service}`,
    lookup({ signal }) {
      if (kind === 'throws') throw new Error('at once');
      count.running += 1;
      let runs = true;
      const leave = () => {
        if (runs) count.running -= 1;
        runs = false;
      };
      // A service that answers late keeps running, but no caller waits for it.
      signal.addEventListener('abort', leave);
      return new Promise((resolve, reject) => {
        if (kind === 'hangs') return;
        const act = () => {
          leave();
          if (kind === 'rejects') reject(undefined);
          else if (kind === 'refuses') reject(new LookupFailure('refused', 'the service refuses', '30'));
          else if (kind === 'is unreachable') reject(new LookupFailure('unreachable', 'out of reach'));
          else
            resolve(
              kind === 'has no place' ? undefined : kind === 'answers 0, 0' ? { latitude: 0, longitude: 0 } : place,
            );
          if (kind === 'answers twice') {
            resolve({ latitude: 80, longitude: 80 });
            reject(new Error('twice'));
          }
        };
        const timer =
          kind === 'dies' ? undefined : clock.setTimeout(act, kind === 'answers late' ? TIMEOUT_MS + delay : delay);
        if (kind === 'answers late') return;
        signal.addEventListener('abort', () => {
          clock.clearTimeout(timer);
          reject(new Error('aborted'));
        });
      });
    },
  };
}

interface Expected {
  readonly at: number;
  readonly service: number | undefined;
  readonly steps: readonly string[];
}

/**
 * The expected result of services without pauses, for a caller with unlimited time: derived from the rules, not from
 * the code.
 */
function expected(behaviours: readonly Behaviour[]): Expected {
  const steps: string[] = [];
  let at = 0;
  for (const [service, { kind, delay }] of behaviours.entries()) {
    const reason = REASONS[kind];
    if (kind !== 'throws') at += reason === 'timeout' ? TIMEOUT_MS : delay;
    steps.push(`service ${service}: ${reason ?? 'found'}`);
    if (!reason) return { at, service, steps };
  }
  return { at, service: undefined, steps };
}

/** A signal that counts its listeners. */
function countedSignal() {
  const listeners = new Set<() => void>();
  const signal: AbortSignalLike & { aborted: boolean } = {
    aborted: false,
    addEventListener: (_type, listener) => void listeners.add(listener),
    removeEventListener: (_type, listener) => void listeners.delete(listener),
  };
  const abort = () => {
    signal.aborted = true;
    for (const listener of listeners) listener();
  };
  return { signal, abort, listeners };
}

function lookupOf(behaviours: readonly Behaviour[], settings: Partial<typeof STANDARD> = {}) {
  const clock = new FakeClock();
  const counts = behaviours.map(() => ({ running: 0 }));
  const providers = behaviours.map((behaviour, service) =>
    misbehaving(behaviour, service, clock, counts[service] ?? { running: 0 }),
  );
  const lookUp = createIpLookup(
    providers,
    { ...STANDARD, ...settings },
    { clock, fetch: () => Promise.reject(new Error('this test uses no network')) },
    'ip',
  );
  const began = clock.now();
  return { clock, lookUp, counts, began };
}

interface Caller {
  readonly comesAt: number;
  readonly within: number;
  readonly abortsAfter: number | undefined;
}

/** Starts and ends callers, and records the result and the time of each. */
async function play(behaviours: readonly Behaviour[], settings: Partial<typeof STANDARD>, callers: readonly Caller[]) {
  const { clock, lookUp, counts, began } = lookupOf(behaviours, settings);
  const seen = callers.map(() => ({
    settled: 0,
    at: Number.NaN,
    found: undefined as IpLocation | undefined,
    ageMs: 0,
    steps: [] as string[],
    listening: 0,
  }));
  for (const [index, { comesAt, within, abortsAfter }] of callers.entries()) {
    clock.setTimeout(() => {
      const { signal, abort, listeners } = countedSignal();
      const timer = abortsAfter === undefined ? undefined : clock.setTimeout(abort, abortsAfter);
      const note = seen[index];
      lookUp({ ip: '102.89.23.45', deadline: clock.now() + within, signal }).then((result) => {
        if (timer !== undefined) clock.clearTimeout(timer);
        if (!note) return;
        note.settled += 1;
        note.at = clock.now() - began;
        note.found = result.location;
        note.ageMs = result.location ? result.ageMs : 0;
        note.steps = result.steps.map(({ step, reason = 'found' }) => `${step}: ${reason}`);
        note.listening = listeners.size;
      });
    }, comesAt);
  }
  await clock.pass(60_000);
  // A late answer has its own timer. It has fired by now, and changed no result.
  return { seen, counts, waiting: clock.pending };
}

const behaviour = fc.record({
  kind: fc.constantFrom(...KINDS),
  delay: fc.integer({ min: 1, max: 39 }).map((tens) => tens * 10),
});
const behaviours = fc.array(behaviour, { minLength: 1, maxLength: 4 });
const ALL_THE_TIME = 50_000;

describe('for any combination of services that succeed, fail, throw, hang, answer twice or late', () => {
  test('a caller gets the answer that the rules give, when they give it', async () => {
    await fc.assert(
      fc.asyncProperty(behaviours, async (services) => {
        const { seen, waiting } = await play(services, {}, [
          { comesAt: 0, within: ALL_THE_TIME, abortsAfter: undefined },
        ]);
        const { at, service, steps } = expected(services);
        expect(seen[0]).toMatchObject({ settled: 1, at, listening: 0 });
        expect(seen[0]?.found?.latitude).toBe(service === undefined ? undefined : placeOf(service).latitude);
        expect(seen[0]?.steps).toEqual(steps);
        expect(waiting).toBe(0);
      }),
      RUNS,
    );
  });

  test('every caller is answered once and in its time, whenever it starts and ends, and no timer and no listener is left', async () => {
    const caller = fc.record({
      comesAt: fc.integer({ min: 0, max: 200 }).map((tens) => tens * 10 + 3),
      within: fc.oneof(
        fc.constant(ALL_THE_TIME),
        fc.integer({ min: 0, max: 150 }).map((tens) => tens * 10 + 1),
      ),
      abortsAfter: fc.option(
        fc.integer({ min: 0, max: 150 }).map((tens) => tens * 10 + 2),
        { nil: undefined },
      ),
    });
    await fc.assert(
      fc.asyncProperty(
        behaviours,
        fc.array(caller, { minLength: 1, maxLength: 5 }),
        fc.constantFrom(0, 60_000),
        fc.constantFrom(0, 700, 300_000),
        async (services, callers, restMs, cacheMs) => {
          const { seen, counts, waiting } = await play(services, { restMs, cacheMs }, callers);
          const knowing = services.flatMap(({ kind }, service) =>
            kind === 'knows' || kind === 'answers twice' ? [placeOf(service).latitude] : [],
          );
          for (const [index, { comesAt, within, abortsAfter = Number.POSITIVE_INFINITY }] of callers.entries()) {
            const { settled, at, found, ageMs, steps, listening } = seen[index] ?? expect.unreachable();
            expect({ settled, listening }).toEqual({ settled: 1, listening: 0 });
            expect(at - comesAt).toBeLessThanOrEqual(Math.min(within, abortsAfter));
            if (found) expect(knowing).toContain(found.latitude);
            expect(found === undefined).toBe(!steps.at(-1)?.endsWith('found'));
            expect(ageMs === 0 || ageMs < cacheMs).toBe(true);
          }
          for (const { running } of counts) expect(running).toBe(0);
          expect(waiting).toBe(0);
        },
      ),
      RUNS,
    );
  });
});

/** Every list of three failing services. */
const FAILING = KINDS.filter((kind) => REASONS[kind]);
const combinations = FAILING.flatMap((a) => FAILING.flatMap((b) => FAILING.map((c) => [a, b, c])));

test('the deadline bounds every combination of failing services', async () => {
  expect(combinations).toHaveLength(FAILING.length ** 3);
  for (const kinds of sampleOf('lists of failing services', combinations)) {
    const services = kinds.map((kind) => ({ kind, delay: 390 }));
    for (const within of [101, 501, 1_101]) {
      const { seen, waiting } = await play(services, {}, [{ comesAt: 0, within, abortsAfter: undefined }]);
      expect({ kinds, within, ...seen[0] }).toMatchObject({
        settled: 1,
        at: Math.min(expected(services).at, within),
        found: undefined,
        listening: 0,
      });
      const last = seen[0]?.steps.map((step) => step.split(':')[0]);
      expect(last).toEqual(['service 0', 'service 1', 'service 2']);
      expect(waiting).toBe(0);
    }
  }
});
