import { describe, expect, it } from 'vitest';
import { memoryStore, type OutboxStore } from '../../src/entries/outbox.js';
import { createClaimBuffer } from '../../src/outbox/claim-buffer.js';
import { FakeClock } from '../delivery/fake-clock.js';
import { betEvent } from '../support/factories.js';
import { outboxWorld } from './world.js';

const REPORTS = 60;
const CONCURRENCY = 2;
const LATENCY_MS = 2;

/** A backlog before a gateway that is quick; from some request on, it answers with 429. */
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
        const refuses = seen.sent > limitedFrom && clock.now() < start + 30_000;
        await new Promise<void>((resolve) => void clock.setTimeout(resolve, LATENCY_MS));
        seen.sending -= 1;
        if (!refuses) return world.gateway.fetch(url, init as object);
        isLimited = true;
        return new Response('{"message":"slow down"}', { status: 429, headers: { 'content-type': 'application/json', 'retry-after': '30' } });
      },
    },
  });
  const start = clock.now();
  for (let index = 0; index < REPORTS; index += 1) await world.outbox.reportBetEvent(betEvent({ bet_id: `B-${index}` }));
  return { ...world, clock, seen };
}

describe('a backlog before a quick gateway', () => {
  it('is claimed ahead of the attempts, of which there are never more than asked for', async () => {
    const { outbox, clock, seen } = await quickWorld();
    await clock.run(outbox.drain());
    expect((await outbox.stats()).states).toMatchObject({ recorded: REPORTS, waiting: 0, 'in-flight': 0 });
    expect(seen.mostSending).toBe(CONCURRENCY);
    expect(seen.mostHeld).toBeGreaterThan(CONCURRENCY * 3);
    expect(seen.sent).toBe(REPORTS);
  });

  it('stays where it is when a pause comes, also what was claimed ahead: unsent, and not in doubt', async () => {
    const { outbox, clock, seen, events } = await quickWorld({ limitedFrom: 30 });
    outbox.start();
    await clock.run(new Promise<void>((resolve) => void clock.setTimeout(resolve, 5_000)));
    expect(seen.mostHeld).toBeGreaterThan(CONCURRENCY * 3);
    expect(seen.sentAfterLimit).toBe(0);
    const waiting = await outbox.list({ state: 'waiting' });
    expect(waiting).toHaveLength(REPORTS - 30);
    expect(waiting.filter(({ inDoubt, attempts }) => inDoubt || attempts > 0)).toEqual([]);
    expect(events.filter(([type]) => type === 'paused')).toHaveLength(1);

    await clock.run(outbox.drain());
    expect((await outbox.stats()).states).toMatchObject({ recorded: REPORTS, waiting: 0 });
    await clock.run(outbox.stop());
  });
});

describe('places', () => {
  const places = ({ clock = new FakeClock(), isStopping = (): boolean => false } = {}) => {
    const ahead = createClaimBuffer({ concurrency: 2, clock, isStopping });
    const begun: [number, boolean][] = [];
    const ends: (() => void)[] = [];
    const claim = (index: number) =>
      ahead.attempt((isTooLate) => {
        begun.push([index, isTooLate]);
        return new Promise((resolve) => void ends.push(() => resolve(isTooLate ? undefined : { kind: 'recorded', message: undefined })));
      });
    const endAll = async () => {
      for (let end = ends.shift(); end; end = ends.shift()) {
        end();
        for (let step = 0; step < 5; step += 1) await Promise.resolve();
      }
    };
    return { ahead, begun, claim, endAll };
  };

  it('are taken in the order of the claims', async () => {
    const { ahead, begun, claim, endAll } = places();
    for (let index = 0; index < 4; index += 1) claim(index);
    expect(begun.map(([index]) => index)).toEqual([0, 1]);
    expect(ahead.hasMore()).toBe(true);
    await endAll();
    expect(begun.map(([index]) => index)).toEqual([0, 1, 2, 3]);
    expect(ahead.hasMore()).toBe(false);
  });

  it('are more before a quick gateway only, and no more after a rest or a jump of the clock', async () => {
    const clock = new FakeClock();
    const { ahead, claim, endAll } = places({ clock });
    const placesAfter = async (milliseconds: number) => {
      claim(0);
      await clock.run(new Promise<void>((resolve) => void clock.setTimeout(resolve, milliseconds)));
      await endAll();
      ahead.turn();
      return ahead.places();
    };
    expect(ahead.places()).toBe(2);
    expect(await placesAfter(10)).toBe(2 + 15);
    for (let attempt = 0; attempt < 40; attempt += 1) await placesAfter(5_000);
    expect(ahead.places()).toBe(2);
    for (let attempt = 0; attempt < 80; attempt += 1) await placesAfter(10);
    expect(ahead.places()).toBeGreaterThan(10);
    await clock.run(new Promise<void>((resolve) => void clock.setTimeout(resolve, 5_000)));
    ahead.turn();
    expect(ahead.places()).toBe(2);
  });

  it.each<[string, number, boolean]>([
    ['a gateway that became slow', 1_500, false],
    ['a stop', 10, true],
  ])('give back unsent what waits for them, at %s', async (_, milliseconds, stops) => {
    const clock = new FakeClock();
    let isStopping = false;
    const { begun, claim, endAll } = places({ clock, isStopping: () => isStopping });
    for (let index = 0; index < 4; index += 1) claim(index);
    await clock.run(new Promise<void>((resolve) => void clock.setTimeout(resolve, milliseconds)));
    isStopping = stops;
    await endAll();
    expect(begun).toEqual([
      [0, false],
      [1, false],
      [2, true],
      [3, true],
    ]);
  });

  it('are kept when the clock throws', async () => {
    const clock = new FakeClock();
    const { begun, claim, endAll } = places({ clock });
    clock.now = () => {
      throw new Error('no time');
    };
    for (let index = 0; index < 6; index += 1) claim(index);
    await endAll();
    expect(begun).toHaveLength(6);
  });

  it('hold back what was claimed before a pause, and not what a later turn claims, nor another environment or account', () => {
    const { ahead } = places();
    const before = ahead.turn();
    expect(ahead.isHeldBack({ account: 'default', environment: 'staging' }, before)).toBe(false);
    ahead.holdBack({ account: 'default', environment: 'staging' });
    const after = ahead.turn();
    expect(ahead.isHeldBack({ account: 'default', environment: 'staging' }, before)).toBe(true);
    expect(ahead.isHeldBack({ account: 'default', environment: 'staging' }, after)).toBe(false);
    expect(ahead.isHeldBack({ account: 'default', environment: 'production' }, before)).toBe(false);
    expect(ahead.isHeldBack({ account: 'brandB', environment: 'staging' }, before)).toBe(false);
  });
});
