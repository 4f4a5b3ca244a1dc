import { describe, expect, test } from 'vitest';
import { canonical } from '../../../src/core/platform/as-record.js';
import { LONGEST_TIMER_MS } from '../../../src/core/platform/time.js';
import { createClient, NetworkError, type Receipt, type ReportingError } from '../../../src/entries/index.js';
import { createOutbox, memoryStore } from '../../../src/entries/outbox.js';
import type { RelayClient, RelayReport } from '../../../src/entries/relay.js';
import { createRecent, eventKeyOf } from '../../../src/http/relay/recent.js';
import { FakeClock } from '../../support/fake-clock.js';
import { gps, PLAYER_IP, pageBet, pageWithdrawal, relayWorld, type Sending, WITHDRAWAL } from './world.js';

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

  test("is not the page's spelling of it", async () => {
    const { send, lookedUp } = relayWorld();
    await send({ body: '{"bet_id":"BET-1","amount":1500}' });
    for (const body of ['  {"amount":1.5e3,\n"bet_id":"BET-1"}', '{"bet_id":"\\u0042ET-1","amount":1500}'])
      expect((await send({ body })).body.outcome).toBe('already-recorded');
    expect(lookedUp).toHaveLength(1);
  });

  test('is hashed, and differs by everything that counts', async () => {
    const identity = {
      operation: 'reportBetEvent',
      environment: undefined,
      player: 'U-88412',
      reference: 'BET-1',
    };
    const keys = await Promise.all(
      [
        identity,
        { ...identity, operation: 'reportWithdrawalEvent' },
        { ...identity, environment: 'production' },
        { ...identity, player: 'U-2' },
        { ...identity, reference: 'BET-2' },
      ].map((one) => eventKeyOf(one, pageBet())),
    );
    expect(new Set(keys.map(({ event }) => event)).size).toBe(5);
    expect(new Set(keys.map(({ player }) => player)).size).toBe(2);
    for (const { event, player, contents } of keys) expect(event + player + contents).toMatch(/^[0-9a-f]{192}$/);
    const contentsOf = async (more: object) => (await eventKeyOf(identity, pageBet(more))).contents;
    const contents = await contentsOf({});
    expect(await contentsOf({ timestamp: '1', location: gps(), clientIP: '102.89.23.47' })).toBe(contents);
    for (const more of [{ amount: 1 }, { metadata: { odds: 2 } }, { user: { user_id: 'U-2' } }])
      expect(await contentsOf(more)).not.toBe(contents);
    expect(canonical({ b: [{ d: 1, c: undefined, a: 'x' }], a: null })).toBe('{"a":null,"b":[{"a":"x","d":1}]}');
  });
});

describe('an event for which complete names the environment', () => {
  test.each([
    ['without an outbox', false],
    ['with an outbox', true],
  ])('is another report in the other environment, %s', async (_, stores) => {
    let environment: 'staging' | 'production' = 'staging';
    const sent: string[] = [];
    const gateway = async (url: string) => {
      sent.push(new URL(url).host);
      return Response.json({});
    };
    const gateways = {
      staging: { baseUrl: 'https://staging.example', apiKey: 's' },
      production: { baseUrl: 'https://production.example', apiKey: 'p' },
    };
    const { client } = relayWorld({}, { gateways, fetch: gateway });
    const outbox = createOutbox({ client, store: memoryStore() });
    const { send } = relayWorld({ client: stores ? outbox : client, complete: () => ({ environment }) });
    const body = pageBet({ location: gps() });
    async function answers() {
      const { status } = await send({ body });
      await outbox.drain();
      return [status, (await send({ body })).body.outcome];
    }
    const expected = [stores ? 202 : 200, 'already-recorded'];
    expect(await answers()).toEqual(expected);
    environment = 'production';
    expect(await answers()).toEqual(expected);
    expect(sent).toEqual(['staging.example', 'production.example']);
  });
});

describe('what is remembered', () => {
  const key = (player: string, event: number | string) => ({ player, event: `${player} ${event}` });

  test("of one player displaces no other player's", () => {
    const recent = createRecent(new FakeClock());
    recent.set(key('bola', 1), { timestamp: '1' });
    for (let event = 0; event < 3_000; event += 1) recent.set(key('ada', event), { timestamp: '2' });
    expect([recent.get(key('bola', 1)), recent.get(key('ada', 2_949)), recent.get(key('ada', 2_950))]).toMatchObject([
      { timestamp: '1' },
      undefined,
      { timestamp: '2' },
    ]);
  });

  test('is ten thousand events for ten minutes at most', () => {
    const clock = new FakeClock();
    const recent = createRecent(clock);
    for (let player = 0; player < 10_000; player += 1) recent.set(key(`player-${player}`, 1), {});
    expect(recent.get(key('player-0', 1))).toBeDefined();
    recent.set(key('player-10000', 1), {});
    expect([recent.get(key('player-0', 1)), recent.get(key('player-1', 1))]).toEqual([undefined, expect.anything()]);
    clock.advance(600_000);
    expect(recent.get(key('player-1', 1))).toBeDefined();
    clock.advance(1);
    expect(recent.get(key('player-1', 1))).toBeUndefined();
    expect([clock.pending, clock.waits]).toEqual([0, []]);
  });

  test('and is in doubt or being sent is kept longer than events of others that have an answer', () => {
    const recent = createRecent(new FakeClock());
    const running = { running: { answer: new Promise<never>(() => {}), until: 1, contents: '', isLocated: true } };
    const inDoubt = { inDoubt: { error: new Error('lost'), event: {}, contents: '' } };
    recent.set(key('ada', 'running'), running);
    recent.set(key('bola', 'in doubt'), inDoubt);
    for (let player = 0; player < 12_000; player += 1) recent.set(key(`player-${player}`, 1), { timestamp: '1' });
    expect(recent.get(key('ada', 'running'))).toMatchObject(running);
    expect(recent.get(key('bola', 'in doubt'))).toMatchObject(inDoubt);
    for (let player = 0; player < 10_000; player += 1) recent.set(key(`other-${player}`, 1), inDoubt);
    expect(recent.get(key('ada', 'running'))).toMatchObject(running);
    expect(recent.get(key('bola', 'in doubt'))).toBeUndefined();
  });

  test('and was forgotten frees its space', () => {
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

describe('a repeat without an outbox', () => {
  const THERE = gps({ latitude: 9.05, longitude: 7.49 });
  const conflict = { code: 'duplicate', conflict: true, outcome: 'rejected' };

  test.each<[string, object]>([
    ['from another place', { location: THERE }],
    ['without a place', {}],
    ['at another time', { location: gps(), timestamp: '1795169999' }],
  ])('%s gets the receipt of the first report', async (_, more) => {
    const told: unknown[] = [];
    const { send, gateway, lookedUp } = relayWorld({
      complete: () => ({ amount: 5 }),
      timestampWindowMs: 86_400_000,
      clock: new FakeClock(),
      onReceipt: ({ outcome }, { event }) => void told.push([outcome, event.timestamp]),
    });
    const first = await send({ body: { bet_id: 'BET-1', location: gps() } });
    const again = await send({ body: { bet_id: 'BET-1', ...more } });
    expect([again.status, again.body]).toEqual([200, { ...first.body, outcome: 'already-recorded', location: gps() }]);
    expect(told).toEqual([
      ['recorded', '1795161600'],
      ['already-recorded', '1795161600'],
    ]);
    expect([gateway.requests().length, lookedUp.length]).toEqual([1, 0]);
  });

  test('in doubt from another place is sent with the first one', async () => {
    const { send, gateway } = relayWorld();
    gateway.faults.add({ kind: 'connection-reset', when: 'after' });
    expect((await send({ body: pageBet({ location: gps() }) })).status).toBe(502);
    const { status, body } = await send({ body: pageBet({ location: THERE }) });
    expect([status, body]).toMatchObject([200, { outcome: 'already-recorded', location: gps() }]);
    expect(gateway.reports()).toHaveLength(1);
  });

  test('after a refusal is a new report, with its own place', async () => {
    const { send, gateway } = relayWorld();
    gateway.faults.add({ kind: 'status', status: 422 });
    expect((await send({ body: pageBet({ location: gps() }) })).status).toBe(422);
    expect((await send({ body: pageBet({ location: THERE }) })).body.location).toEqual(THERE);
  });

  test('of other data is a conflict, is told to the operator, and does not reach the gateway', async () => {
    let amount = 100;
    const told: unknown[] = [];
    const { send, gateway, lines } = relayWorld({
      complete: () => ({ amount }),
      onError: ({ code }, { event }) => void told.push([code, event.amount]),
    });
    await send();
    amount = 200;
    const { status, body } = await send();
    expect([status, body.error]).toMatchObject([409, conflict]);
    expect(told).toEqual([['duplicate', 200]]);
    expect(lines.join()).toContain(
      'reportBetEvent BET-1: other data was reported under this reference before (a new time or place does not count)',
    );
    amount = 100;
    expect((await send()).body.outcome).toBe('already-recorded');
    expect(gateway.requests()).toHaveLength(1);
  });

  test('that comes while the first is sent waits for it, and is judged by its own data', async () => {
    const amounts: unknown[] = [];
    const client = {
      reportBetEvent: async ({ amount, bet_id }: { amount: number; bet_id: string }) => {
        amounts.push(amount);
        await new Promise((resolve) => setTimeout(resolve, 20));
        return {
          outcome: 'recorded',
          operation: 'reportBetEvent',
          reference: bet_id,
          environment: 'staging',
          attempts: 1,
        };
      },
      reportWithdrawalEvent: () => Promise.reject(new Error('not called')),
    } as unknown as RelayClient;
    const { send } = relayWorld({ client });
    const bodies = [{ location: gps() }, { location: THERE }, { amount: 7 }, {}, { amount: 7, location: THERE }];
    const answers = await Promise.all(bodies.map((more) => send({ body: pageBet(more) })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 409, 200, 409]);
    expect(amounts).toEqual([1500]);
  });

  test('that another relay has accepted is accepted again, and never called recorded', async () => {
    let asked = 0;
    const client = createClient({
      relayUrl: 'https://another-relay.example.com',
      fetch: async () => {
        asked += 1;
        return Response.json({ state: 'waiting', operation: 'reportBetEvent', reference: 'BET-1' }, { status: 202 });
      },
    });
    const { send } = relayWorld({ client });
    const located = { body: pageBet({ location: gps() }) };
    const first = await send(located);
    const again = await send(located);
    expect([first.status, first.body]).toEqual([
      202,
      { state: 'waiting', operation: 'reportBetEvent', reference: 'BET-1' },
    ]);
    expect([again.status, again.body, asked]).toEqual([202, first.body, 2]);
  });

  test('with a place does not fail with one that had none', async () => {
    const { send, gateway } = relayWorld({}, { location: { ip: { enabled: false } } });
    const answers = await Promise.all([send(), send({ body: pageBet({ location: gps() }) }), send()]);
    expect(answers.map(({ status }) => status)).toEqual([503, 200, 503]);
    expect(gateway.reports()).toHaveLength(1);
  });
});

describe('a repeat from another address, without a position of the page', () => {
  const ELSEWHERE = { remoteAddress: '105.112.8.14' };
  const kinds: readonly [kind: string, sending: Sending][] = [
    ['a bet', { body: pageBet() }],
    ['a withdrawal', { url: WITHDRAWAL, body: pageWithdrawal() }],
  ];

  test.each(kinds)('of %s that is recorded gets its receipt', async (_, sending) => {
    const { send, gateway, lookedUp } = relayWorld();
    const first = await send(sending);
    const again = await send(sending, ELSEWHERE);
    expect([again.status, again.body]).toEqual([200, { ...first.body, outcome: 'already-recorded' }]);
    expect([gateway.requests().length, lookedUp]).toEqual([1, [PLAYER_IP]]);
  });

  test.each(kinds)('of %s in doubt sends the same bytes', async (_, sending) => {
    const { send, gateway, lookedUp } = relayWorld();
    gateway.faults.add({ kind: 'connection-reset', when: 'after' });
    expect((await send(sending)).status).toBe(502);
    const { status, body } = await send(sending, ELSEWHERE);
    expect([status, body.outcome]).toEqual([200, 'already-recorded']);
    expect([gateway.reports().length, lookedUp]).toEqual([1, [PLAYER_IP]]);
  });

  test.each(kinds)('of %s that is being sent gets the same answer', async (_, sending) => {
    const { send, gateway } = relayWorld();
    const answers = await Promise.all([send(sending), send(sending, ELSEWHERE)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(gateway.requests()).toHaveLength(1);
  });

  test.each(kinds)('of %s in an outbox is the row, in another process too', async (_, sending) => {
    const { client, gateway, lookedUp } = relayWorld();
    const store = memoryStore();
    const outbox = createOutbox({ client, store });
    const [one, other] = [relayWorld({ client: outbox }), relayWorld({ client: createOutbox({ client, store }) })];
    expect((await one.send(sending)).status).toBe(202);
    expect((await one.send(sending, ELSEWHERE)).status).toBe(202);
    expect((await other.send(sending, ELSEWHERE)).status).toBe(202);
    await outbox.drain();
    expect((await other.send(sending, ELSEWHERE)).body.outcome).toBe('already-recorded');
    expect([gateway.requests().length, lookedUp]).toEqual([1, [PLAYER_IP]]);
  });
});

describe('an event in doubt, for which complete now returns other values,', () => {
  /** The first attempt's answer is lost. The amount is 100 then, and 200 from then on. */
  async function changed(more: object = {}) {
    let asked = 0;
    const told: [Receipt | ReportingError, RelayReport][] = [];
    const tell = (one: Receipt | ReportingError, report: RelayReport) => void told.push([one, report]);
    const complete = () => {
      asked += 1;
      return asked === 1 ? { amount: 100 } : { amount: 200, ...more };
    };
    const world = relayWorld({ complete, onReceipt: tell, onError: tell });
    world.gateway.faults.add({ kind: 'connection-reset', when: 'after' });
    expect((await world.send({ body: pageBet({ location: gps() }) })).body.error.outcome).toBe('unknown');
    return { ...world, told, again: () => world.send({ body: pageBet({ location: gps() }) }) };
  }
  const conflict = { code: 'duplicate', conflict: true, outcome: 'rejected' };

  test('is sent unchanged; the operator gets what was sent, and that the new values are not recorded', async () => {
    const { again, gateway, told } = await changed({
      user: { user_id: 'U-88412' },
      location: gps({ latitude: 9 }),
    });
    expect((await again()).body.error).toMatchObject(conflict);
    expect(gateway.reports().map(({ body }) => body)).toMatchObject([{ amount: 100 }]);
    expect(told).toMatchObject([
      [{ outcome: 'unknown' }, { event: { amount: 100 } }],
      [{ outcome: 'already-recorded' }, { event: { amount: 100 } }],
      [conflict, { event: { amount: 200 } }],
    ]);
  });

  test('does not change if its repetition fails too', async () => {
    const { again, gateway, told } = await changed();
    gateway.faults.add({ kind: 'connection-reset', when: 'after' });
    expect((await again()).body.error.outcome).toBe('unknown');
    expect((await again()).body.error).toMatchObject(conflict);
    expect(told.map(([, { event }]) => event.amount)).toEqual([100, 100, 100, 200]);
    expect(gateway.reports()).toHaveLength(1);
  });
});

describe('an event in doubt, whose client has no resend,', () => {
  async function failedAgain(status: number) {
    const told: ReportingError[] = [];
    const { gateway, client } = relayWorld();
    const { reportBetEvent, reportWithdrawalEvent } = client;
    const clock = new FakeClock();
    const world = relayWorld({
      clock,
      client: { reportBetEvent, reportWithdrawalEvent },
      onError: (error) => void told.push(error),
    });
    const send = (latitude: number) => {
      clock.advance(1_000);
      return world.send({ body: { bet_id: 'BET-1', amount: 5, location: gps({ latitude }) } });
    };
    gateway.faults.add({ kind: 'connection-reset', when: 'after' });
    expect((await send(6)).body.error.outcome).toBe('unknown');
    gateway.faults.add({ kind: 'status', status });
    return { again: await send(7), send, gateway, client, told };
  }

  test.each([
    [429, 'rate-limited'],
    [401, 'authentication'],
    [422, 'unprocessable'],
  ])('stays in doubt if a repeat gets %i, and keeps its time and place', async (status, code) => {
    const { again, send, gateway, client, told } = await failedAgain(status);
    expect([again.status, again.body.error]).toMatchObject([502, { code, outcome: 'unknown' }]);
    expect(told.at(-1)).toMatchObject({ code, outcome: 'unknown', status, reference: 'BET-1', attempts: 1 });
    expect(told.at(-1)).toBeInstanceOf(Error);
    expect((await client.resend(told.at(-1))).outcome).toBe('already-recorded');
    expect((await send(8)).body.error).toMatchObject({ code: 'duplicate', conflict: false });
    const bodies = gateway.requests().map(({ body }) => JSON.stringify(body));
    expect([bodies.length, new Set(bodies).size]).toEqual([4, 1]);
  });
});

describe('a repetition that another process answers', () => {
  /** Two relays over one gateway, as two processes: the second is asked a minute later. */
  async function twice(body: object, complete: object) {
    const first = relayWorld({ complete: () => complete });
    const clock = new FakeClock(Date.now() + 60_000);
    const second = relayWorld({ client: first.client, complete: () => complete, clock });
    expect((await first.send({ body })).status).toBe(200);
    return (await second.send({ body })).body.error;
  }
  const bet = { bet_id: 'BET-1', amount: 1500 };
  const timestamp = '1795161600';

  test.each<[string, object, object]>([
    ['the location was looked up', bet, { timestamp }],
    ['the relay added the time', { ...bet, location: gps() }, {}],
  ])('conflicts if %s, though the recorded report is this very one', async (_, body, complete) => {
    expect(await twice(body, complete)).toMatchObject({ code: 'duplicate', conflict: true });
  });

  test('is the same report with the recorded place, though one with another place was a conflict before', async () => {
    const first = relayWorld();
    const second = relayWorld({ client: first.client });
    const at = (location: object) => ({ body: pageBet({ location }) });
    await first.send(at(gps()));
    expect((await second.send(at(gps({ latitude: 9 })))).body.error).toMatchObject({ conflict: true });
    expect((await second.send(at(gps()))).body.error).toMatchObject({ code: 'duplicate', conflict: false });
  });

  test.each<[string, object, object]>([
    ['the position is the page’s and the time the operator’s', { ...bet, location: gps() }, { timestamp }],
    ['both are the operator’s', bet, { timestamp, location: gps() }],
  ])('is the same report if %s', async (_, body, complete) => {
    expect(await twice(body, complete)).toMatchObject({ code: 'duplicate', conflict: false });
  });
});

describe('a client that never ends', () => {
  const receipt = {
    outcome: 'recorded',
    operation: 'reportBetEvent',
    reference: 'BET-1',
    environment: 'staging',
    attempts: 1,
  };

  test('is waited for no longer than its own time, and changes nothing afterwards', async () => {
    const clock = new FakeClock();
    const events: Record<string, unknown>[] = [];
    let endFirst: (error: unknown) => void = () => {};
    const call = (event: object) => {
      events.push(event as Record<string, unknown>);
      return events.length === 1
        ? new Promise<Receipt>((_, reject) => (endFirst = reject))
        : Promise.resolve(receipt as unknown as Receipt);
    };
    const client: RelayClient = { reportBetEvent: call, reportWithdrawalEvent: call };
    const { send } = relayWorld({ clock, client, timeoutMs: 5_000, hookTimeoutMs: 1_000 });
    const body = { bet_id: 'BET-1', amount: 1 };
    expect((await clock.run(send({ body }))).body.error).toMatchObject({ code: 'timeout', outcome: 'unknown' });
    expect((await clock.run(send({ body }))).status).toBe(200);
    endFirst(new NetworkError('x', { outcome: 'not-sent' }));
    await new Promise((resolve) => setTimeout(resolve));
    clock.advance(30_000);
    expect((await clock.run(send({ body }))).status).toBe(200);
    expect(events.map(({ timestamp }) => timestamp)).toEqual(['1795161600', '1795161600']);
  });

  test('is waited for within the limit of a timer', async () => {
    const clock = new FakeClock();
    const { send } = relayWorld({ clock, timeoutMs: LONGEST_TIMER_MS });
    expect((await clock.run(send())).status).toBe(200);
    expect(Math.max(...clock.waits)).toBe(LONGEST_TIMER_MS);
  });
});
