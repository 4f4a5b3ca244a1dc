import { describe, expect, it } from 'vitest';
import { memoryStore, type OutboxStore } from '../../../src/entries/outbox.js';
import { operationScope, type PauseScope } from '../../../src/outbox/rules/destination.js';
import type { Row } from '../../../src/outbox/rules/state-machine.js';
import { createPipeline } from '../../../src/outbox/sending/pipeline.js';
import { betEvent, withdrawalEvent } from '../../support/factories.js';
import { FakeClock } from '../../support/fake-clock.js';
import { outboxWorld } from '../world.js';

const REPORTS = 60;
const CONCURRENCY = 2;
const LATENCY_MS = 2;

/** A backlog of bets and withdrawals before a fast gateway, which answers with 429 from some request on. */
async function quickWorld({ limitedFrom = Number.POSITIVE_INFINITY } = {}) {
  const clock = new FakeClock();
  const kept = memoryStore({ now: clock.now });
  const seen = { held: 0, mostHeld: 0, sending: 0, mostSending: 0, sent: 0, sentAfterLimit: 0 };
  let isLimited = false;
  const store: OutboxStore = {
    ...kept,
    async turn(turn) {
      const result = await kept.turn(turn);
      seen.held += result.claimed.length - turn.writes.length;
      seen.mostHeld = Math.max(seen.mostHeld, seen.held);
      return result;
    },
    // Rows are held back while the pause is written.
    async pause(change) {
      await new Promise<void>((resolve) => void clock.setTimeout(resolve, 10 * LATENCY_MS));
      return kept.pause(change);
    },
  };
  const world = outboxWorld({
    store,
    outbox: { concurrency: CONCURRENCY },
    client: {
      clock,
      async fetch(url, init) {
        seen.sending += 1;
        seen.sent += 1;
        if (isLimited) seen.sentAfterLimit += 1;
        seen.mostSending = Math.max(seen.mostSending, seen.sending);
        const refuses = seen.sent > limitedFrom && url.includes('bet') && clock.now() < start + 30_000;
        await new Promise<void>((resolve) => void clock.setTimeout(resolve, LATENCY_MS));
        seen.sending -= 1;
        if (!refuses) return world.gateway.fetch(url, init as object);
        isLimited = true;
        return new Response('{"message":"slow down"}', {
          status: 429,
          headers: { 'content-type': 'application/json', 'retry-after': '30' },
        });
      },
    },
  });
  const start = clock.now();
  for (let index = 0; index < REPORTS; index += 2) {
    await world.outbox.reportBetEvent(betEvent({ bet_id: `B-${index}` }));
    await world.outbox.reportWithdrawalEvent(withdrawalEvent({ request_id: `W-${index}` }));
  }
  return { ...world, clock, seen };
}

describe('a backlog before a fast gateway', () => {
  it('is claimed ahead of the attempts, which never exceed the concurrency', async () => {
    const { outbox, clock, seen } = await quickWorld();
    await clock.run(outbox.drain());
    expect((await outbox.stats()).states).toMatchObject({ recorded: REPORTS, waiting: 0, 'in-flight': 0 });
    expect(seen.mostSending).toBe(CONCURRENCY);
    expect(seen.mostHeld).toBeGreaterThan(CONCURRENCY * 3);
    expect(seen.sent).toBe(REPORTS);
  });

  it('stays when a pause begins, including prefetched rows of every operation: unsent, and not in doubt', async () => {
    const { outbox, clock, seen, events } = await quickWorld({ limitedFrom: 30 });
    outbox.start();
    await clock.run(new Promise<void>((resolve) => void clock.setTimeout(resolve, 5_000)));
    expect(seen.mostHeld).toBeGreaterThan(CONCURRENCY * 3);
    expect(seen.sentAfterLimit).toBe(0);
    const waiting = await outbox.list({ state: 'waiting' });
    // A withdrawal was under way.
    expect(waiting).toHaveLength(REPORTS - 31);
    expect(waiting.filter(({ inDoubt, attempts }) => inDoubt || attempts > 0)).toEqual([]);
    expect(events.filter(([type]) => type === 'paused')).toHaveLength(1);

    await clock.run(outbox.drain({ timeoutMs: 3_600_000 }));
    expect((await outbox.stats()).states).toMatchObject({ recorded: REPORTS, waiting: 0 });
    await clock.run(outbox.stop());
  });
});

describe('the pipeline of a worker', () => {
  /** Makes a row as a store does. */
  async function rowOf({ account, environment }: Pick<Row, 'account' | 'environment'>): Promise<Row> {
    const [added] = await memoryStore().enqueue([
      {
        id: `${account}:1`,
        account,
        environment,
        gateway: 'g',
        operation: 'reportBetEvent',
        reference: '1',
        waitsFor: undefined,
        body: '{}',
        fingerprint: '',
      },
    ]);
    if (!added) throw new Error('no row');
    return added.row;
  }

  async function world({ clock = new FakeClock(), isStopping = (): boolean => false } = {}) {
    const staging = await rowOf({ account: 'default', environment: 'staging' });
    const counts = { busy: 0, ended: 0 };
    const pipeline = createPipeline({ concurrency: 2, breakerAfter: 5, clock, isStopping, count: () => counts });
    const begun: [number, boolean][] = [];
    const ends: (() => void)[] = [];
    const claim = (index: number, { row = staging, isProbe = false } = {}) => {
      counts.busy += 1;
      pipeline.send(
        row,
        async (isHeldBack) => {
          begun.push([index, isHeldBack]);
          await new Promise<void>((resolve) => void ends.push(resolve));
          counts.ended += 1;
          pipeline.ended(undefined);
          return isHeldBack ? undefined : { kind: 'recorded', outcome: 'recorded', message: undefined };
        },
        isProbe,
      );
    };
    const endOne = async () => {
      ends.shift()?.();
      for (let step = 0; step < 8; step += 1) await Promise.resolve();
    };
    const endAll = async () => {
      while (ends.length > 0) await endOne();
    };
    const wait = (milliseconds: number) =>
      clock.run(new Promise<void>((resolve) => void clock.setTimeout(resolve, milliseconds)));
    return { clock, counts, pipeline, begun, claim, endOne, endAll, wait };
  }

  it('sends rows in the order of the claims, at most concurrency at once', async () => {
    const { begun, claim, endAll } = await world();
    for (let index = 0; index < 4; index += 1) claim(index);
    expect(begun.map(([index]) => index)).toEqual([0, 1]);
    await endAll();
    expect(begun.map(([index]) => index)).toEqual([0, 1, 2, 3]);
  });

  it('sends a probe at once, and gives its place to no other row', async () => {
    const { begun, claim, endOne } = await world();
    for (let index = 0; index < 3; index += 1) claim(index);
    claim(3, { isProbe: true });
    expect(begun.map(([index]) => index)).toEqual([0, 1, 3]);
    await endOne();
    expect(begun.map(([index]) => index)).toEqual([0, 1, 3, 2]);
  });

  it('has more places only before a fast gateway, and not after an idle time or a jump of the clock', async () => {
    const { pipeline, claim, endAll, wait } = await world();
    const placesAfter = async (milliseconds: number) => {
      claim(0);
      await wait(milliseconds);
      await endAll();
      pipeline.turn();
      return pipeline.places();
    };
    expect(pipeline.places()).toBe(2);
    expect(await placesAfter(10)).toBe(2 + 15);
    for (let attempt = 0; attempt < 40; attempt += 1) await placesAfter(5_000);
    expect(pipeline.places()).toBe(2);
    for (let attempt = 0; attempt < 80; attempt += 1) await placesAfter(10);
    expect(pipeline.places()).toBeGreaterThan(10);
    await wait(5_000);
    pipeline.turn();
    expect(pipeline.places()).toBe(2);
  });

  it.each<[string, number, boolean]>([
    ['a gateway that became slow', 1_500, false],
    ['a stop', 10, true],
  ])('gives back prefetched rows unsent, at %s', async (_, milliseconds, stops) => {
    let isStopping = false;
    const { begun, claim, endAll, wait } = await world({ isStopping: () => isStopping });
    for (let index = 0; index < 4; index += 1) claim(index);
    await wait(milliseconds);
    isStopping = stops;
    await endAll();
    expect(begun).toEqual([
      [0, false],
      [1, false],
      [2, true],
      [3, true],
    ]);
  });

  it.each<[string, PauseScope]>([
    ['a destination', { account: 'default', environment: 'staging' }],
    ['an operation', operationScope({ account: 'default', environment: 'staging', operation: 'reportBetEvent' })],
  ])(
    'holds back the rows that were claimed before the pause of %s, and no rows of later turns, other environments or other accounts',
    async (_, paused) => {
      const { pipeline, begun, claim, endAll } = await world();
      pipeline.turn();
      for (let index = 0; index < 3; index += 1) claim(index);
      claim(3, { row: await rowOf({ account: 'default', environment: 'production' }) });
      claim(4, { row: await rowOf({ account: 'brandB', environment: 'staging' }) });
      pipeline.holdBack(paused);
      claim(5, { isProbe: true });
      pipeline.turn();
      claim(6);
      claim(7, { isProbe: true });
      await endAll();
      expect(begun.filter(([, isHeldBack]) => isHeldBack).map(([index]) => index)).toEqual([5, 2]);
      expect(begun).toHaveLength(8);
    },
  );

  describe('gathers results for one commit', () => {
    async function gathering(claims: number) {
      const made = await world();
      for (let index = 0; index < claims; index += 1) made.claim(index);
      await made.wait(5);
      await made.endOne();
      const began = made.clock.now();
      let tookMs: number | undefined;
      const gathered = made.pipeline.gather().then(() => {
        tookMs = made.clock.now() - began;
      });
      return { ...made, gathered, tookMs: () => tookMs };
    }

    it('for a moment, if no prefetched row is left', async () => {
      const { clock, gathered, tookMs } = await gathering(2);
      await clock.run(gathered);
      expect(tookMs()).toBe(1);
    });

    it('until no prefetched row is left, and then for a moment', async () => {
      const { clock, gathered, tookMs, endOne, wait } = await gathering(6);
      await wait(20);
      expect(tookMs()).toBeUndefined();
      for (let ends = 0; ends < 4; ends += 1) await endOne();
      await clock.run(gathered);
      expect(tookMs()).toBe(21);
    });

    it('for at most 75 ms while prefetched rows are sent, and then for a moment', async () => {
      const { clock, gathered, tookMs } = await gathering(6);
      await clock.run(gathered);
      expect(tookMs()).toBe(76);
    });

    it('only while another result is under way', async () => {
      const { clock, gathered, tookMs } = await gathering(1);
      await clock.run(gathered);
      expect(tookMs()).toBe(0);
    });
  });
});
