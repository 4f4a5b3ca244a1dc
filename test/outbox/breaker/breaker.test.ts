import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleSize } from '../../support/cases.js';
import { type Attempted, type Given, live } from './world.js';

const MINUTE = 60_000;
/** The longest pause between two probes, with the answer to one. */
const PROBE_MS = MINUTE + 1_000;
const RUNS = { numRuns: sampleSize('mixtures of good and bad reports behind the breaker', 2_000) };

const options = fc.record({
  breakerAfter: fc.integer({ min: 1, max: 6 }),
  concurrency: fc.integer({ min: 1, max: 8 }),
  seed: fc.integer(),
});
const mixture = fc.array(fc.record({ bad: fc.boolean(), at: fc.integer({ min: 0, max: 10 * MINUTE }) }), {
  minLength: 1,
  maxLength: 24,
});
const backlog = fc.array(fc.record({ bad: fc.boolean(), at: fc.constant(0) }), { minLength: 1, maxLength: 40 });

const badOnes = (given: readonly Given[]) => given.filter(({ bad }) => bad).length;
/** By then each bad report has been probed once after the last report was enqueued. */
const longEnough = (given: readonly Given[]) => 10 * MINUTE + (badOnes(given) + 1) * PROBE_MS;
const firstTry = (attempts: readonly Attempted[], report: number) => attempts.find((one) => one.report === report);

describe('behind the breaker', () => {
  it('every good report is recorded, after at most as many probes as there are bad reports', () => {
    fc.assert(
      fc.property(fc.oneof(mixture, backlog), options, (given, chosen) => {
        const { attempts, stateOf } = live(given, { ...chosen, endsAt: longEnough(given) });
        for (const [report, { bad, at }] of given.entries()) {
          if (bad) continue;
          expect(stateOf(report)).toBe('recorded');
          expect((firstTry(attempts, report)?.claimedAt ?? Number.NaN) - at).toBeLessThanOrEqual(
            (badOnes(given) + 1) * PROBE_MS,
          );
        }
      }),
      RUNS,
    );
  });

  it('at most breakerAfter reports are quarantined between two recorded ones, and no good one is', () => {
    fc.assert(
      fc.property(fc.oneof(mixture, backlog), options, (given, chosen) => {
        let inARow = 0;
        for (const { became, report } of live(given, { ...chosen, endsAt: longEnough(given) }).attempts) {
          if (became === 'quarantined') expect([given[report]?.bad, inARow]).toEqual([true, expect.any(Number)]);
          inARow = became === 'quarantined' ? inARow + 1 : became === 'recorded' ? 0 : inARow;
          expect(inARow).toBeLessThanOrEqual(chosen.breakerAfter);
        }
      }),
      RUNS,
    );
  });

  it('all bad reports are quarantined in the end, if good ones come from time to time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), options, (bad, chosen) => {
        const goods = Math.ceil(bad / chosen.breakerAfter) + 1;
        const given = [
          ...Array.from({ length: bad }, () => ({ bad: true, at: 0 })),
          ...Array.from({ length: goods }, (_, index) => ({ bad: false, at: (index + 1) * 10 * MINUTE })),
        ];
        const { stateOf } = live(given, { ...chosen, endsAt: (goods + 1) * 10 * MINUTE });
        expect(given.map((_, report) => stateOf(report))).toEqual(
          given.map((one) => (one.bad ? 'quarantined' : 'recorded')),
        );
      }),
      // Hours of virtual time for each.
      { numRuns: Math.ceil(RUNS.numRuns / 4) },
    );
  });

  const HOUR = 60 * MINUTE;
  const FIFTY_BAD = Array.from({ length: 50 }, () => ({ bad: true, at: 0 }));
  const USUAL = { breakerAfter: 5, concurrency: 8, seed: 1 };

  it('a report that was never tried comes before refused ones', () => {
    const { attempts } = live([...FIFTY_BAD, { bad: false, at: 3 * HOUR }], { ...USUAL, endsAt: 4 * HOUR });
    expect((firstTry(attempts, 50)?.claimedAt ?? Number.NaN) - 3 * HOUR).toBeLessThanOrEqual(2 * PROBE_MS);
  });

  it('a report that was tried before gets its probe, even if many new bad ones come', () => {
    // Two new ones per minute are more than there are probes.
    const stream = Array.from({ length: 600 }, (_, index) => ({ bad: true, at: index * 30_000 }));
    const { attempts } = live([...FIFTY_BAD.slice(0, 12), ...stream], { ...USUAL, endsAt: 5 * HOUR });
    const probed = new Set(
      attempts.filter(({ report, claimedAt }) => report < 12 && claimedAt > HOUR).map(({ report }) => report),
    );
    expect(probed.size).toBe(7);
  });

  it('without a good report, the bad ones wait, and one per minute is tried', () => {
    const { attempts, pause } = live(FIFTY_BAD, { ...USUAL, endsAt: 3 * HOUR });
    expect(attempts.filter(({ became }) => became === 'quarantined')).toHaveLength(5);
    const lastHour = attempts.filter(({ claimedAt }) => claimedAt > 2 * HOUR);
    expect(lastHour.every(({ probe }) => probe)).toBe(true);
    expect(lastHour.length).toBeGreaterThanOrEqual(59);
    expect(lastHour.length).toBeLessThanOrEqual(121);
    expect(pause.reason).toBe('refusals');
  });
});
