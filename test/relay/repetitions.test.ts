import { describe, expect, test } from 'vitest';
import { canonical, eventKeyOf } from '../../src/relay/event-key.js';
import { createRecent } from '../../src/relay/recent.js';
import { FakeClock } from '../delivery/fake-clock.js';
import { gps, pageBet, relayWorld } from './world.js';

describe('what makes two events the same', () => {
  test('is the reference that is reported, not the text that the page sent', async () => {
    let count = 0;
    const { send, gateway } = relayWorld({
      complete: () => {
        count += 1;
        return { bet_id: `OWN-${count}` };
      },
    });
    const body = { amount: 1, location: gps() };
    expect([(await send({ body })).body.reference, (await send({ body })).body.reference]).toEqual(['OWN-1', 'OWN-2']);
    expect(gateway.reports()).toHaveLength(2);
  });

  test('is not how the page writes it', async () => {
    const { send, lookedUp } = relayWorld();
    await send({ body: '{"bet_id":"BET-1","amount":1500}' });
    for (const body of ['  {"amount":1.5e3,\n"bet_id":"BET-1"}', '{"bet_id":"\\u0042ET-1","amount":1500}', '{"bet_id":"BET-1","amount":1500,"user":{}}'])
      expect((await send({ body })).body.error).toMatchObject({ code: 'duplicate', conflict: false });
    expect(lookedUp).toHaveLength(1);
  });

  test('is hashed, and differs by everything that counts', async () => {
    const identity = { operation: 'reportBetEvent', environment: undefined, player: 'U-88412', reference: 'BET-1', page: [pageBet(), gps()] };
    const keys = await Promise.all(
      [
        identity,
        { ...identity, operation: 'reportWithdrawalEvent' },
        { ...identity, environment: 'production' },
        { ...identity, player: 'U-2' },
        { ...identity, reference: 'BET-2' },
        { ...identity, page: [pageBet({ amount: 1 }), gps()] },
        { ...identity, page: [pageBet(), gps({ accuracy: 21 })] },
      ].map(eventKeyOf),
    );
    expect(new Set(keys.map(({ event }) => event)).size).toBe(7);
    expect(new Set(keys.map(({ player }) => player)).size).toBe(2);
    for (const { event, player } of keys) expect(event + player).toMatch(/^[0-9a-f]{128}$/);
    expect(canonical({ b: [{ d: 1, c: undefined, a: 'x' }], a: null })).toBe('{"a":null,"b":[{"a":"x","d":1}]}');
  });
});

describe('what is remembered', () => {
  const key = (player: string, event: number | string) => ({ player, event: `${player} ${event}` });

  test('of one player costs no other', () => {
    const recent = createRecent(new FakeClock());
    recent.set(key('bola', 1), { timestamp: '1' });
    for (let event = 0; event < 3_000; event += 1) recent.set(key('ada', event), { timestamp: '2' });
    expect([recent.get(key('bola', 1)), recent.get(key('ada', 2_949)), recent.get(key('ada', 2_950))]).toMatchObject([
      { timestamp: '1' },
      undefined,
      { timestamp: '2' },
    ]);
  });

  test('of many players is given up where there is most', () => {
    const recent = createRecent(new FakeClock());
    recent.set(key('bola', 1), { timestamp: '1' });
    for (let player = 0; player < 30; player += 1) for (let event = 0; event < 50; event += 1) recent.set(key(`evil-${player}`, event), {});
    expect(recent.get(key('bola', 1))).toMatchObject({ timestamp: '1' });
    expect([recent.get(key('evil-0', 0)), recent.get(key('evil-29', 49))]).toEqual([undefined, expect.anything()]);
  });

  test('is given up last where it is in doubt or on its way', () => {
    const recent = createRecent(new FakeClock());
    recent.set(key('ada', 'doubt'), { inDoubt: new Error('x') });
    recent.set(key('ada', 'running'), { running: new Promise(() => {}) });
    for (let event = 0; event < 100; event += 1) recent.set(key('ada', event), {});
    expect([recent.get(key('ada', 'doubt')), recent.get(key('ada', 'running'))]).toEqual([expect.anything(), expect.anything()]);
    for (let event = 0; event < 50; event += 1) recent.set(key('ada', event), { inDoubt: new Error('x') });
    expect([recent.get(key('ada', 'doubt')), recent.get(key('ada', 49))]).toEqual([undefined, expect.anything()]);
  });

  test('and was forgotten leaves room', () => {
    const clock = new FakeClock();
    const recent = createRecent(clock);
    for (let event = 0; event < 50; event += 1) recent.set(key('ada', event), {});
    recent.forget(key('ada', 49));
    recent.forget(key('ada', 49));
    recent.set(key('ada', 'new'), {});
    expect(recent.get(key('ada', 0))).toBeDefined();
    clock.advance(600_001);
    expect(recent.get(key('ada', 'new'))).toBeUndefined();
  });
});
