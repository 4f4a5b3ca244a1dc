import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  FARTHEST_SLOT,
  type KeptRate,
  learn,
  learnedNow,
  slotsLong,
  type Throttling,
  takeSlots,
} from '../../../src/outbox/rules/rate.js';

const MINUTE_MS = 60_000;

describe('slots', () => {
  it('never allow more than the rate and one more, in any time, over all workers', () => {
    const takes = fc.array(
      fc.record({ afterMs: fc.nat(400), count: fc.integer({ min: 1, max: 40 }), isForward: fc.boolean() }),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2_000 }),
        takes,
        fc.integer({ min: 1, max: 5_000 }),
        (rate, all, spanMs) => {
          const sent: number[] = [];
          let [next, now] = [0, 1_700_000_000_000_000];
          for (const { afterMs, count } of all) {
            now += afterMs * 1_000;
            const long = slotsLong(count, rate);
            const taken = takeSlots({ next, now }, long);
            next = taken.next;
            // A slot of the past would be sent at once, together with others.
            expect(taken.first).toBeGreaterThanOrEqual(now);
            for (let slot = 0; slot < count; slot += 1) sent.push(taken.first + (slot * long) / count);
          }
          for (const [index, from] of sent.entries()) {
            const within = sent.filter((at, other) => other >= index && at < from + spanMs * 1_000).length;
            expect(within).toBeLessThanOrEqual((rate * spanMs) / 1_000 + 1);
          }
        },
      ),
    );
  });

  it('follow each other without a gap while there is work', () => {
    const first = takeSlots({ next: 0, now: 5_000 }, slotsLong(10, 100));
    expect(first).toEqual({ first: 5_000, next: 105_000 });
    expect(takeSlots({ next: first.next, now: 50_000 }, slotsLong(5, 100))).toEqual({ first: 105_000, next: 155_000 });
  });

  it('begin now after a jump of the clock', () => {
    expect(takeSlots({ next: 2 * FARTHEST_SLOT, now: 7 }, 10).first).toBe(7);
  });
});

describe('a learned rate', () => {
  const learned = (ageMs: number): KeptRate => ({ perSecond: 100, spanMs: MINUTE_MS, ageMs });

  it('begins below the rate that was refused, stays near it, and rises ever faster', () => {
    expect(learnedNow(learned(0))).toBeLessThan(99.5);
    expect(learnedNow(learned(MINUTE_MS))).toBe(100);
    expect(learnedNow(learned(2 * MINUTE_MS))).toBeCloseTo(101);
    expect(learnedNow(learned(4 * MINUTE_MS))).toBeGreaterThan(125);
  });

  it('is forgotten after a quiet time, and by damaged numbers', () => {
    expect(learnedNow(learned(30 * MINUTE_MS))).toBeUndefined();
    for (const damage of [{ perSecond: 0 }, { perSecond: Number.NaN }, { spanMs: 0 }, { spanMs: Number.NaN }])
      expect(learnedNow({ ...learned(0), ...damage })).toBeUndefined();
  });

  it('never stalls: it is a number of at least one per second, by any facts', () => {
    const number = fc.double({ min: 0, max: 1e9, noNaN: true });
    const kept = fc.option(
      fc.record({ perSecond: number, spanMs: fc.double({ min: 1, max: 1e6, noNaN: true }), ageMs: number }),
      { nil: undefined },
    );
    fc.assert(
      fc.property(
        fc.option(number, { nil: undefined }),
        kept,
        number,
        number,
        number,
        (perSecond, before, sentMs, waitMs, answered) => {
          const next = learn({ perSecond, kept: before, sentMs, waitMs, answeredIn: () => answered });
          expect(next.perSecond).toBeGreaterThanOrEqual(1);
          expect(next.spanMs).toBeGreaterThanOrEqual(1_000);
          expect(next.spanMs).toBeLessThanOrEqual(MINUTE_MS);
          expect(learnedNow({ ...next, ageMs: 0 })).toBeGreaterThanOrEqual(1);
        },
      ),
    );
  });
});

/** A gateway: the milliseconds of its Retry-After, or undefined if it takes the report. */
type Gateway = (at: number) => number | undefined;

/** Windows of a fixed length. */
function fixedWindow(lengthMs: number, most: number, phaseMs: number): Gateway {
  let window = -1;
  let taken = 0;
  return (at) => {
    const current = Math.floor((at + phaseMs) / lengthMs);
    if (current !== window) [window, taken] = [current, 0];
    taken += 1;
    return taken <= most
      ? undefined
      : Math.max(1, Math.ceil(((current + 1) * lengthMs - phaseMs - at) / 1_000)) * 1_000;
  };
}

function tokenBucket(perSecond: number, most: number): Gateway {
  let [tokens, before] = [most, 0];
  return (at) => {
    tokens = Math.min(most, tokens + ((at - before) * perSecond) / 1_000);
    before = at;
    if (tokens < 1) return 1_000;
    tokens -= 1;
    return undefined;
  };
}

/** The workers send as fast as the learned rate allows, at most 400 a second. Reports are up to 8 ms late. */
function send(gateway: Gateway, { workers, random }: { workers: number; random: () => number }) {
  const accepted: number[] = [];
  let [refused, at, resumedAt] = [0, 0, Number.NEGATIVE_INFINITY];
  let kept: (KeptRate & { readonly since: number }) | undefined;
  while (at < 10 * MINUTE_MS) {
    const before = kept && { ...kept, ageMs: at - kept.since };
    const perSecond = before && learnedNow(before);
    at += 1_000 / Math.min(400, perSecond ?? 400);
    const sentAt = at;
    const retryAfterMs = gateway(sentAt + random() * 8);
    if (retryAfterMs === undefined) {
      accepted.push(sentAt);
      continue;
    }
    // Those under way are refused, too.
    refused += 5;
    const waitMs = Math.max(retryAfterMs, 500 + random() * 500);
    const facts: Throttling = {
      perSecond,
      kept: before,
      sentMs: sentAt - resumedAt,
      waitMs,
      answeredIn: (milliseconds) => accepted.filter((one) => one > sentAt - milliseconds).length / workers,
    };
    kept = { ...learn(facts), ageMs: 0, since: sentAt };
    at += waitMs + 30;
    resumedAt = at;
  }
  const perSecond = (from: number, to: number) =>
    (accepted.filter((one) => one >= from && one < to).length * 1_000) / (to - from);
  return { perSecond, refusedShare: refused / (refused + accepted.length) };
}

describe('learning converges', () => {
  for (const workers of [1, 2, 8])
    for (const [kind, gatewayOf] of [
      ['a window of a second', (phase: number) => fixedWindow(1_000, 100, phase)],
      ['a window of a minute', (phase: number) => fixedWindow(MINUTE_MS, 6_000, phase * 60)],
      ['a token bucket of a second', () => tokenBucket(100, 100)],
      ['a small token bucket', () => tokenBucket(100, 20)],
    ] as const)
      it(`over ${kind}, with ${workers} workers`, () => {
        fc.assert(
          fc.property(fc.nat(999), fc.integer({ min: 1, max: 1_000_000 }), (phase, seed) => {
            let state = seed;
            const random = () => {
              state = (state * 16_807) % 2_147_483_647;
              return state / 2_147_483_647;
            };
            const { perSecond, refusedShare } = send(gatewayOf(phase), { workers, random });
            expect(perSecond(4 * MINUTE_MS, 10 * MINUTE_MS)).toBeGreaterThan(97);
            expect(perSecond(0, 4 * MINUTE_MS)).toBeGreaterThan(workers < 8 ? 89 : 83);
            expect(refusedShare).toBeLessThan(0.01);
          }),
          { numRuns: 10 },
        );
      });
});
