import { describe, expect, test } from 'vitest';
import type { RelayOptions } from '../../../src/entries/relay.js';
import { FakeClock } from '../../support/fake-clock.js';
import { gps, pageBet, relayWorld, type TestPlayer } from './world.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A relay with its defaults, and the time of its backend. */
function atBackend(options: Partial<RelayOptions<TestPlayer>> = {}) {
  const clock = new FakeClock();
  const world = relayWorld({ clock, timestampWindowMs: undefined, ...options });
  /** The time of a page whose clock differs by this much. */
  const pageTime = (differenceMs: number) => String(Math.floor((clock.now() + differenceMs) / 1_000));
  const eventAt = (differenceMs: number, more: object = {}) =>
    pageBet({ timestamp: pageTime(differenceMs), location: gps(), ...more });
  const recorded = () => world.gateway.reports().map(({ body }) => (body as { timestamp: string }).timestamp);
  return { ...world, clock, pageTime, eventAt, recorded };
}

describe('an event of a page whose clock is wrong', () => {
  test.each<[differenceMs: number, words: string]>([
    [-3 * 365 * DAY_MS, '1095 days before'],
    [3 * DAY_MS, '3 days after'],
    [-DAY_MS - 1_000, '24 hours before'],
    [DAY_MS + 1_000, '24 hours after'],
  ])('by %d ms is refused with words, before anything is looked up or sent', async (differenceMs, words) => {
    const { send, eventAt, recorded, lookedUp, pageTime } = atBackend();
    const { status, body, text } = await send({ body: eventAt(differenceMs, { location: undefined }) });
    expect({ status, error: body.error }).toEqual({
      status: 400,
      error: {
        code: 'validation',
        outcome: 'not-sent',
        message: 'The event is not valid; issues lists the problems. Nothing was sent.',
        reference: 'BET-1',
        issues: [
          {
            path: 'timestamp',
            code: 'invalid',
            message: `is ${words} the time of the backend, which accepts 24 hours; set the clock of this device`,
          },
        ],
      },
    });
    expect([recorded(), lookedUp, text.includes(pageTime(differenceMs))]).toEqual([[], [], false]);
  });

  test('is refused with one line in the log for all of them, since the clock of the backend may be the wrong one', async () => {
    const { send, eventAt, lines } = atBackend();
    for (const bet_id of ['B-1', 'B-2', 'B-3']) await send({ body: eventAt(-5 * DAY_MS, { bet_id }) });
    expect(lines.filter((line) => line.includes('timestampWindowMs'))).toEqual([
      "refused: a page's timestamp is too far from the clock of this machine (timestampWindowMs); if it happens to many players, look at that clock",
    ]);
  });

  test.each([-DAY_MS, -7 * HOUR_MS, HOUR_MS, DAY_MS])('by %d ms keeps its time', async (differenceMs) => {
    const { send, eventAt, recorded, pageTime } = atBackend();
    expect((await send({ body: eventAt(differenceMs) })).status).toBe(200);
    expect(recorded()).toEqual([pageTime(differenceMs)]);
  });

  test('is accepted with the time of the operator’s records, which may be any', async () => {
    const { send, eventAt, recorded } = atBackend({ complete: () => ({ timestamp: '1700000000' }) });
    expect((await send({ body: eventAt(-5 * 365 * DAY_MS) })).status).toBe(200);
    expect(recorded()).toEqual(['1700000000']);
  });

  test('is refused if complete gives other fields only', async () => {
    const { send, eventAt } = atBackend({ complete: () => ({ amount: 7 }) });
    expect((await send({ body: eventAt(-2 * DAY_MS) })).status).toBe(400);
  });

  test('has the window that the operator chooses', async () => {
    const wide = atBackend({ timestampWindowMs: 30 * DAY_MS });
    expect((await wide.send({ body: wide.eventAt(-29 * DAY_MS) })).status).toBe(200);
    const narrow = atBackend({ timestampWindowMs: 60_000 });
    const { body } = await narrow.send({ body: narrow.eventAt(90_000) });
    expect(body.error.issues[0].message).toContain('is 90 seconds after the time of the backend, which accepts 60 sec');
  });
});

test('an event without a time gets that of the backend', async () => {
  const { send, eventAt, recorded, pageTime } = atBackend();
  expect((await send({ body: eventAt(0, { timestamp: undefined }) })).status).toBe(200);
  expect(recorded()).toEqual([pageTime(0)]);
});

describe('an event whose answer was lost', () => {
  test('is the same report when a restarted backend gets it again, since the relay keeps the time of the page', async () => {
    const first = atBackend();
    const event = first.eventAt(-2 * HOUR_MS);
    first.gateway.faults.add({ kind: 'connection-reset', when: 'after' });
    expect((await first.send({ body: event })).body.error.outcome).toBe('unknown');
    const restarted = atBackend({ client: first.client, clock: new FakeClock(first.clock.now() + 5 * HOUR_MS) });
    expect((await restarted.send({ body: event })).body.error).toMatchObject({ code: 'duplicate', conflict: false });
    expect(first.recorded()).toEqual([event.timestamp]);
  });

  test('is sent again although its time has left the window meanwhile', async () => {
    const { send, eventAt, gateway, clock, recorded } = atBackend();
    const event = eventAt(-DAY_MS);
    gateway.faults.add({ kind: 'connection-reset', when: 'after' });
    expect((await send({ body: event })).body.error.outcome).toBe('unknown');
    clock.advance(60_000);
    expect((await send({ body: event })).body.outcome).toBe('already-recorded');
    expect((await send({ body: { ...event, bet_id: 'BET-2' } })).status).toBe(400);
    expect(recorded()).toEqual([event.timestamp]);
  });
});
