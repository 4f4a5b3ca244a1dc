import { describe, expect, test, vi } from 'vitest';
import { createMockGateway } from '../../../src/entries/mock.js';
import { BODIES, world } from './world.js';

describe('the rate limit', () => {
  test('answers 429 above the limit, until the time that it names is over', async () => {
    const { gateway, clock, send, outcomes } = world({ rateLimit: { requests: 3, perMs: 10_000 } });
    expect(await outcomes(4)).toEqual([200, 200, 200, 429]);
    const wait = Number((await send()).headers.get('retry-after'));
    expect(wait).toBe(4);
    clock.advance(wait * 1_000 - 1_000);
    expect(await outcomes(1, 10)).toEqual([429]);
    clock.advance(1_000);
    expect(await outcomes(2, 20)).toEqual([200, 429]);
    clock.advance(3_600_000);
    expect(await outcomes(4, 30)).toEqual([200, 200, 200, 429]);
    expect(gateway.requests({ status: 429 })).toHaveLength(5);
  });

  test.each([
    [{ requests: 1, perMs: 1_000 }],
    [{ requests: 1, perMs: 60_000 }],
    [{ requests: 7, perMs: 7_000 }],
    [{ requests: 3 }],
    [{ requests: 50, perMs: 1 }],
  ])('a client that waits for that time is answered: %j', async (rateLimit) => {
    const { clock, send, outcomes } = world({ rateLimit });
    await outcomes(rateLimit.requests);
    for (let round = 0; round < 20; round += 1) {
      const refused = await send('verifyNin');
      expect(refused.status).toBe(429);
      clock.advance(Number(refused.headers.get('retry-after')) * 1_000);
      let answered = 0;
      while ((await send('verifyNin')).status === 200) answered += 1;
      expect(answered).toBeGreaterThan(0);
      expect(answered).toBeLessThanOrEqual(rateLimit.requests);
    }
  });

  test('takes effect after the key and before everything else, faults too', async () => {
    const { gateway, send } = world({ rateLimit: { requests: 1 } });
    await send();
    gateway.faults.add({ kind: 'status', status: 500, times: null });
    expect((await send('reportBetEvent', {}, { headers: {} })).status).toBe(401);
    expect((await send()).status).toBe(429);
    expect(gateway.faults.list()).toMatchObject([{ struck: 0 }]);
    expect((await send('reportBetEvent', {}, { body: 'nonsense' })).status).toBe(429);
  });

  test('a clock that goes back is harmless, and reset fills the bucket', async () => {
    const { gateway, clock, outcomes } = world({ rateLimit: { requests: 1, perMs: 1_000 } });
    await outcomes(1);
    clock.advance(-3_600_000);
    expect(await outcomes(1)).toEqual([429]);
    clock.advance(1_000);
    expect(await outcomes(1, 1)).toEqual([200]);
    gateway.reset();
    expect(await outcomes(1, 2)).toEqual([200]);
  });

  test.each([
    [{ requests: 0 }],
    [{ requests: 0.5 }],
    [{ requests: Number.NaN }],
    [{ requests: 1, perMs: 0 }],
    [{ requests: 1, perMs: -1 }],
  ])('that would refuse every request is refused: %j', (rateLimit) => {
    expect(() => createMockGateway({ rateLimit })).toThrow(/rateLimit.*requests.*perMs/);
    expect(() => createMockGateway({ rateLimit })).toThrow(TypeError);
  });
});

describe('seed, snapshot and restore', () => {
  test('seed records the initial state of a test, in either environment', async () => {
    const { gateway, outcome } = world();
    gateway.seed([
      { operation: 'reportBetEvent', body: BODIES.reportBetEvent },
      { operation: 'reportSettledWithdrawal', body: BODIES.reportSettledWithdrawal, environment: 'production' },
    ]);
    expect(await outcome({}, 'reportSettledBet')).toBe(200);
    expect(await outcome()).toBe(409);
    expect(gateway.reports('production').map(({ operation }) => operation)).toEqual(['reportSettledWithdrawal']);
    expect(gateway.requests()).toHaveLength(2);
  });

  test('seed adds to the recorded reports, all or nothing', () => {
    const { gateway } = world();
    gateway.seed([{ operation: 'reportBetEvent', body: BODIES.reportBetEvent }]);
    const more = { operation: 'reportBetEvent', body: { ...BODIES.reportBetEvent, bet_id: 'B-2' } } as const;
    expect(() => gateway.seed([more, { operation: 'reportBetEvent', body: BODIES.reportBetEvent }])).toThrow(
      /repeats an earlier report/,
    );
    expect(gateway.reports()).toHaveLength(1);
    gateway.seed([more]);
    expect(gateway.reports()).toHaveLength(2);
  });

  test('a snapshot is plain JSON from which another gateway can continue', async () => {
    const { gateway, outcome } = world();
    await outcome();
    await outcome({}, 'reportWithdrawalEvent');
    const other = world();
    other.gateway.restore(JSON.parse(JSON.stringify(gateway.snapshot())));
    expect(other.gateway.reports()).toEqual(gateway.reports());
    expect([
      await other.outcome(),
      await other.outcome({ amount: 1 }),
      await other.outcome({}, 'reportSettledBet'),
    ]).toEqual([409, 409, 200]);
    expect(other.gateway.snapshot()).not.toEqual(gateway.snapshot());
  });

  test('a restored snapshot removes later reports', async () => {
    const { gateway, outcome, outcomes } = world();
    await outcome();
    const before = gateway.snapshot();
    await outcomes(5);
    gateway.restore(before);
    expect(gateway.snapshot()).toEqual(before);
    expect(await outcomes(5)).toEqual([200, 200, 200, 200, 200]);
    expect(before.reports.staging).toHaveLength(1);
  });

  test("recorded reports do not change with the caller's objects", async () => {
    const { gateway, outcome } = world();
    const body = structuredClone(BODIES.reportBetEvent);
    gateway.seed([{ operation: 'reportBetEvent', body }]);
    body.amount = 1;
    const taken = gateway.snapshot();
    (taken.reports.staging[0]?.body as { amount: number }).amount = 2;
    gateway.restore(gateway.snapshot());
    const state = gateway.snapshot();
    gateway.restore(state);
    (state.reports.staging[0]?.body as { amount: number }).amount = 3;
    expect(gateway.reports()[0]?.body).toEqual(BODIES.reportBetEvent);
    expect(await outcome()).toBe(409);
  });

  test.each<[unknown, RegExp]>([
    [undefined, /expected \{ "version": 1/],
    [{ version: 2 }, /expected \{ "version": 1/],
    [{ version: 1 }, /reports\.staging is not a list/],
    [{ version: 1, reports: { staging: [], production: {} } }, /reports\.production is not a list/],
    [
      { version: 1, reports: { staging: [null], production: [] } },
      /reports\.staging\[0\]\.operation is not a report's/,
    ],
    [
      { version: 1, reports: { staging: [{ operation: 'verifyNin', body: {} }], production: [] } },
      /operation is not a report's/,
    ],
    [
      { version: 1, reports: { staging: [{ operation: '__proto__', body: {} }], production: [] } },
      /operation is not a report's/,
    ],
    [
      { version: 1, reports: { staging: [{ operation: 'reportBetEvent', body: [] }], production: [] } },
      /body is not an object/,
    ],
    [
      { version: 1, reports: { staging: [{ operation: 'reportBetEvent', body: {} }], production: [] } },
      /body\.bet_id is not the report's reference/,
    ],
    [
      {
        version: 1,
        reports: { staging: [{ operation: 'reportBetEvent', reference: 'A', body: { bet_id: 'B' } }], production: [] },
      },
      /is not the report's reference/,
    ],
  ])('an invalid state is refused, and nothing changes: %j', async (state, message) => {
    const { gateway, outcome } = world();
    await outcome();
    expect(() => gateway.restore(state)).toThrow(TypeError);
    expect(() => gateway.restore(state)).toThrow(message);
    expect(gateway.reports()).toHaveLength(1);
  });
});

describe('waitFor and subscribe', () => {
  test('waitFor resolves with a past request, or a future one', async () => {
    const { gateway, outcome } = world();
    const coming = gateway.waitFor({ operation: 'reportSettledBet', applied: true });
    await outcome();
    expect(await gateway.waitFor({ operation: 'reportBetEvent' })).toMatchObject({ id: 1, status: 200 });
    await outcome({ bet_id: 'none' }, 'reportSettledBet');
    await outcome({}, 'reportSettledBet');
    expect(await coming).toMatchObject({ id: 3, reference: 'BET-1', status: 200 });
  });

  test('waitFor ends with the requests that came instead', async () => {
    const { gateway, clock, outcome } = world();
    await outcome();
    const waiting = gateway.waitFor({ operation: 'verifyNin' }, { timeoutMs: 300 });
    await expect(clock.run(waiting)).rejects.toThrow(
      'No request matched {"operation":"verifyNin"} within 300 ms. The latest: reportBetEvent BET-1 200.',
    );
    expect(clock.pending).toBe(0);
  });

  test('waitFor waits for five seconds by default', async () => {
    const { gateway, clock } = world();
    await expect(clock.run(gateway.waitFor({ operation: 'verifyNin' }))).rejects.toThrow('within 5000 ms');
    expect(clock.waits).toEqual([5_000]);
  });

  test('subscribe calls back for every request until it is ended', async () => {
    const { gateway, outcomes } = world();
    const seen: number[] = [];
    const end = gateway.subscribe(({ id }) => seen.push(id));
    await outcomes(2);
    end();
    end();
    await outcomes(1);
    expect(seen).toEqual([1, 2]);
  });

  test('a listener that ends itself, or throws, affects no other', async () => {
    const { gateway, outcome } = world();
    const uncaught = vi.fn();
    const originals = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection').once('unhandledRejection', uncaught);
    const seen: string[] = [];
    const end = gateway.subscribe(() => {
      seen.push('first');
      end();
      throw new Error('of the listener');
    });
    gateway.subscribe(() => seen.push('second'));
    expect(await outcome()).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 5));
    for (const listener of originals) process.on('unhandledRejection', listener);
    expect(seen).toEqual(['first', 'second']);
    expect(uncaught.mock.calls[0]?.[0]).toMatchObject({ message: 'of the listener' });
  });
});

describe('the journal', () => {
  test.each([0, 1, 3])('keeps the latest %i requests, and their numbers', async (journalSize) => {
    const { gateway, outcomes } = world({ journalSize });
    await outcomes(10);
    expect(gateway.requests().map(({ id }) => id)).toEqual([8, 9, 10].slice(3 - journalSize));
  });

  test('keeps the latest 1,000 by default', async () => {
    const { gateway } = world();
    for (let request = 0; request < 1_001; request += 1) await gateway.fetch('http://mock.localhost/');
    const ids = gateway.requests().map(({ id }) => id);
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([1_000, 2, 1_001]);
  });

  test('contains no key, no personal data and no name that may be data', async () => {
    const { gateway, outcome, send } = world();
    await outcome({ 'Adaeze Okonkwo': 1, nin: '99012345678', more: 'Enugu' });
    await outcome({}, 'verifyNin');
    await send('reportBetEvent', {}, { headers: { 'content-type': 'application/json', 'x-api-key': 'not-the-key' } });
    const text = JSON.stringify(gateway.requests());
    for (const secret of [
      'Adaeze',
      'Okonkwo',
      '99012345678',
      'Ogui',
      'Enugu',
      '6.45',
      'mock-api-key',
      'not-the-key',
      'Mock Street',
    ]) {
      expect(text).not.toContain(secret);
    }
    expect(gateway.requests()[0]).toMatchObject({
      body: { bet_id: 'BET-1', amount: 1500, '[masked]': '[masked]' },
      status: 422,
    });
  });

  test('stays small for any requests', async () => {
    const { gateway, outcome, send } = world();
    const long = 'x'.repeat(500_000);
    await outcome({ bet_id: long });
    await outcome({ ...Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`k${index}`, 1])) });
    await gateway.fetch(`http://mock.localhost/${long}`);
    await send(
      'reportBetEvent',
      {},
      {
        body: JSON.stringify({
          metadata: Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`k${index}`, 1])),
        }),
      },
    );
    for (const entry of gateway.requests()) expect(JSON.stringify(entry).length).toBeLessThan(20_000);
    expect(gateway.reports()[0]?.reference).toBe(long);
  });
});

test('an answer names many wrong fields, but not all of very many', async () => {
  const { send } = world();
  const names = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`field${index}`, 1]));
  const began = performance.now();
  const { message } = (await (await send('reportBetEvent', names)).json()) as { message: string };
  expect(performance.now() - began).toBeLessThan(2_000);
  expect(message).toContain('field99: unknown field');
  expect(message).toMatch(/; and 8900 more$/);
});
