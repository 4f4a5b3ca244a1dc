import { describe, expect, it } from 'vitest';
import { createMockGateway } from '../../../src/entries/mock.js';
import { betEvent } from '../../support/factories.js';
import { outboxWorld } from '../world.js';

/** A gateway that refuses every bet named BAD, and fails once for a bet named LATE. */
function pickyWorld() {
  const gateway = createMockGateway();
  let failed = false;
  const answer = (status: number, message: string) =>
    new Response(JSON.stringify({ message, statusCode: status }), {
      status,
      headers: { 'content-type': 'application/json' },
    });
  const world = outboxWorld({
    outbox: { breakerAfter: 2, concurrency: 1, retry: { baseMs: 1_200_000, capMs: 1_200_000 } },
    client: {
      ...gateway.clientOptions(),
      fetch: async (url, init) => {
        const body = init.body ?? '';
        if (body.includes('"BAD')) return answer(422, 'bet is not known');
        if (!body.includes('"LATE') || failed) return gateway.fetch(url, init as object);
        failed = true;
        return answer(500, 'Internal error');
      },
    },
  });
  const report = async (...names: readonly string[]) => {
    for (const name of names) await world.run(world.outbox.reportBetEvent(betEvent({ bet_id: name })));
  };
  return { ...world, report };
}

describe('drain', () => {
  it('ends and returns false if all remaining reports were refused behind the breaker', async () => {
    const { outbox, report, run } = pickyWorld();
    await report('GOOD-1', 'BAD-1', 'BAD-2', 'BAD-3', 'BAD-4', 'BAD-5');
    const { drained, states, paused } = await run(outbox.drain());
    expect(drained).toBe(false);
    expect(states).toMatchObject({ recorded: 1, quarantined: 2, waiting: 3, 'in-flight': 0 });
    expect(paused).toMatchObject([{ account: 'default', environment: 'staging', reason: 'refusals' }]);
    for (const { reference, problem } of await outbox.list({ state: 'waiting' }))
      expect([reference, problem?.status]).toEqual([expect.stringContaining('BAD'), 422]);
  });

  it('tries for more than a minute before that, since the gateway may be repaired', async () => {
    const { clock, outbox, report, run } = pickyWorld();
    const began = clock.now();
    await report('BAD-1', 'BAD-2', 'BAD-3', 'BAD-4');
    await run(outbox.drain());
    expect(clock.now() - began).toBeGreaterThan(60_000);
  });

  it('continues while a remaining report was not tried', async () => {
    const { outbox, report, run } = pickyWorld();
    await report('LATE-1', 'BAD-1', 'BAD-2', 'BAD-3', 'BAD-4', 'BAD-5', 'BAD-6');
    const { drained, states, paused } = await run(outbox.drain());
    expect([drained, states.recorded]).toEqual([false, 1]);
    expect(states.quarantined).toBe(4);
    expect(paused.map(({ reason }) => reason)).toEqual(['refusals']);
  });

  it('returns no pauses if no report is left', async () => {
    const { outbox, report, run } = pickyWorld();
    await report('GOOD-1', 'BAD-1');
    expect(await run(outbox.drain())).toMatchObject({ drained: true, paused: [] });
  });
});
