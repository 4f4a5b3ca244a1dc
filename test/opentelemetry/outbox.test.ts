import { context, type MeterProvider, SpanKind, SpanStatusCode, type TracerProvider, trace } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClient } from '../../src/entries/index.js';
import { INSTRUMENTS, instrumentClient, instrumentOutbox } from '../../src/entries/opentelemetry.js';
import { memoryStore, type OutboxStore, StoreError } from '../../src/entries/outbox.js';
import { gps, pageBet, relayWorld } from '../http/relay/world.js';
import { leaksIn, personalBet, personalSettlement, personalWithdrawal } from '../outbox/personal.js';
import { outboxWorld } from '../outbox/world.js';
import { betEvent, settledBet } from '../support/factories.js';
import { followPromises, telemetry } from './telemetry.js';

const WHICH = { 'location_sdk.operation': 'reportBetEvent', 'location_sdk.environment': 'staging' };

const SUBJECT = { 'location_sdk.environment': 'staging', 'location_sdk.reference': 'BET-1' };

let told: ReturnType<typeof telemetry>;
let forget: () => void;

beforeEach(() => {
  forget = followPromises();
  told = telemetry();
});

afterEach(async () => {
  forget();
  await told.stop();
});

/** An instrumented outbox with an instrumented client. */
function instrumentedWorld(
  options: Parameters<typeof instrumentOutbox>[1] = told.options,
  given: Parameters<typeof outboxWorld>[0] = {},
) {
  const world = outboxWorld(given);
  const { observeStats: _, ...providers } = options;
  const outbox = instrumentOutbox(world.make({ client: instrumentClient(world.client, providers) }), options);
  return { ...world, outbox };
}

/** The request ids of the mock gateway. */
const requestNamed = (number: number) => `abcdefab-cdef-4abc-8def-abcdef00000${number}`;

describe('the metrics of an outbox', () => {
  it('count what is enqueued and recorded, and time the attempts', async () => {
    const { outbox, run } = instrumentedWorld();
    await outbox.reportBetEvent(betEvent());
    await run(outbox.drain());
    expect(await told.points('location_sdk.outbox.enqueued.reports')).toMatchObject([{ attributes: WHICH, value: 1 }]);
    expect(await told.points('location_sdk.outbox.recorded.reports')).toMatchObject([
      { attributes: { ...WHICH, 'location_sdk.outcome': 'recorded' }, value: 1 },
    ]);
    expect(await told.points('location_sdk.outbox.wait.duration_seconds')).toMatchObject([
      { attributes: WHICH, value: 1 },
    ]);
    expect(await told.points('location_sdk.outbox.attempt.duration_seconds')).toMatchObject([
      { attributes: { ...WHICH, 'location_sdk.outcome': 'recorded' }, value: 1 },
    ]);
  });

  it('also count reports enqueued in a transaction, for which there is no event, once each', async () => {
    const { outbox } = instrumentedWorld(told.options, { store: { ...memoryStore(), transactional: true } });
    const transaction = {};
    await outbox.within(transaction).reportBetEvent(betEvent({ bet_id: 'BET-1' }));
    await outbox.reportAll([{ operation: 'reportBetEvent', payload: betEvent({ bet_id: 'BET-2' }) }]);
    await expect(outbox.within(transaction).reportBetEvent({} as never)).rejects.toMatchObject({ code: 'validation' });
    expect(await told.points('location_sdk.outbox.enqueued.reports')).toMatchObject([{ attributes: WHICH, value: 2 }]);
    expect(told.spans().map(({ name }) => name)).toEqual([
      'enqueue reportBetEvent',
      'enqueue reportAll',
      'enqueue reportBetEvent',
    ]);
  });

  it('count a prepared report once it is enqueued, and its spans show both steps', async () => {
    const { outbox } = instrumentedWorld(told.options, {
      store: { ...memoryStore(), transactional: true, asValue: ({ body }) => body },
    });
    const report = await outbox.prepare('reportBetEvent', personalBet('BET-1'));
    expect(await told.points('location_sdk.outbox.enqueued.reports')).toEqual([]);
    await report.enqueue({});
    await (await outbox.prepare('reportBetEvent', betEvent({ bet_id: 'BET-2' }))).enqueue();
    await expect(outbox.prepare('reportBetEvent', {} as never)).rejects.toMatchObject({ code: 'validation' });
    expect(await told.points('location_sdk.outbox.enqueued.reports')).toMatchObject([{ attributes: WHICH, value: 2 }]);
    const spans = told
      .spans()
      .map(({ name, kind, attributes }) => [
        name,
        kind,
        attributes['location_sdk.operation'],
        attributes['location_sdk.reference'],
      ]);
    expect(spans.slice(0, 2)).toEqual([
      ['prepare report', SpanKind.INTERNAL, 'reportBetEvent', 'BET-1'],
      ['enqueue reportBetEvent', SpanKind.PRODUCER, 'reportBetEvent', 'BET-1'],
    ]);
    // One that is refused names no operation.
    expect(spans.at(-1)).toEqual(['prepare report', SpanKind.INTERNAL, undefined, undefined]);
    expect([
      Object.keys(report),
      leaksIn(report.value).length > 0,
      leaksIn(JSON.stringify(told.spans().map(({ attributes }) => attributes))),
    ]).toEqual([['id', 'enqueue'], true, []]);
  });

  it('show how long a report waited, in seconds', async () => {
    const { outbox, run, clock } = instrumentedWorld();
    await outbox.reportBetEvent(betEvent());
    clock.advance(90_000);
    await run(outbox.drain());
    const [metric] = (await told.collect()).filter(
      ({ descriptor }) => descriptor.name === INSTRUMENTS.waitDuration.name,
    );
    expect(metric).toMatchObject({ descriptor: { unit: 's' }, dataPoints: [{ value: { sum: 90, count: 1 } }] });
  });

  it('show why an attempt failed, and the quarantined reports', async () => {
    const { outbox, run, gateway } = instrumentedWorld();
    gateway.faults.add({ kind: 'status', status: 500, times: 1 });
    gateway.faults.add({ kind: 'status', status: 422, times: 1 });
    await outbox.reportBetEvent(betEvent());
    await run(outbox.drain());
    expect(
      (await told.points('location_sdk.outbox.attempt.duration_seconds')).map(({ attributes, value }) => [
        attributes,
        value,
      ]),
    ).toEqual([
      [{ ...WHICH, 'error.type': 'gateway', 'location_sdk.outcome': 'unknown', 'http.response.status_code': 500 }, 1],
      [
        {
          ...WHICH,
          'error.type': 'unprocessable',
          'location_sdk.outcome': 'rejected',
          'http.response.status_code': 422,
        },
        1,
      ],
    ]);
    expect(await told.points('location_sdk.outbox.quarantined.reports')).toMatchObject([
      { attributes: { 'error.type': 'unprocessable' }, value: 1 },
    ]);
  });

  it('count a report whose answer was lost as already recorded, though its last attempt ended with a duplicate', async () => {
    const { outbox, run, gateway } = instrumentedWorld();
    gateway.faults.add({ kind: 'connection-reset', when: 'after' });
    await outbox.reportBetEvent(betEvent());
    await run(outbox.drain());
    expect(
      (await told.points('location_sdk.outbox.attempt.duration_seconds')).map(({ attributes, value }) => [
        attributes,
        value,
      ]),
    ).toEqual([
      [{ ...WHICH, 'error.type': 'network', 'location_sdk.outcome': 'unknown' }, 1],
      [
        { ...WHICH, 'error.type': 'duplicate', 'location_sdk.outcome': 'rejected', 'http.response.status_code': 409 },
        1,
      ],
    ]);
    expect(await told.points('location_sdk.outbox.recorded.reports')).toMatchObject([
      { attributes: { ...WHICH, 'location_sdk.outcome': 'already-recorded' }, value: 1 },
    ]);
  });

  it('count a damaged store, and no other problem, as an error of the store', async () => {
    const store = memoryStore();
    const onReceipt = () => Promise.reject(new Error('the log is full'));
    const { outbox, run } = instrumentedWorld(undefined, { store, outbox: { onReceipt } });
    const counted = async () => (await told.points('location_sdk.outbox.store.errors')).map(({ value }) => value);
    await outbox.reportBetEvent(betEvent());
    await run(outbox.drain());
    expect(await counted()).toEqual([0]);
    store.turn = () => Promise.reject(new StoreError('corrupt', 'The file is damaged.'));
    outbox.start();
    await run(outbox.reportBetEvent(betEvent({ bet_id: 'B-2' })));
    await expect.poll(counted).toEqual([1]);
  });

  it('count attempts without their encryption key, and errors of the store', async () => {
    const store = memoryStore();
    let failing = 3;
    const flaky: OutboxStore = {
      ...store,
      turn: (turn) => (failing-- > 0 ? Promise.reject(new Error('disk')) : store.turn(turn)),
    };
    const { make, run } = outboxWorld({ store: flaky });
    const encryption = (id: string, byte: number) => ({
      keys: { [id]: Buffer.alloc(32, byte).toString('base64') },
      current: id,
    });
    await make({ encryption: encryption('old', 1) }).reportBetEvent(betEvent());
    const lacking = instrumentOutbox(make({ encryption: encryption('new', 2) }), told.options);
    const counted = async (name: string) => (await told.points(name)).filter(({ value }) => value > 0);
    expect(await counted('location_sdk.outbox.locked.attempts')).toEqual([]);
    await run(lacking.drain({ timeoutMs: 60_000 }));
    expect(await counted('location_sdk.outbox.locked.attempts')).toMatchObject([{ attributes: WHICH, value: 1 }]);
    expect(await counted('location_sdk.outbox.store.errors')).toMatchObject([{ attributes: {}, value: 3 }]);
    const errors: string[] = [];
    lacking.on('error', ({ message }) => errors.push(message));
    await run(lacking.drain({ timeoutMs: 120_000 }));
    expect(errors).toEqual([expect.stringMatching(/^Reports wait for the encryption key old/)]);
    expect(await counted('location_sdk.outbox.store.errors')).toMatchObject([{ attributes: {}, value: 3 }]);
  });

  it('count a report in conflict, and not a duplicate of the same data', async () => {
    const { outbox, run, client } = instrumentedWorld();
    // Another system reports both: the first with other data.
    await client.reportBetEvent(betEvent({ bet_id: 'BET-1', amount: 1 }));
    await client.reportBetEvent(betEvent({ bet_id: 'BET-2' }));
    const conflicts = async () =>
      (await told.points('location_sdk.outbox.conflicts')).map(({ attributes, value }) => [attributes, value]);
    // Each series begins at 0, so that the first conflict is a rise.
    expect((await conflicts()).map(([, value]) => value)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    await outbox.reportBetEvent(betEvent({ bet_id: 'BET-1', amount: 2 }));
    await outbox.reportBetEvent(betEvent({ bet_id: 'BET-2' }));
    await run(outbox.drain());
    expect((await conflicts()).filter(([, value]) => value !== 0)).toEqual([[WHICH, 1]]);
    expect(await told.points('location_sdk.outbox.quarantined.reports')).toMatchObject([
      { attributes: { 'error.type': 'conflict' }, value: 1 },
      { attributes: { 'error.type': 'duplicate' }, value: 1 },
    ]);
  });

  it('count conflicts of a named account from 0, too', async () => {
    const { outbox, run, client } = instrumentedWorld(told.options, { outbox: { account: 'brandB' } });
    await client.reportBetEvent(betEvent({ amount: 1 }));
    const ofBrand = async () =>
      (await told.points('location_sdk.outbox.conflicts'))
        .filter(({ attributes }) => Object.values(attributes).includes('brandB'))
        .map(({ value }) => value);
    await outbox.reportBetEvent(betEvent({ amount: 2 }));
    expect(await ofBrand()).toEqual([0]);
    await run(outbox.drain());
    expect(await ofBrand()).toEqual([1]);
  });

  it('count each kind of decision', async () => {
    const { outbox, run, gateway } = instrumentedWorld();
    gateway.faults.add({ kind: 'status', status: 409, times: 3 });
    const ids: string[] = [];
    for (const bet_id of ['BET-1', 'BET-2', 'BET-3']) ids.push((await outbox.reportBetEvent(betEvent({ bet_id }))).id);
    await run(outbox.drain());
    const [retried = '', held = '', dropped = ''] = ids;
    await outbox.retry(retried);
    await outbox.resolve(held, { as: 'recorded', reason: 'ours' });
    await outbox.resolve(dropped, { as: 'dismissed', reason: 'ours' });
    const decided = await told.points('location_sdk.outbox.decided.reports');
    expect(decided.map(({ attributes, value }) => [attributes, value])).toEqual(
      ['retry', 'recorded', 'dismissed'].map((decision) => [{ ...WHICH, 'location_sdk.decision': decision }, 1]),
    );
  });

  it('count pauses by their reason, and decisions', async () => {
    const { outbox, run, gateway } = instrumentedWorld();
    gateway.faults.add({ kind: 'status', status: 401, times: 1 });
    gateway.faults.add({ kind: 'status', status: 422, times: 1 });
    const { id } = await outbox.reportBetEvent(betEvent());
    await run(outbox.drain());
    await outbox.resolve(id, { as: 'dismissed', reason: 'ours' });
    const pauses = await told.points('location_sdk.outbox.pauses');
    expect(pauses).toHaveLength(14);
    expect(pauses.filter(({ value }) => value > 0)).toMatchObject([
      // The 422 to the probe counts as a failed probe.
      {
        attributes: { 'location_sdk.environment': 'staging', 'location_sdk.pause.reason': 'authentication' },
        value: 2,
      },
    ]);
    expect(await told.points('location_sdk.outbox.decided.reports')).toMatchObject([
      { attributes: { 'location_sdk.decision': 'dismissed' }, value: 1 },
    ]);
  });

  it('name the account if it is not the default', async () => {
    const { outbox, run, gateway } = instrumentedWorld(told.options, { outbox: { account: 'brandB' } });
    const which = { ...WHICH, 'location_sdk.account': 'brandB' };
    gateway.faults.add({ kind: 'status', status: 401, times: 1 });
    await outbox.reportBetEvent(betEvent());
    await run(outbox.drain({ timeoutMs: 10 }));
    const paused = await told.points('location_sdk.outbox.paused');
    expect(paused.filter(({ value }) => value > 0).map(({ attributes }) => attributes)).toEqual([
      {
        'location_sdk.environment': 'staging',
        'location_sdk.account': 'brandB',
        'location_sdk.pause.reason': 'authentication',
      },
    ]);
    await run(outbox.drain());
    const ofBrand = (await told.points('location_sdk.outbox.paused')).filter(({ attributes }) =>
      Object.values(attributes).includes('brandB'),
    );
    expect(ofBrand.map(({ value }) => value)).toEqual([0]);
    expect((await told.points('location_sdk.outbox.enqueued.reports')).map(({ attributes }) => attributes)).toEqual([
      which,
    ]);
    expect((await told.points('location_sdk.outbox.recorded.reports')).map(({ attributes }) => attributes)).toEqual([
      { ...which, 'location_sdk.outcome': 'recorded' },
    ]);
    expect(
      (await told.points('location_sdk.outbox.wait.duration_seconds')).map(({ attributes }) => attributes),
    ).toEqual([which]);
    const pauses = await told.points('location_sdk.outbox.pauses');
    expect(pauses.filter(({ value }) => value > 0)).toMatchObject([
      { attributes: { 'location_sdk.account': 'brandB' } },
    ]);
    expect(told.spans().find(({ name }) => name === 'enqueue reportBetEvent')?.attributes).toMatchObject(which);
  });

  it('show the reports by state, the age of the oldest open one, and the pauses', async () => {
    const store = memoryStore({ now: () => Date.now() - 60_000 });
    const { outbox } = instrumentedWorld(told.options, { store });
    const oldest = async () =>
      (await told.points('location_sdk.outbox.oldest_open.age_seconds'))[0]?.value ?? Number.NaN;
    expect(await oldest()).toBe(0);
    await outbox.reportBetEvent(betEvent());
    await outbox.reportSettledBet(settledBet());
    await store.bind([{ account: 'default', environment: 'production', gateway: 'https://gateway.example.com' }]);
    await store.pause({
      account: 'default',
      environment: 'production',
      version: 0,
      reason: 'authentication',
      message: undefined,
      strikes: 1,
      forMs: 1,
      continues: false,
      repeats: false,
    });
    const states = (await told.points('location_sdk.outbox.report.count')).map(({ attributes, value }) => [
      Object.values(attributes)[0],
      value,
    ]);
    expect(Object.fromEntries(states)).toEqual({
      waiting: 1,
      blocked: 1,
      'in-flight': 0,
      recorded: 0,
      quarantined: 0,
      dismissed: 0,
    });
    expect(
      (await told.points('location_sdk.outbox.pending')).map(({ attributes, value }) => [attributes, value]),
    ).toEqual(
      expect.arrayContaining([
        [{ 'location_sdk.environment': 'staging' }, 1],
        [{ 'location_sdk.environment': 'production' }, 0],
      ]),
    );
    expect(await oldest()).toBeGreaterThanOrEqual(60);
    expect(await oldest()).toBeLessThan(3_600);
    const paused = await told.points('location_sdk.outbox.paused');
    expect(paused).toHaveLength(14);
    expect(paused.filter(({ value }) => value === 1).map(({ attributes }) => attributes)).toEqual([
      { 'location_sdk.environment': 'production', 'location_sdk.pause.reason': 'authentication' },
    ]);
    expect(paused.reduce((sum, { value }) => sum + value, 0)).toBe(1);
  });

  it('show nothing as pending while a settlement waits behind its quarantined bet', async () => {
    const { outbox, gateway, run } = instrumentedWorld();
    const pending = async () =>
      (await told.points('location_sdk.outbox.pending')).reduce((sum, { value }) => sum + value, 0);
    gateway.faults.add({ kind: 'status', status: 422, times: 1 });
    await outbox.reportBetEvent(betEvent());
    await outbox.reportSettledBet(settledBet());
    expect(await pending()).toBe(1);
    await run(outbox.drain());
    expect((await outbox.stats()).states).toMatchObject({ quarantined: 1, blocked: 1, waiting: 0, 'in-flight': 0 });
    expect(await pending()).toBe(0);
  });

  it('have no values of a store that fails', async () => {
    const store = memoryStore();
    let fails = true;
    const { outbox } = instrumentedWorld(told.options, {
      store: { ...store, counts: () => (fails ? Promise.reject(new Error('no')) : store.counts()) },
    });
    const count = async () => (await told.points('location_sdk.outbox.report.count')).length;
    expect(await count()).toBe(0);
    fails = false;
    expect(await count()).toBe(6);
    await outbox.stop();
  });

  it('show a pause of one operation as a pause of its environment', async () => {
    const { outbox, run, gateway } = instrumentedWorld();
    gateway.faults.add({ kind: 'status', status: 422, times: 5 });
    for (let bet = 0; bet < 6; bet += 1) await outbox.reportBetEvent(betEvent({ bet_id: `BET-${bet}` }));
    await run(outbox.drain({ timeoutMs: 10 }));
    expect((await outbox.stats()).paused).toMatchObject([{ environment: 'staging', operation: 'reportBetEvent' }]);
    const paused = await told.points('location_sdk.outbox.paused');
    expect(paused.filter(({ value }) => value > 0)).toMatchObject([
      { attributes: { 'location_sdk.environment': 'staging', 'location_sdk.pause.reason': 'refusals' }, value: 1 },
    ]);
  });

  it('have no values of a store that takes longer than five seconds, which is not queried again before it has answered', async () => {
    const store = memoryStore();
    let queries = 0;
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { counts } = store;
    store.counts = async (...given) => {
      queries += 1;
      await answered;
      return counts(...given);
    };
    instrumentedWorld(told.options, { store });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      let ended = false;
      const first = told.points('location_sdk.outbox.report.count').finally(() => {
        ended = true;
      });
      await vi.advanceTimersByTimeAsync(4_999);
      expect([ended, queries]).toEqual([false, 1]);
      // The exporter of the test waits for a timer, too.
      await vi.advanceTimersByTimeAsync(100);
      expect([ended, queries]).toEqual([true, 1]);
      expect(await first).toEqual([]);

      const second = told.points('location_sdk.outbox.report.count');
      await vi.advanceTimersByTimeAsync(5_100);
      expect([await second, queries]).toEqual([[], 1]);

      answer();
      await vi.advanceTimersByTimeAsync(1);
      const third = told.points('location_sdk.outbox.report.count');
      await vi.advanceTimersByTimeAsync(100);
      expect([(await third).length, queries]).toEqual([6, 2]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('do not query the store if they are disabled', async () => {
    const { outbox } = instrumentedWorld({ ...told.options, observeStats: false });
    await outbox.reportBetEvent(betEvent());
    expect(await told.points('location_sdk.outbox.report.count')).toEqual([]);
    expect(await told.points('location_sdk.outbox.enqueued.reports')).toHaveLength(1);
  });

  it('have the names, units and attributes of the table, and no others', async () => {
    const { outbox, run, gateway, client } = instrumentedWorld();
    gateway.faults.add({ kind: 'status', status: 429, times: 1 });
    gateway.faults.add({ kind: 'status', status: 400, times: 1 });
    await outbox.reportBetEvent(betEvent());
    await run(outbox.drain());
    await instrumentClient(client, told.options)
      .reportSettledBet(settledBet({ bet_id: 'BET-none' }), {})
      .catch(() => {});
    const rows = Object.values(INSTRUMENTS);
    const seen = await told.collect();
    expect(seen.length).toBeGreaterThan(6);
    for (const { descriptor, dataPoints } of seen) {
      const row = rows.find(({ name }) => name === descriptor.name);
      expect(row, descriptor.name).toMatchObject({ unit: descriptor.unit, description: descriptor.description });
      const known: readonly string[] = row?.attributes ?? [];
      expect(
        dataPoints.flatMap(({ attributes }) => Object.keys(attributes)).filter((name) => !known.includes(name)),
      ).toEqual([]);
    }
  });
});

describe('the spans of an outbox', () => {
  it('are one for the enqueueing and one for each attempt, with the same reference', async () => {
    const { outbox, run, gateway } = instrumentedWorld();
    gateway.faults.add({ kind: 'status', status: 503, times: 1 });
    const tracer = told.tracerProvider.getTracer('of the operator');
    const request = tracer.startSpan('POST /bets');
    await context.with(trace.setSpan(context.active(), request), () => outbox.reportBetEvent(betEvent()));
    request.end();
    await run(outbox.drain());
    const [enqueued, , failed, sent] = told.spans();
    expect(enqueued).toMatchObject({
      name: 'enqueue reportBetEvent',
      kind: SpanKind.PRODUCER,
      parentSpanContext: { spanId: request.spanContext().spanId },
      attributes: { ...WHICH, 'location_sdk.reference': 'BET-1', 'location_sdk.report.state': 'waiting' },
    });
    expect(failed).toMatchObject({
      name: 'send reportBetEvent',
      kind: SpanKind.CLIENT,
      status: { code: SpanStatusCode.ERROR, message: expect.stringContaining('BET-1') },
      attributes: {
        'location_sdk.reference': 'BET-1',
        'http.request.method': 'POST',
        'http.response.status_code': 503,
        'location_sdk.request_id': requestNamed(1),
        'error.type': 'gateway',
        'server.address': 'mock-gateway.localhost',
      },
    });
    expect(sent).toMatchObject({
      status: { code: SpanStatusCode.UNSET },
      attributes: { 'location_sdk.outcome': 'recorded', 'location_sdk.request_id': requestNamed(2) },
    });
  });

  it('are active during the request, so that those of an instrumented fetch are their children', async () => {
    const tracer = told.tracerProvider.getTracer('of a fetch');
    const { gateway } = outboxWorld();
    const { outbox, run } = instrumentedWorld(told.options, {
      client: {
        fetch: (url, init) => {
          tracer.startSpan('POST').end();
          return gateway.fetch(url, init as object);
        },
      },
    });
    await outbox.reportBetEvent(betEvent());
    await run(outbox.drain());
    const [, inner, attempt] = told.spans();
    expect([inner?.name, attempt?.name]).toEqual(['POST', 'send reportBetEvent']);
    expect(inner?.parentSpanContext?.spanId).toBe(attempt?.spanContext().spanId);
  });

  it('show only the error of a refused report', async () => {
    const { outbox } = instrumentedWorld();
    await expect(outbox.reportBetEvent(betEvent({ amount: 'x' as never }))).rejects.toMatchObject({
      code: 'validation',
    });
    expect(told.spans()).toMatchObject([
      {
        status: { code: SpanStatusCode.ERROR },
        attributes: { 'error.type': 'validation', 'location_sdk.outcome': 'not-sent', ...SUBJECT },
      },
    ]);
  });

  it('show nothing of an error that is not of this package', async () => {
    const { outbox } = instrumentedWorld(told.options, {
      store: { ...memoryStore(), enqueue: () => Promise.reject(new Error('velvet-otter')) },
    });
    await expect(outbox.reportBetEvent(betEvent())).rejects.toThrow('velvet-otter');
    expect(told.spans()).toMatchObject([
      { attributes: { 'error.type': '_OTHER' }, status: { code: SpanStatusCode.ERROR }, events: [] },
    ]);
    expect(leaksIn(await told.text())).toEqual([]);
  });

  it('count a batch', async () => {
    const { outbox } = instrumentedWorld();
    await outbox.reportAll([
      { operation: 'reportBetEvent', payload: betEvent() },
      { operation: 'reportBetEvent', payload: {} as never },
    ]);
    expect(told.spans()).toMatchObject([
      { name: 'enqueue reportAll', attributes: { 'location_sdk.batch.size': 2, 'location_sdk.batch.refused': 1 } },
    ]);
  });
});

describe('the telemetry of a client', () => {
  it('is a span and a duration for each call', async () => {
    const { client, gateway } = outboxWorld();
    const instrumented = instrumentClient(client, told.options);
    await instrumented.reportBetEvent(betEvent());
    gateway.faults.add({ kind: 'status', status: 404, times: 1 });
    await instrumented.reportSettledBet(settledBet()).catch(() => {});
    await instrumented.verifyNin('99012345678');
    expect(told.spans()).toMatchObject([
      {
        name: 'reportBetEvent',
        kind: SpanKind.INTERNAL,
        attributes: {
          ...WHICH,
          'location_sdk.reference': 'BET-1',
          'location_sdk.outcome': 'recorded',
          'location_sdk.request_id': requestNamed(1),
        },
      },
      {
        name: 'reportSettledBet',
        attributes: {
          'error.type': 'not-found',
          'http.response.status_code': 404,
          'location_sdk.request_id': requestNamed(2),
          ...SUBJECT,
        },
      },
      {
        name: 'verifyNin',
        attributes: { 'location_sdk.operation': 'verifyNin', 'location_sdk.environment': 'staging' },
      },
    ]);
    expect((await told.points('location_sdk.client.call.duration_seconds')).map(({ value }) => value)).toEqual([
      1, 1, 1,
    ]);
  });

  it('distinguishes staging from production, for success and failure', async () => {
    const { gateway } = outboxWorld();
    const client = instrumentClient(
      createClient({ ...gateway.clientOptions(), environment: 'production', retry: { limit: 0 } }),
      told.options,
    );
    await client.verifyNin('12345678901');
    await client.verifyNin({ nin: '12345678901', environment: 'staging' });
    await client.verifyNin('12345678901', { environment: 'staging' });
    gateway.faults.add({ kind: 'status', status: 500, times: null });
    await client.verifyNin('12345678901').catch(() => {});
    const error = await client
      .reportBetEvent(betEvent(), { environment: 'staging' })
      .catch((thrown: unknown) => thrown);
    await client.resend(error).catch(() => {});
    await client.locate({ environment: 'staging' });
    const calls = (await told.points('location_sdk.client.call.duration_seconds')).map(
      ({ attributes, value }) => [Object.values(attributes).slice(0, 3).join(' '), value] as const,
    );
    expect(calls).toEqual([
      ['verifyNin production', 1],
      ['verifyNin staging', 2],
      ['verifyNin production gateway', 1],
      ['reportBetEvent staging gateway', 1],
      ['resend staging gateway', 1],
      ['locate staging', 1],
    ]);
    expect(told.spans().map(({ attributes }) => attributes['location_sdk.environment'])).toEqual([
      'production',
      'staging',
      'staging',
      'production',
      'staging',
      'staging',
      'staging',
    ]);
  });

  it('reads no environment from an invalid value or a foreign error', async () => {
    const { client, gateway } = outboxWorld();
    const instrumented = instrumentClient(client, told.options);
    await instrumented.reportBetEvent(betEvent(), { environment: 'velvet-otter' as never }).catch(() => {});
    gateway.reset();
    await instrumented
      .resend(Object.assign(new Error('no'), { environment: 'velvet-otter', reference: 'velvet-otter' }))
      .catch(() => {});
    expect(await told.text()).not.toContain('velvet-otter');
    expect(told.spans()).toHaveLength(2);
  });

  it('is refused for a value that is not a client', () => {
    expect(() => instrumentClient({} as never)).toThrow('instrumentClient: expected the result of createClient.');
  });

  it('is refused with an option of instrumentOutbox', () => {
    const options: object = { observeStats: false };
    expect(() => instrumentClient(outboxWorld().client, options)).toThrow(
      /instrumentClient cannot be used.*unknown field observeStats/s,
    );
  });
});

it('without the SDK of OpenTelemetry a report is sent and nothing is measured', async () => {
  const { outbox, run, gateway } = instrumentedWorld({});
  await outbox.reportBetEvent(betEvent());
  await run(outbox.drain());
  expect(gateway.reports()).toHaveLength(1);
  expect([told.spans(), await told.collect()]).toEqual([[], []]);
});

it('a relay takes an instrumented client, and an instrumented outbox', async () => {
  const { client, gateway, make } = outboxWorld();
  const outbox = instrumentOutbox(make(), told.options);
  const send = async (taken: typeof client | typeof outbox, bet_id: string) =>
    (await relayWorld({ client: taken }).send({ body: pageBet({ bet_id, location: gps() }) })).status;
  expect([await send(instrumentClient(client, told.options), 'BET-1'), await send(outbox, 'BET-2')]).toEqual([
    200, 202,
  ]);
  expect(gateway.reports()).toHaveLength(1);
  expect(told.spans().map(({ name, attributes }) => [name, attributes['location_sdk.reference']])).toEqual([
    ['reportBetEvent', 'BET-1'],
    ['enqueue reportBetEvent', 'BET-2'],
  ]);
});

it('the exported telemetry contains no personal data', async () => {
  const { outbox, run, gateway, client } = instrumentedWorld();
  const instrumented = instrumentClient(client, told.options);
  gateway.faults.add({ kind: 'status', status: 422, times: 1 });
  gateway.faults.add({ kind: 'status', status: 500, times: 2 });
  await outbox.reportBetEvent(personalBet('BET-1'));
  await outbox.reportSettledBet(personalSettlement('BET-2'));
  await outbox.reportWithdrawalEvent(personalWithdrawal('WR-1'));
  await outbox
    .reportBetEvent({ ...personalBet('BET-3'), user: { ...personalBet('BET-3').user, nin: '9081726354' } })
    .catch(() => {});
  await run(outbox.drain());
  await run(instrumented.reportBetEvent(personalBet('BET-4')));
  await run(instrumented.verifyNin(personalBet('BET-4').user.nin));
  await run(instrumented.locate({ clientIP: '102.89.23.45' })).catch(() => {});
  const text = await told.text();
  expect(text).toContain('BET-1');
  expect(leaksIn(text)).toEqual([]);
  expect(text).not.toMatch(/9081726354|102\.89|mock-api-key/);
  const metrics = JSON.stringify(await told.collect());
  expect(metrics).not.toMatch(/BET-\d|WR-\d/);
});

describe('telemetry that fails', () => {
  const broken = () => {
    throw new Error('no telemetry');
  };
  const brokenSpan = { setAttributes: broken, setStatus: broken, end: broken };
  const providers: [string, Partial<Record<string, unknown>>][] = [
    [
      'a tracer that throws',
      { tracerProvider: { getTracer: () => ({ startSpan: broken }) } as unknown as TracerProvider },
    ],
    [
      'a span that throws',
      { tracerProvider: { getTracer: () => ({ startSpan: () => brokenSpan }) } as unknown as TracerProvider },
    ],
    ['a tracer provider that throws', { tracerProvider: { getTracer: broken } as unknown as TracerProvider }],
    ['a meter provider that throws', { meterProvider: { getMeter: broken } as unknown as MeterProvider }],
    [
      'a meter that makes no instrument',
      {
        meterProvider: {
          getMeter: () => ({
            createCounter: broken,
            createHistogram: broken,
            createObservableGauge: broken,
            addBatchObservableCallback: broken,
            removeBatchObservableCallback: broken,
          }),
        } as unknown as MeterProvider,
      },
    ],
    [
      'a meter whose instruments throw',
      {
        meterProvider: {
          getMeter: () => ({
            createCounter: () => ({ add: broken }),
            createHistogram: () => ({ record: broken }),
            createObservableGauge: () => ({}),
            addBatchObservableCallback: broken,
            removeBatchObservableCallback: broken,
          }),
        } as unknown as MeterProvider,
      },
    ],
  ];

  it.each(providers)('affects no report: %s', async (_, options) => {
    const { outbox, run, gateway, sent } = instrumentedWorld({ ...told.options, ...options });
    gateway.faults.add({ kind: 'status', status: 500, times: 1 });
    const { done } = await outbox.reportBetEvent(betEvent());
    expect(await run(outbox.drain())).toMatchObject({ drained: true });
    expect(gateway.reports()).toHaveLength(1);
    expect(sent).toHaveLength(2);
    await expect(done).resolves.toMatchObject({ outcome: 'recorded' });
    outbox.start();
    await run(outbox.stop());
  });

  it('sends each report once if the active context cannot be set', async () => {
    forget();
    context.setGlobalContextManager({
      active: broken,
      with: broken,
      bind: broken,
      enable: broken,
      disable: () => undefined,
    } as never);
    const { outbox, run, gateway, sent } = instrumentedWorld();
    await outbox.reportBetEvent(betEvent());
    await run(outbox.drain());
    expect([gateway.reports().length, sent.length]).toEqual([1, 1]);
  });
});
