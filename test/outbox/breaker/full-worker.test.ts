import { describe, expect, it } from 'vitest';
import { memoryStore, type Outbox } from '../../../src/entries/outbox.js';
import { betReports, LOCATION, settlementReports } from '../../support/factories.js';
import { FakeClock } from '../../support/fake-clock.js';
import { outboxWorld } from '../world.js';

const BETS = 1_200;
const SETTLEMENTS = 40;
const CONCURRENCY = 4;
const LATENCY_MS = 50;
const HANG_MS = 9_000;

type Route = 'bets' | 'settlements' | 'withdrawals' | 'production';

/** A gateway that answers each request after 50 ms. A broken route answers with the given status. */
function scriptedWorld({ concurrency = CONCURRENCY, latencyMs = LATENCY_MS } = {}) {
  const clock = new FakeClock();
  const down = new Map<Route, number>();
  const hanging = new Set<Route>();
  const sent = { bets: 0, settlements: 0, withdrawals: 0, production: 0 };
  const sending = { now: 0, most: 0, bets: 0, mostBets: 0 };
  const routeOf = (url: string): Route =>
    url.includes('//production')
      ? 'production'
      : url.endsWith('settled-bet-event')
        ? 'settlements'
        : url.endsWith('withdrawal-event')
          ? 'withdrawals'
          : 'bets';
  const world = outboxWorld({
    store: memoryStore({ now: clock.now }),
    outbox: { concurrency },
    client: {
      clock,
      gateways: {
        staging: { baseUrl: 'https://staging.example.com', apiKey: 'key' },
        production: { baseUrl: 'https://production.example.com', apiKey: 'key' },
      },
      environment: 'staging',
      logger: { warn: () => {}, info: () => {} },
      async fetch(url) {
        const route = routeOf(String(url));
        sent[route] += 1;
        sending.now += 1;
        sending.most = Math.max(sending.most, sending.now);
        if (route === 'bets') sending.mostBets = Math.max(sending.mostBets, ++sending.bets);
        await new Promise<void>((resolve) => void clock.setTimeout(resolve, hanging.has(route) ? HANG_MS : latencyMs));
        sending.now -= 1;
        if (route === 'bets') sending.bets -= 1;
        const status = down.get(route) ?? 200;
        return new Response(
          JSON.stringify(
            status === 200 ? { message: 'reported' } : { message: 'cannot be processed', statusCode: status },
          ),
          {
            status,
            headers: { 'content-type': 'application/json' },
          },
        );
      },
    },
  });
  const report = async (reports: Parameters<Outbox['reportAll']>[0]) => {
    for (const one of await world.run(world.outbox.reportAll(reports))) if (one.status === 'rejected') throw one.reason;
  };
  return {
    ...world,
    clock,
    down,
    hanging,
    sent,
    sending,
    report,
    bets: (count: number, environment: 'staging' | 'production' = 'staging') =>
      betReports(count, 'B', { location: LOCATION, environment }),
    settlements: (count: number, name = 'S') => settlementReports(count, name),
    seconds: (count: number) =>
      clock.run(new Promise<void>((resolve) => void clock.setTimeout(resolve, count * 1_000))),
    recorded: async (environment: 'staging' | 'production', operation: 'reportBetEvent' | 'reportSettledBet') =>
      (await world.outbox.list({ state: 'recorded', environment, operation, limit: 1_000 })).length,
  };
}

describe('a worker that a healthy backlog keeps full', () => {
  it('probes the open breaker of another operation, and sends its reports as soon as the route works again', async () => {
    const { outbox, down, sent, sending, report, bets, settlements, seconds, recorded } = scriptedWorld();
    await report([...settlements(SETTLEMENTS), ...bets(BETS)]);
    down.set('settlements', 422);
    outbox.start();
    await seconds(1);
    expect((await outbox.stats()).paused).toMatchObject([{ operation: 'reportSettledBet', reason: 'refusals' }]);
    expect(sent.settlements).toBeLessThan(20);

    down.clear();
    await seconds(4);
    expect(sent.bets).toBeLessThan(BETS / 2);
    // The others were claimed before the breaker opened. They are due again after the bets.
    expect(await recorded('staging', 'reportSettledBet')).toBeGreaterThan(SETTLEMENTS * 0.6);
    expect(sending.mostBets).toBe(CONCURRENCY);
    expect(sending.most).toBe(CONCURRENCY + 1);
    await seconds(30);
    expect((await outbox.stats()).states).toMatchObject({
      recorded: BETS + SETTLEMENTS - 5,
      quarantined: 5,
      waiting: 0,
    });
  });

  it('probes a paused destination, and sends its reports as soon as it works again', async () => {
    const { outbox, down, sent, report, bets, seconds, recorded } = scriptedWorld();
    await report([...bets(40, 'production'), ...bets(BETS)]);
    down.set('production', 401);
    outbox.start();
    await seconds(1);
    expect((await outbox.stats()).paused).toMatchObject([{ environment: 'production', reason: 'authentication' }]);
    down.clear();
    await seconds(4);
    expect(sent.bets).toBeLessThan(BETS / 2);
    expect(await recorded('production', 'reportBetEvent')).toBeGreaterThan(20);
  });

  it('sends the others while a probe hangs, even with a concurrency of one', async () => {
    const { outbox, down, hanging, sent, report, bets, settlements, seconds } = scriptedWorld({
      concurrency: 1,
      latencyMs: 100,
    });
    await report([...settlements(SETTLEMENTS), ...bets(BETS)]);
    down.set('settlements', 422);
    outbox.start();
    await seconds(0.8);
    hanging.add('settlements');
    await seconds(3);
    const before = { ...sent };
    await seconds(5);
    expect(sent.settlements).toBe(before.settlements);
    expect(sent.bets - before.bets).toBeGreaterThan(45);
  });

  it('gives a probe without a report back, so that the next report of that operation is soon sent', async () => {
    const { outbox, down, sent, report, bets, settlements, seconds } = scriptedWorld();
    await report([...settlements(5), ...bets(BETS)]);
    down.set('settlements', 422);
    outbox.start();
    await seconds(5);
    expect((await outbox.stats()).states).toMatchObject({ quarantined: 5 });
    down.clear();
    await report(settlements(1, 'NEW'));
    await seconds(2.5);
    expect(sent.settlements).toBe(6);
    expect((await outbox.stats()).paused).toEqual([]);
    expect(sent.bets).toBeLessThan(BETS);
  });
});

describe('a worker that starts while a breaker is open', () => {
  it('sends one probe, and none of the other reports of that operation', async () => {
    const { outbox, down, sent, report, settlements, seconds } = scriptedWorld();
    await report(settlements(SETTLEMENTS));
    down.set('settlements', 422);
    outbox.start();
    await seconds(20);
    const { paused, states } = await outbox.stats();
    expect(paused).toMatchObject([{ operation: 'reportSettledBet', reason: 'refusals' }]);
    expect(states.waiting).toBeGreaterThan(CONCURRENCY);
    await outbox.stop();
    await seconds(60);
    const before = sent.settlements;
    outbox.start();
    await seconds(1);
    expect(sent.settlements - before).toBe(1);
  });
});
