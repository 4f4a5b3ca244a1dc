import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { createClient } from '../../src/core/client/create-client.js';
import { systemClock } from '../../src/core/platform/time.js';
import { ConfigurationError, type Fetch, type Transport } from '../../src/entries/index.js';
import { createMockGateway } from '../../src/entries/mock.js';
import { createOutbox, memoryStore, type OutboxStore, StoreError } from '../../src/entries/outbox.js';
import { GATHER_MS } from '../../src/outbox/sending/plan.js';
import {
  betEvent,
  betReports,
  LOCATION,
  settledBet,
  settledWithdrawal,
  withdrawalEvent,
} from '../support/factories.js';
import { failureOf, issuesOf } from '../support/failure-of.js';
import { FakeClock } from '../support/fake-clock.js';
import { outboxWorld } from './world.js';

const BET = 'default:staging:reportBetEvent:BET-1';
const SETTLED = 'default:staging:reportSettledBet:BET-1';

it.each<[string, unknown, string]>([
  ['is missing', undefined, 'store: is required: expected a store, such as memoryStore()'],
  ['was not awaited', Promise.resolve(memoryStore()), 'got a promise; write await before it'],
  ['is a pool', { query: async () => ({ rows: [] }) }, 'such as memoryStore(), got an object'],
])('a store that %s is refused with the line to write', (_, store, message) => {
  const options = { client: createClient(), store: store as OutboxStore };
  expect(() => createOutbox(options)).toThrow(ConfigurationError);
  expect(() => createOutbox(options)).toThrow(message);
});

describe('a concurrency of many', () => {
  it('causes no warning of the platform, and a stop cancels all attempts', async () => {
    const warned = vi.fn();
    process.on('warning', warned);
    const { outbox, run, clock } = outboxWorld({
      outbox: { concurrency: 32 },
      client: { fetch: () => new Promise(() => {}) },
    });
    for (let index = 0; index < 32; index += 1) await outbox.reportBetEvent(betEvent({ bet_id: `B-${index}` }));
    outbox.start();
    await clock.run(new Promise<void>((resolve) => void clock.setTimeout(resolve, 100)));
    expect((await outbox.stats()).states['in-flight']).toBe(32);
    await run(outbox.stop({ timeoutMs: 100 }));
    expect((await outbox.list({ state: 'waiting' })).every(({ inDoubt }) => inDoubt)).toBe(true);
    expect((await outbox.stats()).states).toMatchObject({ waiting: 32, 'in-flight': 0 });
    process.off('warning', warned);
    expect(warned).not.toHaveBeenCalled();
  });
});

it("the user's own transport gets a signal of the platform, since fetch refuses any other", async () => {
  const signals: unknown[] = [];
  const send: Transport['send'] = async (_, { signal }) => {
    signals.push(signal);
    return { ended: 'answered', status: 200, header: () => null, text: '{"message":"recorded"}', measured: true };
  };
  const { outbox, run } = outboxWorld({ client: { transport: { send } } });
  await outbox.reportBetEvent(betEvent());
  await run(outbox.drain());
  expect(signals).toEqual([expect.any(AbortSignal)]);
});

describe('the ends of attempts', () => {
  it('share commits when they come together, and a single one does not wait', async () => {
    const kept = memoryStore();
    const commits: number[] = [];
    const store: OutboxStore = {
      ...kept,
      turn: (turn) => {
        if (turn.writes.length > 0) commits.push(turn.writes.length);
        return kept.turn(turn);
      },
    };
    const { outbox, run, clock } = outboxWorld({ store, outbox: { concurrency: 8 } });
    for (let index = 0; index < 8; index += 1) await outbox.reportBetEvent(betEvent({ bet_id: `B-${index}` }));
    await run(outbox.drain());
    expect(commits.reduce((sum, count) => sum + count, 0)).toBe(8);
    expect(commits.length).toBeLessThan(4);

    const { length } = clock.waits;
    await outbox.reportBetEvent(betEvent({ bet_id: 'alone' }));
    await run(outbox.drain());
    expect(clock.waits.slice(length)).not.toContain(GATHER_MS);
  });
});

describe('the ends of attempts whose commit succeeds without an answer', () => {
  it('are all emitted once the store can be read again', async () => {
    const kept = memoryStore();
    let answers = true;
    let failures = 0;
    const store: OutboxStore = {
      ...kept,
      turn: async (turn) => {
        const result = await kept.turn(turn);
        if (turn.writes.length < 3 || !answers) return result;
        answers = false;
        throw new Error('the answer was lost');
      },
      get: (ids) => {
        if (answers || failures === 3) return kept.get(ids);
        failures += 1;
        return Promise.reject(new Error('the store cannot be read'));
      },
    };
    const { outbox, run, events, gateway } = outboxWorld({ store, outbox: { concurrency: 3 } });
    gateway.faults.add({ kind: 'status', status: 422, reference: 'B-1', times: null });
    for (let index = 0; index < 3; index += 1) await outbox.reportBetEvent(betEvent({ bet_id: `B-${index}` }));
    expect(await run(outbox.drain())).toMatchObject({ drained: true });
    expect(failures).toBe(3);
    const told = events.filter(([type]) => ['recorded', 'quarantined', 'late'].includes(type));
    expect(told.map(([type, event]) => `${type} ${'reference' in event && event.reference}`).sort()).toEqual([
      'quarantined B-1',
      'recorded B-0',
      'recorded B-2',
    ]);
  });
});

describe('enqueueing', () => {
  it('resolves with the id and the state, and sends nothing before start', async () => {
    const { outbox, sent } = outboxWorld();
    expect(await outbox.reportBetEvent(betEvent())).toMatchObject({ id: BET, state: 'waiting' });
    expect(sent).toEqual([]);
    expect(await outbox.get(BET)).toMatchObject({ state: 'waiting', inDoubt: false, attempts: 0 });
  });

  it('refuses what the client refuses, and stores nothing of it', async () => {
    const { outbox } = outboxWorld();
    expect(await issuesOf(outbox.reportBetEvent(betEvent({ amount: Number.NaN })))).toEqual(['amount: not-json']);
    expect(await failureOf(outbox.reportBetEvent(betEvent(), { environment: 'moon' as 'staging' }))).toMatchObject({
      code: 'validation',
    });
    expect(await outbox.list()).toEqual([]);
  });

  it('refuses an event without a location, and stores nothing of it', async () => {
    const { outbox } = outboxWorld({ client: { location: {} } });
    expect(await failureOf(outbox.reportBetEvent(betEvent()))).toMatchObject({
      code: 'location',
      outcome: 'not-sent',
      steps: [{ step: 'client-ip' }],
    });
    expect(await outbox.list()).toEqual([]);
  });

  it('ends with its signal, which does not cancel a committed report', async () => {
    const { outbox, run } = outboxWorld();
    expect(
      await failureOf(outbox.reportBetEvent(betEvent({ bet_id: 'B-2' }), { signal: AbortSignal.abort() })),
    ).toMatchObject({
      code: 'aborted',
      outcome: 'not-sent',
    });
    const broken = {
      get aborted(): boolean {
        throw new Error('a canary');
      },
      addEventListener: () => {},
      removeEventListener: () => {},
    };
    const error = await failureOf(outbox.reportBetEvent(betEvent({ bet_id: 'B-3' }), { signal: broken }));
    expect(error).toMatchObject({
      code: 'configuration',
      message: expect.stringMatching(/signal that you passed threw an error\. Nothing was enqueued\.$/),
    });
    const controller = new AbortController();
    await outbox.reportBetEvent(betEvent(), { signal: controller.signal });
    controller.abort();
    await run(outbox.drain());
    expect((await outbox.list()).map(({ reference, state }) => [reference, state])).toEqual([['BET-1', 'recorded']]);
  });

  it.each(['n\0a', 'n\n', 'n\u007f', 'n\ud800', '\udc00n'])(
    'refuses the reference %j, which a store could confuse with another one',
    async (bet_id) => {
      const { outbox } = outboxWorld();
      const error = await failureOf(outbox.reportBetEvent(betEvent({ bet_id })));
      expect(error).toMatchObject({
        code: 'validation',
        outcome: 'not-sent',
        issues: [{ path: 'bet_id', code: 'invalid' }],
      });
      expect(error.message).toBe(
        'reportBetEvent: bet_id: expected a string without control characters and halves of characters. Nothing was stored or sent.',
      );
      expect(await issuesOf(outbox.reportWithdrawalEvent(withdrawalEvent({ request_id: bet_id })))).toEqual([
        'request_id: invalid',
      ]);
      const [together] = await outbox.reportAll([{ operation: 'reportSettledBet', payload: settledBet({ bet_id }) }]);
      expect(together).toMatchObject({ status: 'rejected', reason: { code: 'validation' } });
      expect(await outbox.list()).toEqual([]);
    },
  );

  it('takes references of any script, including surrogate pairs', async () => {
    const { outbox } = outboxWorld();
    expect(await outbox.reportBetEvent(betEvent({ bet_id: 'ẹ̀kọ́ 😀' }))).toMatchObject({
      id: 'default:staging:reportBetEvent:ẹ̀kọ́ 😀',
      state: 'waiting',
    });
  });

  it('freezes the bytes: later changes of the payload are not sent', async () => {
    const { outbox, sent, run } = outboxWorld();
    const bet = betEvent();
    await outbox.reportBetEvent(bet);
    bet.amount = 1;
    await run(outbox.drain());
    expect(sent.map((body) => JSON.parse(body).amount)).toEqual([1500]);
  });

  it('returns the same row for the same bytes, even after they are recorded', async () => {
    const { outbox, run, sent } = outboxWorld();
    const bet = settledBet();
    await outbox.reportBetEvent(betEvent());
    await outbox.reportSettledBet(bet);
    expect(await outbox.reportSettledBet(bet)).toMatchObject({ id: SETTLED, state: 'waiting' });
    await run(outbox.drain());
    const again = await outbox.reportSettledBet(bet);
    expect(again).toMatchObject({ id: SETTLED, state: 'recorded' });
    outbox.start();
    expect(await again.done).toMatchObject({ outcome: 'recorded', reference: 'BET-1' });
    await run(outbox.stop());
    expect(sent).toHaveLength(2);
  });

  it('refuses other data under the same reference, and sends the first report', async () => {
    const { outbox, run, sent } = outboxWorld();
    await outbox.reportBetEvent(betEvent({ amount: 1 }));
    expect(await failureOf(outbox.reportBetEvent(betEvent({ amount: 2 })))).toMatchObject({
      code: 'duplicate',
      conflict: true,
      outcome: 'rejected',
      attempts: 0,
    });
    await run(outbox.drain());
    expect(sent.map((body) => JSON.parse(body).amount)).toEqual([1]);
  });

  it('rejects with the error of a store for a row that the store cannot hold', async () => {
    const store = memoryStore();
    const full: OutboxStore = {
      ...store,
      enqueue: async (rows) =>
        rows.some(({ reference }) => reference === 'big') ? Promise.reject(new Error('quota')) : store.enqueue(rows),
    };
    const { outbox } = outboxWorld({ store: full });
    const results = await outbox.reportAll(
      ['a', 'big', 'b'].map((bet_id) => ({ operation: 'reportBetEvent', payload: betEvent({ bet_id }) })),
    );
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await outbox.list()).map(({ reference }) => reference)).toEqual(['a', 'b']);
  });

  it('commits several reports together', async () => {
    const store = memoryStore();
    const commits: number[] = [];
    const counting: OutboxStore = {
      ...store,
      enqueue: (rows) => store.enqueue(rows).finally(() => commits.push(rows.length)),
    };
    const { outbox } = outboxWorld({ store: counting });
    await outbox.reportAll(betReports(100));
    expect(commits.length).toBeLessThan(20);
    expect((await outbox.list({ limit: 200 })).map(({ reference }) => reference)).toEqual(
      Array.from({ length: 100 }, (_, index) => `B-${index}`),
    );
  });

  it("writes within the user's transaction", async () => {
    const store = memoryStore();
    const seen: unknown[] = [];
    const { outbox, names } = outboxWorld({
      store: {
        ...store,
        transactional: true,
        enqueue: (rows, transaction) => store.enqueue(rows).finally(() => seen.push(transaction)),
      },
    });
    const transaction = { query: () => {} };
    await outbox.within(transaction).reportSettledBet(settledBet());
    expect(seen).toEqual([transaction]);
    expect(names()).toEqual([]);
  });

  it('ends a drain when it is stopped, and all calls of stop wait for the same end', async () => {
    const { outbox, gateway, run } = outboxWorld();
    gateway.faults.add({ kind: 'status', status: 503, times: null });
    await outbox.reportBetEvent(betEvent());
    outbox.start();
    const drained = outbox.drain();
    const stops = [outbox.stop(), outbox.stop()];
    expect(stops[0]).toBe(stops[1]);
    await run(Promise.all(stops));
    expect(await run(drained)).toMatchObject({ drained: false, states: { waiting: 1 } });
  });

  it('gives the receipt of a report that was enqueued after a start during a stop', async () => {
    const { outbox, run } = outboxWorld();
    outbox.start();
    const stopped = outbox.stop();
    outbox.start();
    await run(stopped);
    const { done } = await outbox.reportBetEvent(betEvent());
    expect(await run(done)).toMatchObject({ outcome: 'recorded' });
    await run(outbox.stop());
  });

  it('refuses a transaction that the store cannot use', async () => {
    const { outbox } = outboxWorld();
    expect(() => outbox.within({ query: () => {} })).toThrow(ConfigurationError);
    expect(() => outbox.within({ query: () => {} })).toThrow(
      'Nothing was enqueued. Use postgresStore or sqliteStore over the database of the transaction. In a test, memoryStore has no transactions: use postgresStore with a schema of its own',
    );
    expect(await outbox.list()).toEqual([]);
  });

  it.each([undefined, null])('refuses %s as a transaction, and commits nothing by itself', (transaction) => {
    const { outbox } = outboxWorld({ store: { ...memoryStore(), transactional: true } });
    expect(() => outbox.within(transaction)).toThrow(/expected your transaction/);
  });

  it('ends the wait for a lost report, whose transaction was rolled back or whose database was lost', async () => {
    const store = memoryStore();
    const { outbox, run, clock } = outboxWorld({
      store: { ...store, transactional: true, enqueue: (rows) => memoryStore().enqueue(rows) },
    });
    outbox.start();
    const { done } = await outbox.within({}).reportBetEvent(betEvent());
    const began = clock.now();
    await expect(run(done)).rejects.toMatchObject({
      code: 'aborted',
      outcome: 'unknown',
      message: expect.stringMatching(/restored.*rolled back/),
    });
    expect(clock.now() - began).toBeGreaterThan(300_000);
    await run(outbox.stop());
  });
});

describe('delivering', () => {
  it('sends each report once, and settled ones after their initiated ones', async () => {
    const { outbox, gateway, run } = outboxWorld();
    await outbox.reportSettledWithdrawal({ ...settledWithdrawal(), location: LOCATION });
    await outbox.reportSettledBet(settledBet());
    await outbox.reportWithdrawalEvent(withdrawalEvent());
    await outbox.reportBetEvent(betEvent());
    expect(await run(outbox.drain())).toMatchObject({ drained: true, states: { recorded: 4, waiting: 0 } });
    expect(
      gateway
        .reports()
        .map(({ operation }) => operation)
        .sort(),
    ).toEqual(['reportBetEvent', 'reportSettledBet', 'reportSettledWithdrawal', 'reportWithdrawalEvent']);
  });

  it('resolves done with the receipt, including its location', async () => {
    const { outbox, run } = outboxWorld();
    outbox.start();
    const { done } = await outbox.reportBetEvent(betEvent());
    expect(await run(done)).toMatchObject({
      outcome: 'recorded',
      operation: 'reportBetEvent',
      attempts: 1,
      location: { source: expect.any(String) },
    });
    await run(outbox.stop());
  });

  it.each([
    ['recorded', undefined],
    ['quarantined', 422],
  ])('settles done with the result of its own worker (%s), and not at the next poll', async (state, status) => {
    const HOUR_MS = 3_600_000;
    const { outbox, gateway, clock, run } = outboxWorld({ outbox: { pollMs: HOUR_MS } });
    if (status !== undefined) gateway.faults.add({ kind: 'status', status, times: 1 });
    const { id, done } = await outbox.reportBetEvent(betEvent());
    const begin = clock.now();
    outbox.start();
    await run(Promise.allSettled([done]));
    expect((await outbox.get(id))?.state).toBe(state);
    expect(clock.now() - begin).toBeLessThan(HOUR_MS / 10);
    await run(outbox.stop());
  });

  it('resolves done if another worker records the report', async () => {
    const { make, outbox, run } = outboxWorld();
    const { done } = await outbox.reportBetEvent(betEvent());
    const receipt = done;
    await run(make().drain());
    expect(await run(receipt)).toMatchObject({ outcome: 'recorded' });
  });

  it.each(['connection-reset', 'half-body', 'broken-json', 'wrong-content-type'] as const)(
    'a report whose answer is lost (%s) is already recorded',
    async (kind) => {
      const { outbox, gateway, run, events, sent } = outboxWorld();
      gateway.faults.add({ kind, when: 'after' });
      await outbox.reportBetEvent(betEvent());
      expect(await run(outbox.drain())).toMatchObject({ states: { recorded: 1 } });
      expect(await outbox.get(BET)).toMatchObject({ outcome: 'already-recorded', attempts: 2, inDoubt: false });
      expect(new Set(sent).size).toBe(1);
      expect(events.map(([name]) => name)).toEqual(['enqueued', 'delayed', 'recorded']);
    },
  );

  it('a rate limit in between does not clear the doubt', async () => {
    const { outbox, gateway, run, names } = outboxWorld();
    gateway.faults.add({ kind: 'connection-reset', when: 'after' });
    gateway.faults.add({ kind: 'status', status: 429, retryAfter: 60, skip: 1 });
    await outbox.reportBetEvent(betEvent());
    await run(outbox.drain({ timeoutMs: 3_600_000 }));
    expect(await outbox.get(BET)).toMatchObject({ outcome: 'already-recorded', attempts: 2 });
    expect(names()).toEqual(['enqueued', 'delayed', 'paused', 'delayed', 'resumed', 'recorded']);
  });

  it('a duplicate of another sender is quarantined', async () => {
    const { outbox, client, run, events } = outboxWorld();
    const bet = betEvent({ timestamp: '1795161600' });
    await client.reportBetEvent(bet);
    await outbox.reportBetEvent(bet);
    await run(outbox.drain());
    expect(await outbox.get(BET)).toMatchObject({
      state: 'quarantined',
      inDoubt: false,
      problem: { code: 'duplicate', status: 409 },
    });
    expect(events.at(-1)).toEqual(['quarantined', expect.objectContaining({ id: BET, code: 'duplicate' })]);
  });

  it('a conflict is quarantined, in doubt or not', async () => {
    const { outbox, client, gateway, run } = outboxWorld();
    await client.reportBetEvent(betEvent({ amount: 7 }));
    gateway.faults.add({ kind: 'connection-reset', when: 'after' });
    await outbox.reportBetEvent(betEvent());
    await run(outbox.drain());
    expect(await outbox.get(BET)).toMatchObject({
      state: 'quarantined',
      problem: { code: 'conflict' },
    });
  });

  it('a refused report is quarantined, delays only its own reference, and rejects done', async () => {
    const { outbox, gateway, run } = outboxWorld();
    gateway.faults.add({ kind: 'status', status: 422, reference: 'BET-1' });
    outbox.start();
    const { done } = await outbox.reportBetEvent(betEvent());
    await outbox.reportSettledBet(settledBet());
    await outbox.reportBetEvent(betEvent({ bet_id: 'BET-2' }));
    expect(await failureOf(run(done))).toMatchObject({
      code: 'unprocessable',
      outcome: 'rejected',
      status: 422,
      reference: 'BET-1',
    });
    expect(await run(outbox.drain())).toMatchObject({
      drained: true,
      states: { blocked: 1, quarantined: 1, recorded: 1 },
    });
    await run(outbox.stop());
  });

  it('the words about a refused report promise only what the outbox does', async () => {
    const { outbox, gateway, run } = outboxWorld();
    gateway.faults.add({ kind: 'status', status: 422, reference: 'BET-1', times: 1 });
    outbox.start();
    const { message } = await failureOf(run((await outbox.reportBetEvent(betEvent())).done));
    await run(outbox.stop());
    const { problem } = (await outbox.get(BET)) ?? {};
    for (const words of [message, problem?.message]) expect(words).not.toMatch(/call again|correct it/i);
    expect(message).toContain('retry of the outbox sends the same data again, resolve ends it');
    expect(message).toContain('replace of the outbox sends the corrected data under this reference');

    // Other data under the reference is refused, and the error says what can be done instead.
    const refused = await failureOf(outbox.reportBetEvent(betEvent({ amount: 7 })));
    expect(refused).toMatchObject({ code: 'duplicate', conflict: true, outcome: 'rejected' });
    expect(refused.message).toContain('It is quarantined: retry of the outbox');
    expect(refused.message).toContain('replace of the outbox sends the corrected data under this reference');
    await outbox.replace(BET, betEvent({ amount: 7, timestamp: '1763632800' }), { reason: 'wrong amount' });
    expect(await run(outbox.drain())).toMatchObject({ states: { recorded: 1, quarantined: 0 } });
  });

  it('the words about a report that the gateway may hold name no way to replace it', async () => {
    const { outbox, gateway, run } = outboxWorld();
    gateway.faults.add({ kind: 'connection-reset', when: 'after' });
    gateway.faults.add({ kind: 'status', status: 422, skip: 1 });
    await outbox.reportBetEvent(betEvent());
    await run(outbox.drain());
    const { message } = await failureOf(outbox.reportBetEvent(betEvent({ amount: 7 })));
    expect(message).not.toContain('replace');
    expect(message).toContain('ask the authority whether the corrected data may be reported under a new reference');
  });

  it('the error of other data says so if a person has dismissed the stored report', async () => {
    const { outbox, gateway, run } = outboxWorld();
    gateway.faults.add({ kind: 'status', status: 422, reference: 'BET-1' });
    await outbox.reportBetEvent(betEvent());
    await run(outbox.drain());
    await outbox.resolve(BET, { as: 'dismissed', reason: 'wrong amount' });
    expect((await failureOf(outbox.reportBetEvent(betEvent({ amount: 7 })))).message).toMatch(
      /A person dismissed it, so it is not sent: reopen takes that back\. .*replace of the outbox/,
    );
  });

  it('any other refusal in doubt quarantines, and stays in doubt', async () => {
    const { outbox, gateway, run } = outboxWorld();
    gateway.faults.add({ kind: 'connection-reset', when: 'after' });
    gateway.faults.add({ kind: 'status', status: 400, skip: 1 });
    await outbox.reportBetEvent(betEvent());
    await run(outbox.drain());
    expect(await outbox.get(BET)).toMatchObject({ state: 'quarantined', inDoubt: true });
  });

  it('a settled report whose initiated report is unknown to the gateway is quarantined, if that is not under way', async () => {
    const { outbox, run } = outboxWorld();
    await outbox.reportSettledBet(settledBet());
    await run(outbox.drain());
    expect(await outbox.get(SETTLED)).toMatchObject({ state: 'quarantined', problem: { code: 'not-found' } });
  });

  it('a settled report refused with 404 waits for an initiated one that was enqueued in the meantime', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let asked = 0;
    const { outbox, gateway, run } = outboxWorld({
      client: {
        fetch: async (url, init) => {
          asked += 1;
          const answer = await gateway.fetch(url, init as object);
          if (asked === 1) await released;
          return answer;
        },
      },
    });
    await outbox.reportSettledBet(settledBet());
    outbox.start();
    while (asked === 0) await new Promise((resolve) => setImmediate(resolve));
    await outbox.reportBetEvent(betEvent());
    release();
    expect(await run(outbox.drain())).toMatchObject({ states: { recorded: 2 } });
    await run(outbox.stop());
  });

  it('is quarantined by a second 404, if the initiated one was recorded long ago', async () => {
    const { outbox, gateway, run } = outboxWorld();
    gateway.faults.add({ kind: 'status', status: 404, operation: 'reportSettledBet', times: 2 });
    await outbox.reportBetEvent(betEvent());
    await outbox.reportSettledBet(settledBet());
    await run(outbox.drain());
    expect(await outbox.get(SETTLED)).toMatchObject({ state: 'quarantined', attempts: 2 });
  });

  it('tries as often as necessary', async () => {
    const { outbox, gateway, run } = outboxWorld();
    gateway.faults.add({ kind: 'status', status: 500, times: 12 });
    await outbox.reportBetEvent(betEvent());
    await run(outbox.drain());
    expect(await outbox.get(BET)).toMatchObject({ state: 'recorded', attempts: 13 });
  });
});

describe('a paused environment', () => {
  it.each([
    [401, 'authentication'],
    [429, 'rate-limited'],
    [503, 'unavailable'],
  ] as const)('HTTP %i pauses it, quarantines nothing and is not counted', async (status, reason) => {
    const { outbox, gateway, run, events } = outboxWorld();
    gateway.faults.add({ kind: 'status', status, times: 30 });
    await outbox.reportAll(betReports(20));
    expect(await run(outbox.drain({ timeoutMs: 3_600_000 }))).toMatchObject({
      states: { recorded: 20, quarantined: 0 },
    });
    expect((await outbox.list()).every(({ attempts }) => attempts === 1)).toBe(true);
    expect(events.find(([name]) => name === 'paused')?.[1]).toMatchObject({ environment: 'staging', reason });
    expect(events.filter(([name]) => name === 'resumed')).toHaveLength(1);
  });

  it('waits for Retry-After, sends one probe, and then all the others', async () => {
    const { outbox, gateway, run, clock, sent } = outboxWorld();
    gateway.faults.add({ kind: 'status', status: 429, retryAfter: 120, times: 8 });
    await outbox.reportAll(betReports(12));
    const began = clock.now();
    await run(outbox.drain({ timeoutMs: 3_600_000 }));
    expect(clock.now() - began).toBeGreaterThanOrEqual(120_000);
    expect(sent).toHaveLength(8 + 12);
  });

  it('is visible in the stats, and can be resumed by hand', async () => {
    const { outbox, gateway, run } = outboxWorld();
    gateway.faults.add({ kind: 'status', status: 401 });
    await outbox.reportBetEvent(betEvent());
    outbox.on('paused', () => void outbox.stop());
    outbox.start();
    await run(new Promise<void>((resolve) => void outbox.on('delayed', () => resolve())));
    const { paused, states, oldestOpenAt } = await outbox.stats();
    expect(paused).toMatchObject([
      { environment: 'staging', reason: 'authentication', message: expect.stringContaining('401') },
    ]);
    expect([states.waiting, typeof oldestOpenAt]).toEqual([1, 'number']);
    expect(await outbox.resume('staging')).toBe(true);
    expect(await outbox.resume('staging')).toBe(false);
    expect(await run(outbox.drain())).toMatchObject({ states: { recorded: 1 } });
  });

  it.each([429, 503])(
    'that HTTP %i stopped for a day sends its reports within a minute of a resume',
    async (status) => {
      const { outbox, gateway, run, clock } = outboxWorld();
      gateway.faults.add({ kind: 'status', status, retryAfter: 86_400, times: 3 });
      for (const bet_id of ['B-1', 'B-2', 'B-3']) await outbox.reportBetEvent(betEvent({ bet_id }));
      expect(await run(outbox.drain({ timeoutMs: 3_600_000 }))).toMatchObject({
        drained: false,
        states: { waiting: 3 },
      });
      expect(await outbox.resume('staging')).toBe(true);
      const resumedAt = clock.now();
      expect(await run(outbox.drain({ timeoutMs: 3_600_000 }))).toMatchObject({ states: { recorded: 3 } });
      expect(clock.now() - resumedAt).toBeLessThanOrEqual(60_000);
    },
  );

  it('a failing key function pauses it, too', async () => {
    let fails = 3;
    const gateways = (baseUrl: string) => ({
      staging: { baseUrl, apiKey: () => (fails-- > 0 ? Promise.reject(new Error('vault')) : 'mock-api-key') },
    });
    const { outbox, run, sent, names } = outboxWorld({ client: { gateways: gateways('http://localhost') } });
    await outbox.reportBetEvent(betEvent());
    await run(outbox.drain());
    expect(sent).toHaveLength(1);
    expect(names()).toContain('paused');
    expect(await outbox.get(BET)).toMatchObject({ state: 'recorded', attempts: 1, outcome: 'recorded' });
  });
});

describe('a probe', () => {
  it('that was taken long ago is not sent, since another worker may have the next one', async () => {
    const { make, store, gateway, run, clock, events, sent } = outboxWorld();
    gateway.faults.add({ kind: 'status', status: 429, retryAfter: 60 });
    let slow = 1;
    const slowStore: OutboxStore = {
      ...store,
      pause: async (change) => {
        const made = await store.pause(change);
        if (change.continues && slow-- > 0) clock.advance(25_000);
        return made;
      },
    };
    const outbox = make({ store: slowStore });
    await outbox.reportBetEvent(betEvent());
    expect(await run(outbox.drain({ timeoutMs: 3_600_000 }))).toMatchObject({ states: { recorded: 1 } });
    expect(events.flatMap(([name, event]) => (name === 'delayed' ? [(event as { code: string }).code] : []))).toEqual([
      'rate-limited',
      'aborted',
    ]);
    expect(sent).toHaveLength(2);
  });
});

describe('an outbox without options', () => {
  it('sends 8 reports at the same time, has a lease of 20 seconds more than an attempt, and stops after 10 seconds', async () => {
    const { outbox, run, clock, store } = outboxWorld({
      client: { attemptTimeoutMs: 60_000, fetch: () => new Promise(() => {}) },
    });
    for (let index = 0; index < 12; index += 1) await outbox.reportBetEvent(betEvent({ bet_id: `B-${index}` }));
    outbox.start();
    await clock.run(new Promise<void>((resolve) => void clock.setTimeout(resolve, 100)));
    expect((await outbox.stats()).states).toMatchObject({ 'in-flight': 8, waiting: 4 });
    const [row] = await store.get(['default:staging:reportBetEvent:B-0']);
    expect((row?.dueAt ?? 0) - (row?.changedAt ?? 0)).toBe(80_000);
    const before = clock.now();
    await run(outbox.stop());
    expect(clock.now() - before).toBeGreaterThanOrEqual(10_000);
    expect(clock.now() - before).toBeLessThanOrEqual(11_000);
  });

  it('waits for a second after the first failure, twice as long after each further one, and at most for 5 minutes', async () => {
    const { outbox, gateway, run, events } = outboxWorld();
    gateway.faults.add({ kind: 'status', status: 500, times: 12 });
    await outbox.reportBetEvent(betEvent());
    await run(outbox.drain());
    // The random numbers of this world take half of each wait.
    const waits = events.flatMap(([type, event]) =>
      type === 'delayed' && 'delayMs' in event ? [Number(event.delayMs) * 2] : [],
    );
    expect(waits).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000, 300_000,
    ]);
  });

  it('looks for the reports of other processes every second', async () => {
    const { watch: _, ...kept } = memoryStore();
    let looks = 0;
    const store: OutboxStore = {
      ...kept,
      outlook: (accounts) => {
        looks += 1;
        return kept.outlook(accounts);
      },
    };
    const { outbox, run, clock } = outboxWorld({ store });
    outbox.start();
    await clock.run(new Promise<void>((resolve) => void clock.setTimeout(resolve, 1_500)));
    looks = 0;
    await clock.run(new Promise<void>((resolve) => void clock.setTimeout(resolve, 10_000)));
    expect(looks).toBe(10);
    await run(outbox.stop());
  });

  it.each([false, true])('deletes the body of a recorded report, unless keepBodies is true: %s', async (keepBodies) => {
    const { make, store, run, sent } = outboxWorld();
    const outbox = make(keepBodies ? { keepBodies } : {});
    await outbox.reportBetEvent(betEvent());
    await run(outbox.drain());
    expect((await store.get([BET]))[0]).toMatchObject({ state: 'recorded', body: keepBodies ? sent[0] : undefined });
  });
});

describe('a result of a worker whose report another worker has taken', () => {
  it('is not written, and the event late names the report', async () => {
    const gateway = createMockGateway();
    let hangs = true;
    const { make, outbox, clock, run, events, store } = outboxWorld({
      client: {
        ...gateway.clientOptions(),
        fetch: (url, init) => {
          if (!hangs) return gateway.fetch(url, init as object);
          hangs = false;
          return new Promise(() => {});
        },
      },
    });
    await outbox.reportBetEvent(betEvent());
    outbox.start();
    while (hangs) await new Promise((resolve) => setImmediate(resolve));
    // The process of the first worker was frozen for longer than its lease.
    clock.advance(31_000);
    expect(await run(make().drain())).toMatchObject({ drained: true, states: { recorded: 1 } });
    await run(outbox.stop());
    expect(events.filter(([type]) => type === 'late')).toEqual([
      ['late', expect.objectContaining({ id: BET, reference: 'BET-1' })],
    ]);
    expect((await store.get([BET]))[0]).toMatchObject({ state: 'recorded', fence: 2 });
  });
});

describe('a damaged store', () => {
  it('stops the outbox, which says so once, and again after it is started again', async () => {
    let turns = 0;
    const fail = async () => {
      throw new StoreError('corrupt', 'The file is damaged.');
    };
    const healthy = memoryStore();
    const store: OutboxStore = {
      ...healthy,
      turn: () => {
        turns += 1;
        return fail();
      },
      // The log of receipts finds the damage, too.
      receipts: { ...healthy.receipts, unlogged: fail },
    };
    const error = vi.fn();
    const { outbox, events, run, clock } = outboxWorld({ store, client: { logger: { error } } });
    const { done } = await outbox.reportBetEvent(betEvent());
    const later = () => run(new Promise<void>((resolve) => clock.setTimeout(resolve, 60_000)));
    for (const starts of [1, 2]) {
      outbox.start();
      await later();
      expect(turns).toBe(starts);
      expect(events.filter(([type]) => type === 'error')).toHaveLength(starts);
    }
    expect(events.at(-1)).toEqual([
      'error',
      expect.objectContaining({ message: 'The outbox has stopped. The file is damaged.', code: 'stopped' }),
    ]);
    // Also without a listener a person must learn it.
    expect(error.mock.calls).toEqual(Array(2).fill(['The outbox has stopped. The file is damaged.']));
    expect(await failureOf(done)).toMatchObject({ code: 'aborted', outcome: 'unknown' });
  });
});

describe('stopping', () => {
  it('rejects done with the code aborted, and the next process sends the report', async () => {
    const { outbox, make, gateway, run } = outboxWorld();
    gateway.faults.add({ kind: 'status', status: 503, times: null });
    const { done } = await outbox.reportBetEvent(betEvent());
    const ended = failureOf(done);
    outbox.start();
    await run(outbox.stop());
    expect(await ended).toMatchObject({
      code: 'aborted',
      outcome: 'unknown',
      message: expect.stringContaining('It is stored'),
    });
    gateway.faults.clear();
    expect(await run(make().drain())).toMatchObject({ drained: true, states: { recorded: 1 } });
  });

  it('rejects done afterwards, but a drain that has stopped what it had started does not', async () => {
    const { outbox, run } = outboxWorld();
    const drained = await outbox.reportBetEvent(betEvent({ bet_id: 'BET-1' }));
    await run(outbox.drain());
    expect(await run(drained.done)).toMatchObject({ outcome: 'recorded', reference: 'BET-1' });
    const next = await outbox.reportBetEvent(betEvent({ bet_id: 'BET-2' }));
    const { done } = next;
    await run(outbox.drain());
    expect(await run(done)).toMatchObject({ outcome: 'recorded', reference: 'BET-2' });
    await run(outbox.stop());
    const late = await outbox.reportBetEvent(betEvent({ bet_id: 'BET-3' }));
    expect(await failureOf(run(late.done))).toMatchObject({ code: 'aborted' });
  });

  it('lets an attempt under way end', async () => {
    const { outbox, gateway, run, sent, store } = outboxWorld();
    gateway.faults.add({ kind: 'latency', delay: 20 });
    await outbox.reportBetEvent(betEvent());
    outbox.start();
    while (sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await outbox.stop({ timeoutMs: 60_000 });
    expect((await store.get([BET]))[0]).toMatchObject({ state: 'recorded' });
    await run(Promise.resolve());
  });

  it('takes at most its time limit and a second if the store does not answer', async () => {
    const { outbox, run, clock, store } = outboxWorld();
    await outbox.reportBetEvent(betEvent());
    const never = () => new Promise<never>(() => {});
    Object.assign(store, { turn: never, receipts: { unlogged: never, append: never, read: never, last: never } });
    outbox.start();
    await new Promise((resolve) => setImmediate(resolve));
    const before = clock.now();
    await run(outbox.stop({ timeoutMs: 2_000 }));
    expect(clock.now() - before).toBe(3_000);
  });

  it('may wait as long as a timer can', async () => {
    const { outbox, gateway, sent, store, run } = outboxWorld({ client: { clock: systemClock } });
    gateway.faults.add({ kind: 'latency', delay: 20 });
    await outbox.reportBetEvent(betEvent());
    outbox.start();
    while (sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await outbox.stop({ timeoutMs: 2_147_483_647 });
    expect((await store.get([BET]))[0]).toMatchObject({ state: 'recorded' });
    await run(Promise.resolve());
  });

  it('cancels attempts that take too long, and leaves them in doubt', async () => {
    const { outbox, gateway, run, sent, make } = outboxWorld();
    gateway.faults.add({ kind: 'hang', when: 'after' });
    await outbox.reportBetEvent(betEvent());
    outbox.start();
    while (sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await run(outbox.stop({ timeoutMs: 100 }));
    expect(await outbox.get(BET)).toMatchObject({ state: 'waiting', inDoubt: true });
    await run(make().drain());
    expect(await outbox.get(BET)).toMatchObject({ state: 'recorded', outcome: 'already-recorded' });
  });
});

describe('a person', () => {
  async function quarantined(status = 422) {
    const world = outboxWorld();
    world.gateway.faults.add({ kind: 'status', status });
    await world.outbox.reportBetEvent(betEvent());
    await world.outbox.reportSettledBet(settledBet());
    await world.run(world.outbox.drain());
    return world;
  }

  it('sends a quarantined report again', async () => {
    const { outbox, run, events } = await quarantined();
    expect(await outbox.retry(BET, { reason: 'mended' })).toMatchObject({
      state: 'waiting',
      decisions: [{ action: 'retry', reason: 'mended' }],
    });
    expect(events.filter(([type]) => type === 'decided')).toEqual([
      ['decided', expect.objectContaining({ id: BET, action: 'retry' })],
    ]);
    expect(await run(outbox.drain())).toMatchObject({ states: { recorded: 2 } });
  });

  it('resolves a quarantined report, stores the reason, and unblocks the report that waited for it', async () => {
    const { outbox, events } = await quarantined(409);
    await outbox.resolve(BET, { as: 'recorded', reason: 'seen in the portal' });
    expect(events.at(-1)).toEqual(['decided', expect.objectContaining({ id: BET, action: 'recorded' })]);
    expect(await outbox.get(BET)).toMatchObject({
      state: 'recorded',
      outcome: 'already-recorded',
      decisions: [{ action: 'recorded', reason: 'seen in the portal' }],
    });
    expect(await outbox.get(SETTLED)).toMatchObject({ state: 'waiting', blocked: false });
  });

  it('cannot change a recorded or unknown report, and needs a reason', async () => {
    const { outbox } = await quarantined();
    await outbox.resolve(BET, { as: 'dismissed', reason: 'a test bet' });
    for (const attempt of [
      () => outbox.retry(BET),
      () => outbox.resolve(BET, { as: 'recorded', reason: 'x' }),
      () => outbox.retry('nothing'),
      () => outbox.resolve(SETTLED, { as: 'recorded', reason: ' ' }),
    ])
      expect(await failureOf(attempt())).toMatchObject({ code: 'validation' });
  });
});

describe('in a store in which one worker at a time leads', () => {
  /** Gives the turn to one worker after the other. */
  function led(): OutboxStore {
    let turn = Promise.resolve();
    return {
      ...memoryStore(),
      lead: (signal) =>
        new Promise((resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')));
          const before = turn;
          turn = before.then(() => (signal.aborted ? undefined : new Promise<void>((end) => resolve(end))));
        }),
    };
  }

  it('drains while another worker leads, and sends nothing itself', async () => {
    const { make, outbox, run } = outboxWorld({ store: led() });
    outbox.start();
    const follower = make({ concurrency: 1 });
    follower.start();
    await follower.reportBetEvent(betEvent());
    expect(await run(follower.drain())).toMatchObject({ drained: true, states: { recorded: 1 } });
    await run(Promise.all([outbox.stop(), follower.stop()]));
  });

  it('works beside a leader that stands still, once reports were due for longer than a lease', async () => {
    const store = led();
    const { make, outbox, run, clock } = outboxWorld({ store, outbox: { leaseMs: 20_000 } });
    const stopLeading = await store.lead?.(new AbortController().signal);
    outbox.start();
    const other = make();
    other.start();
    const { done } = await outbox.reportBetEvent(betEvent());
    const began = clock.now();
    expect(await run(done)).toMatchObject({ outcome: 'recorded' });
    expect(clock.now() - began).toBeGreaterThanOrEqual(20_000);
    expect(clock.now() - began).toBeLessThan(60_000);
    stopLeading?.();
    const next = await outbox.reportBetEvent(betEvent({ bet_id: 'B-2' }));
    expect(await run(next.done)).toMatchObject({ outcome: 'recorded' });
    await run(Promise.all([outbox.stop(), other.stop()]));
  });

  it('takes over when the previous worker stops', async () => {
    const { make, outbox, run } = outboxWorld({ store: led() });
    outbox.start();
    const follower = make();
    follower.start();
    await run(outbox.stop());
    const { done } = await follower.reportBetEvent(betEvent());
    expect(await run(done)).toMatchObject({ outcome: 'recorded' });
    await run(follower.stop());
  });

  it('sends again after a start during a stop, as a page makes it that comes back', async () => {
    const { outbox, run } = outboxWorld({ store: led() });
    outbox.start();
    const stopped = outbox.stop();
    outbox.start();
    await run(stopped);
    const { done } = await outbox.reportBetEvent(betEvent());
    expect(await run(done)).toMatchObject({ outcome: 'recorded' });
    const ends = [outbox.stop()];
    outbox.start();
    ends.push(outbox.stop());
    await run(Promise.all(ends));
    const { id } = await outbox.reportBetEvent(betEvent({ bet_id: 'B-2' }));
    await run(new Promise((resolve) => setTimeout(resolve, 20)));
    expect(await outbox.get(id)).toMatchObject({ state: 'waiting' });
  });

  it('updates durable when the store does', () => {
    let durable = false;
    const store = Object.defineProperty({ ...memoryStore() }, 'durable', { get: () => durable }) as OutboxStore;
    const { outbox } = outboxWorld({ store });
    expect(outbox.durable).toBe(false);
    durable = true;
    expect(outbox.durable).toBe(true);
  });
});

describe('further methods', () => {
  it('iterates over many reports without loading them all', async () => {
    const { outbox } = outboxWorld();
    await outbox.reportAll(betReports(250));
    const seen: string[] = [];
    for await (const { reference } of outbox.iterate()) seen.push(reference);
    expect(seen).toEqual(Array.from({ length: 250 }, (_, index) => `B-${index}`));
  });

  it('shows no personal data in lists, events or errors', async () => {
    const { outbox, gateway, run, events } = outboxWorld();
    gateway.faults.add({ kind: 'status', status: 422, body: { message: 'Adaeze Okonkwo 99012345678' } });
    await outbox.reportBetEvent(betEvent());
    await run(outbox.drain());
    const row = await outbox.get(BET);
    const error = await failureOf(outbox.reportBetEvent(betEvent({ amount: 2 })));
    for (const secret of ['Adaeze', 'Okonkwo', '99012345678', '2034567890123', 'U-88412', 'Ogui', 'mock-api-key'])
      expect(inspect([row, events, error], { depth: 9 })).not.toContain(secret);
  });

  it('is soon back after a short failure of the store, however many attempts end during it, and says it once', async () => {
    let isDown = false;
    const healthy = memoryStore();
    const turn: OutboxStore['turn'] = (given) => (isDown ? Promise.reject(new Error('down')) : healthy.turn(given));
    const clock = new FakeClock();
    let sent = 0;
    const answer: Fetch = async () => {
      sent += 1;
      const waitMs = 300 + sent * 20;
      await new Promise<void>((resolve) => clock.setTimeout(resolve, waitMs));
      return new Response(JSON.stringify({ message: 'Bet event reported successfully' }), { status: 201 });
    };
    const { outbox, events } = outboxWorld({ clock, store: { ...healthy, turn }, client: { fetch: answer } });
    const bets = Array.from({ length: 20 }, (_, index) => betEvent({ bet_id: `B-${index}` }));
    await outbox.reportAll(bets.map((payload) => ({ operation: 'reportBetEvent', payload })));
    outbox.start();
    await clock.pass(250);
    expect(sent).toBeGreaterThan(5);
    isDown = true;
    await clock.pass(900);
    isDown = false;
    await clock.pass(3_000);
    expect(events.filter(([type]) => type === 'error')).toHaveLength(1);
    expect((await outbox.stats()).states.recorded).toBe(20);
    await clock.run(outbox.stop());
  });

  it('continues when the store or a listener fails for a while', async () => {
    const store = memoryStore();
    let failing = 3;
    const flaky: OutboxStore = {
      ...store,
      turn: (turn) => (failing-- > 0 ? Promise.reject(new Error('disk')) : store.turn(turn)),
    };
    const { outbox, run, events } = outboxWorld({ store: flaky });
    outbox.on('recorded', () => {
      throw new Error('a bug of the listener');
    });
    await outbox.reportBetEvent(betEvent());
    await run(outbox.drain());
    const causes = events.flatMap(([type, event]) => (type === 'error' && 'cause' in event ? [event.cause] : []));
    expect(causes).toContainEqual(new Error('disk'));
    expect(await outbox.get(BET)).toMatchObject({ state: 'recorded' });
  });

  it('recognises a write that was made although the store failed', async () => {
    const store = memoryStore();
    let lost = false;
    const lying: OutboxStore = {
      ...store,
      turn: async (turn) => {
        const result = await store.turn(turn);
        if (lost || turn.writes.length === 0) return result;
        lost = true;
        throw new Error('the answer of the store was lost');
      },
    };
    const { outbox, run, names } = outboxWorld({ store: lying });
    await outbox.reportBetEvent(betEvent());
    await run(outbox.drain());
    expect(names().filter((name) => name === 'recorded' || name === 'late')).toEqual(['recorded']);
  });

  it('lists every wrong option at once', async () => {
    const wrong = {
      client: {},
      store: {},
      concurency: 1,
      concurrency: 0,
      retry: { limit: 1 },
      leaseMs: 'long',
    } as never;
    const { message } = await failureOf(() => createOutbox(wrong));
    for (const part of ['concurency', 'concurrency:', 'retry.limit', 'leaseMs', 'client:', 'store:'])
      expect(message).toContain(part);
    expect(() => createOutbox({ client: createClient(), store: memoryStore(), leaseMs: 5_000 })).toThrow('leaseMs');
    // Stores read a wait of more than a day as over.
    expect(() => createOutbox({ client: createClient(), store: memoryStore(), leaseMs: 25 * 3_600_000 })).toThrow(
      'leaseMs',
    );
    expect(() =>
      createOutbox({ client: createClient({ attemptTimeoutMs: 25 * 3_600_000 }), store: memoryStore() }),
    ).toThrow('attemptTimeoutMs');
  });
});
