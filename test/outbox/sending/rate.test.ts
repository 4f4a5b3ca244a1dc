import { describe, expect, it } from 'vitest';
import { memoryStore, type Outbox, type OutboxStore } from '../../../src/entries/outbox.js';
import { betReports, LOCATION } from '../../support/factories.js';
import { FakeClock } from '../../support/fake-clock.js';
import { outboxWorld } from '../world.js';

const SECOND_MS = 1_000;

/** Several workers over one store, and a gateway that takes `limit` reports in each second of the clock. */
async function world({
  bets,
  workers = 2,
  limit = Number.POSITIVE_INFINITY,
  ratePerSecond,
}: {
  bets: number;
  workers?: number;
  limit?: number;
  ratePerSecond?: number;
}) {
  const clock = new FakeClock();
  const accepted: number[] = [];
  const refused: number[] = [];
  const after = (milliseconds: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, milliseconds));
  const inner = memoryStore({ now: clock.now });
  let taken = 0;
  let limitNow = limit;
  const store: OutboxStore = {
    ...inner,
    takeSlots: async (destination, long) => {
      taken += 1;
      return (await inner.takeSlots?.(destination, long)) ?? Number.NaN;
    },
  };
  const { make, run } = outboxWorld({
    store,
    clock,
    client: {
      clock,
      logger: { warn: () => {}, info: () => {}, error: () => {} },
      async fetch() {
        const second = Math.floor(clock.now() / SECOND_MS);
        const isOver = accepted.filter((at) => Math.floor(at / SECOND_MS) === second).length >= limitNow;
        (isOver ? refused : accepted).push(clock.now());
        await after(20);
        return new Response(JSON.stringify({ message: isOver ? 'Too many requests' : 'reported' }), {
          status: isOver ? 429 : 200,
          headers: { 'content-type': 'application/json', ...(isOver && { 'retry-after': '1' }) },
        });
      },
    },
  });
  const outboxes: Outbox[] = Array.from({ length: workers }, () => make({ ratePerSecond }));
  const [first] = outboxes as [Outbox];
  for (const one of await run(first.reportAll(betReports(bets, 'B', { location: LOCATION }))))
    if (one.status === 'rejected') throw one.reason;
  for (const one of outboxes) one.start();
  return {
    accepted,
    refused,
    first,
    clock,
    run,
    /** Changes the limit of the gateway. */
    raise(to: number) {
      limitNow = to;
    },
    slotsTaken: () => taken,
    pass: (milliseconds: number) => run(after(milliseconds)),
    stop: () => run(Promise.all(outboxes.map((one) => one.stop()))),
  };
}

/** The largest number of times within any span. */
const most = (times: readonly number[], spanMs: number): number =>
  Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + spanMs).length));

describe('a rate by the option', () => {
  it.each([1, 2, 5])('is kept by %i workers together, evenly spread and without a gap', async (workers) => {
    const { accepted, pass, stop } = await world({ bets: 400, workers, ratePerSecond: 50 });
    await pass(6 * SECOND_MS);
    expect(most(accepted, SECOND_MS)).toBeLessThanOrEqual(51);
    // Workers may be a few milliseconds early or late within their slots.
    expect(most(accepted, 200)).toBeLessThanOrEqual(12);
    expect(accepted.length).toBeGreaterThanOrEqual(50 * 5.5);
    await stop();
  });

  it('sends no burst after a quiet time', async () => {
    const { accepted, first, clock, pass, stop } = await world({ bets: 10, ratePerSecond: 20 });
    await pass(60 * SECOND_MS);
    expect(accepted).toHaveLength(10);
    const from = clock.now();
    const more = first.reportAll(betReports(60, 'C', { location: LOCATION }));
    await pass(2 * SECOND_MS);
    await more;
    const later = accepted.filter((at) => at >= from);
    expect(later.length).toBeGreaterThan(30);
    expect(most(later, SECOND_MS)).toBeLessThanOrEqual(21);
    await stop();
  });

  it('costs an idle outbox nothing, and a single report waits for no other', async () => {
    const { accepted, first, clock, slotsTaken, pass, stop } = await world({ bets: 1, ratePerSecond: 10 });
    await pass(5 * SECOND_MS);
    const before = slotsTaken();
    await pass(60 * SECOND_MS);
    expect(slotsTaken()).toBe(before);
    const from = clock.now();
    const report = first.reportAll(betReports(1, 'D', { location: LOCATION }));
    await pass(SECOND_MS);
    await report;
    expect(accepted).toHaveLength(2);
    expect((accepted[1] ?? Number.NaN) - from).toBeLessThan(50);
    await stop();
  });
});

describe('without the option', () => {
  it('no slots are taken while no 429 comes', async () => {
    const { accepted, slotsTaken, pass, stop } = await world({ bets: 300 });
    await pass(10 * SECOND_MS);
    expect([accepted.length, slotsTaken()]).toEqual([300, 0]);
    await stop();
  });

  it('a person ends the rate that a 429 has taught, for all workers', async () => {
    const { accepted, refused, first, clock, run, raise, pass, stop } = await world({ bets: 9_000, limit: 10 });
    await pass(30 * SECOND_MS);
    expect(refused.length).toBeGreaterThan(0);
    raise(1_000);
    const from = clock.now();
    await run(first.resume('staging'));
    await pass(5 * SECOND_MS);
    expect(accepted.filter((at) => at > from).length).toBeGreaterThan(1_000);
    await stop();
  });

  it('a 429 teaches the rate to all workers', async () => {
    const { accepted, refused, first, pass, stop } = await world({ bets: 6_000, limit: 50 });
    await pass(30 * SECOND_MS);
    const [learning, turnedAway] = [accepted.length, refused.length];
    expect(learning).toBeGreaterThan(50 * 30 * 0.85);
    await pass(60 * SECOND_MS);
    expect(accepted.length - learning).toBeGreaterThan(50 * 60 * 0.95);
    expect(refused.length - turnedAway).toBeLessThan(50 * 60 * 0.01);
    await pass(60 * SECOND_MS);
    expect((await first.stats()).states).toMatchObject({ recorded: 6_000, waiting: 0, quarantined: 0 });
    await stop();
  });
});
