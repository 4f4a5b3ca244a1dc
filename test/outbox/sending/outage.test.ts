import { describe, expect, it } from 'vitest';
import { memoryStore, type Outbox } from '../../../src/entries/outbox.js';
import { betReports, LOCATION } from '../../support/factories.js';
import { FakeClock } from '../../support/fake-clock.js';
import { outboxWorld } from '../world.js';

const WORKERS = 4;
const BETS = 400;
const OUTAGE_MS = 6 * 60_000;

type Weather = 'well' | 'unavailable' | 'refused' | 'silent' | 'broken';

/** Four workers over one store, and a gateway whose weather changes. */
async function world() {
  const clock = new FakeClock();
  const at: { weather: Weather; readonly attempts: number[] } = { weather: 'unavailable', attempts: [] };
  const after = (milliseconds: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, milliseconds));
  const answer = (status: number, message: string) =>
    new Response(JSON.stringify({ message, statusCode: status }), {
      status,
      headers: { 'content-type': 'application/json' },
    });
  const { make, run } = outboxWorld({
    store: memoryStore({ now: clock.now }),
    clock,
    client: {
      clock,
      random: () => 1,
      attemptTimeoutMs: 5_000,
      logger: { warn: () => {}, info: () => {}, error: () => {} },
      async fetch(_, { signal }) {
        at.attempts.push(clock.now());
        const { weather } = at;
        if (weather === 'silent')
          await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('cut'))));
        await after(50);
        if (weather === 'refused')
          throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } });
        if (weather === 'broken') return answer(500, 'Broken for now');
        return weather === 'well' ? answer(200, 'reported') : answer(503, 'Down for now');
      },
    },
  });
  const outboxes: Outbox[] = Array.from({ length: WORKERS }, () => make());
  const [first] = outboxes as [Outbox];
  for (const one of await run(first.reportAll(betReports(BETS, 'B', { location: LOCATION }))))
    if (one.status === 'rejected') throw one.reason;
  for (const one of outboxes) one.start();
  return {
    at,
    first,
    clock,
    pass: (milliseconds: number) => run(after(milliseconds)),
    stop: () => run(Promise.all(outboxes.map((one) => one.stop()))),
  };
}

describe('an outage of six minutes', () => {
  it.each(['unavailable', 'refused'] as const)(
    '(%s) ends with an attempt within ten seconds of the return, and with one probe at a time before it',
    async (weather) => {
      const { at, first, clock, pass, stop } = await world();
      at.weather = weather;
      await pass(OUTAGE_MS);
      const lately = at.attempts.filter((time) => time > clock.now() - 60_000);
      // One probe for all workers in each eight seconds, and not one of each worker.
      expect(lately.length).toBeGreaterThanOrEqual(6);
      expect(lately.length).toBeLessThanOrEqual(10);
      at.weather = 'well';
      const returned = clock.now();
      await pass(10_000);
      expect((at.attempts.find((time) => time > returned) ?? Number.NaN) - returned).toBeLessThan(10_000);
      await pass(60_000);
      expect((await first.stats()).states).toMatchObject({ recorded: BETS, waiting: 0 });
      await stop();
    },
  );

  it('is shown with the reason, the words and the time of the last probe', async () => {
    const { at, first, clock, pass, stop } = await world();
    const began = clock.now();
    await pass(60_000);
    const [before] = (await first.stats()).paused;
    expect([before?.reason, before?.message]).toEqual(['unavailable', expect.stringContaining('Down for now')]);
    at.weather = 'broken';
    await pass(60_000);
    const [broken] = (await first.stats()).paused;
    expect([broken?.reason, broken?.message]).toEqual(['unavailable', expect.stringContaining('Broken for now')]);
    at.weather = 'silent';
    await pass(60_000);
    const [now] = (await first.stats()).paused;
    expect([now?.reason, now?.message]).toEqual(['unreachable', expect.stringMatching(/timed out|no answer/i)]);
    expect(now?.since).toBe(before?.since);
    for (const [shown, end] of [
      [before, 60_000],
      [broken, 120_000],
      [now, 180_000],
    ] as const) {
      expect(shown?.triedAt).toBeLessThanOrEqual(began + end);
      expect(shown?.triedAt).toBeGreaterThan(began + end - 15_000);
    }
    await stop();
  });
});
