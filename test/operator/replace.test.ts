import { randomBytes } from 'node:crypto';
import { describe, expect, it, test } from 'vitest';
import { createMockGateway } from '../../src/entries/mock.js';
import { memoryStore } from '../../src/entries/outbox.js';
import { sqliteStore } from '../../src/entries/outbox-sqlite.js';
import { createOperator } from '../../src/operator/operator.js';
import { appendReceipts } from '../../src/outbox/receipts/log.js';
import { verifyReceipts } from '../../src/outbox/receipts/verify.js';
import { collect } from '../outbox/collect.js';
import { newFile, openSqlite } from '../outbox/stores/sqlite/files.js';
import { outboxWorld } from '../outbox/world.js';
import { betEvent, settledBet, settledWithdrawal, withdrawalEvent } from '../support/factories.js';
import { failureOf } from '../support/failure-of.js';

const BET = 'default:staging:reportBetEvent:BET-1';
const SETTLED = 'default:staging:reportSettledBet:BET-1';
/** A bet of some days ago. */
const bet = (overrides: Parameters<typeof betEvent>[0]) => betEvent({ timestamp: '1763632800', ...overrides });
const WRONG = bet({ amount: 1 });
const RIGHT = bet({ amount: 7 });
const because = { reason: 'the amount was in kobo' };
const ENUGU = { latitude: 6.4474, longitude: 7.5139, source: 'gps' };
const LAGOS = { latitude: 6.4541, longitude: 3.3947, source: 'gps' };

/** An outbox whose gateway has refused a bet, while its settlement waits. */
async function refusedWorld(options: Parameters<typeof outboxWorld>[0] = {}) {
  const made = outboxWorld(options);
  made.gateway.faults.add({ kind: 'status', status: 422, reference: 'BET-1', times: 1 });
  await made.outbox.reportBetEvent(WRONG);
  await made.outbox.reportSettledBet(settledBet());
  await made.run(made.outbox.drain());
  expect(await made.outbox.get(BET)).toMatchObject({ state: 'quarantined', inDoubt: false });
  return made;
}

test('a report that was never sent is replaced, and the gateway gets the new data alone', async () => {
  const { outbox, gateway, run } = outboxWorld();
  await outbox.reportBetEvent(WRONG);
  await outbox.reportSettledBet(settledBet());
  expect(await outbox.replace(BET, RIGHT, because)).toMatchObject({
    state: 'waiting',
    decisions: [{ action: 'replaced' }],
  });
  expect(await run(outbox.drain())).toMatchObject({ states: { recorded: 2, quarantined: 0 } });
  expect(gateway.reports().map(({ operation, body }) => [operation, body.amount])).toEqual([
    ['reportBetEvent', 7],
    ['reportSettledBet', undefined],
  ]);
});

describe('a refused report whose data is replaced', () => {
  it('is recorded with the new data, and its settlement after it', async () => {
    const { outbox, gateway, run, events } = await refusedWorld();
    expect(await outbox.replace(BET, RIGHT, because)).toMatchObject({
      id: BET,
      state: 'waiting',
      problem: undefined,
      decisions: [{ action: 'replaced', reason: because.reason, fingerprint: expect.any(String) }],
    });
    expect(events.filter(([type]) => type === 'decided')).toMatchObject([['decided', { action: 'replaced' }]]);
    expect(await run(outbox.drain())).toMatchObject({ states: { recorded: 2, quarantined: 0 } });
    expect(
      gateway.reports().flatMap(({ operation, body }) => (operation === 'reportBetEvent' ? body : [])),
    ).toMatchObject([{ amount: 7 }]);
    expect(await outbox.get(SETTLED)).toMatchObject({ state: 'recorded' });
    // Neither the old nor the new data is sent twice.
    await expect(outbox.replace(BET, WRONG, because)).rejects.toThrow(
      `replace: ${BET}: it is recorded with the data that was sent, and recorded is final.`,
    );
  });

  it('can be preceded by the settlement that waits for it, whose amounts are wrong, too', async () => {
    const { outbox, gateway, run } = await refusedWorld();
    const settlement = settledBet();
    await expect(outbox.reportSettledBet({ ...settlement, ggr: 7 })).rejects.toThrow(
      'replace of the outbox sends the corrected data under this reference',
    );
    expect(await outbox.replace(SETTLED, { ...settlement, ggr: 7 }, { ...because })).toMatchObject({
      state: 'waiting',
      decisions: [{ action: 'replaced' }],
    });
    await run(outbox.drain());
    expect(gateway.reports()).toEqual([]);
    await outbox.replace(BET, RIGHT, because);
    expect(await run(outbox.drain())).toMatchObject({ states: { recorded: 2, quarantined: 0 } });
    expect(
      gateway.reports().flatMap(({ operation, body }) => (operation === 'reportSettledBet' ? body : [])),
    ).toMatchObject([{ ggr: 7 }]);
    const lines = await collect(outbox.exportReceipts());
    expect(lines.map((line) => JSON.parse(line)).filter(({ id }) => id === SETTLED)).toMatchObject([
      { decisions: [{ action: 'replaced', fingerprint: expect.any(String), reason: because.reason }] },
    ]);
  });

  it('keeps the fingerprint of the data before, the person and the reason in its receipt', async () => {
    const { outbox, store, run } = await refusedWorld();
    const [before] = await store.get([BET]);
    await outbox.replace(BET, RIGHT, because);
    await run(outbox.drain());
    const lines = (await collect(outbox.exportReceipts())).map((line) => JSON.parse(line));
    const line = lines.find(({ id }) => id === BET);
    expect(line).toMatchObject({
      outcome: 'recorded',
      decisions: [{ action: 'replaced', fingerprint: before?.fingerprint, reason: because.reason }],
    });
    expect(line.fingerprint).not.toBe(before?.fingerprint);
    expect(await verifyReceipts(await collect(outbox.exportReceipts()))).toMatchObject({ valid: true, count: 2 });
  });

  it('is changed once: the same data again is refused, whether the report waits or is quarantined', async () => {
    const { outbox } = await refusedWorld();
    const same = `${BET}: it has this data already; retry sends it again.`;
    await expect(outbox.replace(BET, WRONG, because)).rejects.toThrow(same);
    expect(await outbox.get(BET)).toMatchObject({ state: 'quarantined', decisions: [] });
    await outbox.replace(BET, RIGHT, because);
    await expect(outbox.replace(BET, RIGHT, because)).rejects.toThrow(same);
    expect((await outbox.get(BET))?.decisions).toHaveLength(1);
  });

  it('keeps the time of the event: data without it is refused', async () => {
    const { outbox } = await refusedWorld();
    await expect(outbox.replace(BET, betEvent({ amount: 7 }), because)).rejects.toMatchObject({
      code: 'validation',
      message: expect.stringContaining(`payload.timestamp: ${BET} needs the time of the event`),
    });
    // Data of another report needs no time to be refused.
    await expect(outbox.replace(BET, betEvent({ bet_id: 'BET-2' }), because)).rejects.toThrow(
      `expected the data of ${BET}`,
    );
    expect(await outbox.get(BET)).toMatchObject({ state: 'quarantined', decisions: [] });
  });

  it('can be replaced after it was dismissed, with the settlement that was dismissed with it', async () => {
    const { outbox, run } = await refusedWorld();
    await outbox.resolve(BET, { as: 'dismissed', reason: 'the data is wrong' });
    await run(outbox.drain());
    expect(await outbox.get(SETTLED)).toMatchObject({ state: 'quarantined', problem: { code: 'not-found' } });
    await outbox.replace(BET, RIGHT, because);
    await run(outbox.drain());
    await outbox.retry(SETTLED);
    expect(await run(outbox.drain())).toMatchObject({ states: { recorded: 2 } });
    const lines = await collect(outbox.exportReceipts());
    expect(lines.map((line) => JSON.parse(line)).filter(({ id }) => id === BET)).toMatchObject([
      { outcome: 'dismissed' },
      { outcome: 'recorded', decisions: [{ action: 'dismissed' }, { action: 'replaced' }] },
    ]);
    expect(await verifyReceipts(lines)).toMatchObject({ valid: true, count: 3 });
  });

  it('says that the settlement that was dismissed with it stays dismissed, if its data was erased', async () => {
    const store = await sqliteStore({ file: newFile(), open: openSqlite });
    const { outbox, events, run } = await refusedWorld({ store });
    const operator = createOperator({ over: outbox });
    const who = { decision: crypto.randomUUID(), who: 'ada', reason: 'a test' };
    await operator.decide({ ...who, action: 'dismissed', selection: { ids: [BET] }, withSettlements: true });
    const [settlement] = await store.get([SETTLED]);
    await appendReceipts(store);
    expect(await store.operator?.erase?.(crypto.randomUUID(), settlement ? [settlement] : [])).toBe(1);

    await outbox.replace(BET, RIGHT, because);
    expect(await outbox.get(SETTLED)).toMatchObject({ state: 'dismissed' });
    expect(events.filter(([type]) => type === 'error')).toMatchObject([
      [
        'error',
        {
          message: `The settlement ${SETTLED} is not reopened: its data was deleted, so it cannot be sent; replace it with the data.`,
        },
      ],
    ]);
    await outbox.replace(SETTLED, settledBet(), because);
    expect(await run(outbox.drain())).toMatchObject({ states: { recorded: 2 } });
    await store.close?.();
  });

  it('tells of no failure if a program closes its store after the decision', async () => {
    const store = await sqliteStore({ file: newFile(), open: openSqlite });
    const { outbox, events, clock, run } = await refusedWorld({ store });
    await outbox.replace(BET, RIGHT, because);
    await store.close?.();
    await run(new Promise<void>((resolve) => clock.setTimeout(resolve, 60_000)));
    expect(events.filter(([type]) => type === 'error')).toEqual([]);
  });

  it('gives the caller who waits for its receipt no location that was not reported', async () => {
    const { outbox, gateway, clock, run } = outboxWorld();
    gateway.faults.add({ kind: 'status', status: 422, times: 1 });
    await outbox.reportWithdrawalEvent(withdrawalEvent(), { location: ENUGU });
    const settlement = await outbox.reportSettledWithdrawal(settledWithdrawal());
    const receipt = settlement.done;
    outbox.start();
    await run(new Promise<void>((resolve) => clock.setTimeout(resolve, 5_000)));
    const id = 'default:staging:reportWithdrawalEvent:WR-1';
    const event = { ...withdrawalEvent(), timestamp: '1763632800' };
    await outbox.replace(settlement.id, settledWithdrawal(), { ...because, location: LAGOS });
    await outbox.replace(id, event, { ...because, location: LAGOS });
    expect(await run(receipt)).toEqual(expect.not.objectContaining({ location: ENUGU }));
    expect(gateway.reports().map(({ body }) => body.location)).toEqual([LAGOS, LAGOS]);
    await run(outbox.stop());
  });

  it.each([
    ['plain', {}],
    ['encrypted', { encryption: { keys: { a: randomBytes(32).toString('base64') }, current: 'a' } }],
  ])('keeps its location if none is given, %s', async (_, options) => {
    const { outbox, gateway, run } = outboxWorld({ outbox: options });
    gateway.faults.add({ kind: 'status', status: 422, times: 1 });
    await outbox.reportBetEvent(WRONG, { location: ENUGU });
    await run(outbox.drain());
    await outbox.replace(BET, RIGHT, because);
    await run(outbox.drain());
    expect(gateway.reports().map(({ body }) => [body.amount, body.location])).toEqual([[7, ENUGU]]);
  });

  it('may be refused and replaced again', async () => {
    const { outbox, gateway, run } = await refusedWorld();
    gateway.faults.add({ kind: 'status', status: 422, reference: 'BET-1', times: 1 });
    await outbox.replace(BET, bet({ amount: 2 }), because);
    await run(outbox.drain());
    await outbox.replace(BET, RIGHT, because);
    expect(await run(outbox.drain())).toMatchObject({ states: { recorded: 2 } });
  });

  it('can be replaced while an open breaker holds it back', async () => {
    const { outbox, gateway, clock, run } = outboxWorld({ outbox: { breakerAfter: 1 } });
    gateway.faults.add({ kind: 'status', status: 422, reference: 'BET-2', times: null });
    await outbox.reportBetEvent(bet({ bet_id: 'BET-2' }));
    gateway.faults.add({ kind: 'status', status: 422, reference: 'BET-1', times: null });
    await outbox.reportBetEvent(WRONG);
    outbox.start();
    await run(new Promise<void>((resolve) => clock.setTimeout(resolve, 30_000)));
    expect(await outbox.get(BET)).toMatchObject({
      state: 'waiting',
      inDoubt: false,
      problem: { code: 'unprocessable' },
    });
    gateway.faults.clear();
    gateway.faults.add({ kind: 'status', status: 422, reference: 'BET-2', times: null });
    await outbox.replace(BET, RIGHT, because);
    await run(new Promise<void>((resolve) => clock.setTimeout(resolve, 120_000)));
    expect(gateway.reports().map(({ body }) => body)).toMatchObject([{ bet_id: 'BET-1', amount: 7 }]);
    expect((await outbox.stats()).paused).toEqual([]);
    await run(outbox.stop());
  });

  it('is encrypted as a new report is', async () => {
    const encryption = { keys: { a: new Uint8Array(32).fill(1) }, current: 'a' };
    const { outbox, store, gateway, run } = await refusedWorld({ outbox: { encryption } });
    await outbox.replace(BET, RIGHT, because);
    const [row] = await store.get([BET]);
    expect(row?.body).toMatch(/^sealed1\.a\./);
    expect(await run(outbox.drain())).toMatchObject({ states: { recorded: 2 } });
    expect(
      gateway.reports().flatMap(({ operation, body }) => (operation === 'reportBetEvent' ? body : [])),
    ).toMatchObject([{ amount: 7 }]);
  });

  it('is the report that a later call with the same data finds', async () => {
    const { outbox } = await refusedWorld();
    const timestamp = '1795161600';
    await outbox.replace(BET, betEvent({ amount: 7, timestamp }), because);
    expect(await outbox.reportBetEvent(betEvent({ amount: 7, timestamp }))).toMatchObject({
      id: BET,
      state: 'waiting',
    });
    await expect(outbox.reportBetEvent(WRONG)).rejects.toThrow('other data');
  });
});

describe('replace is refused, and changes nothing,', () => {
  it('while the gateway may hold the report', async () => {
    const { outbox, gateway, store, run } = outboxWorld();
    gateway.faults.add({ kind: 'connection-reset', when: 'after' });
    gateway.faults.add({ kind: 'status', status: 422, skip: 1 });
    await outbox.reportBetEvent(WRONG);
    await run(outbox.drain());
    const before = await store.get([BET]);
    expect(before).toMatchObject([{ state: 'quarantined', inDoubt: true, problem: { code: 'unprocessable' } }]);
    await expect(outbox.replace(BET, RIGHT, because)).rejects.toThrow('it is in doubt');
    await outbox.resolve(BET, { as: 'dismissed', reason: 'a test' });
    await expect(outbox.replace(BET, RIGHT, because)).rejects.toThrow('it is in doubt');
    await outbox.reopen(BET, because);
    await expect(outbox.replace(BET, RIGHT, because)).rejects.toThrow('it is in doubt');
  });

  it('if the gateway holds a report of another sender', async () => {
    const { outbox, client, run } = outboxWorld();
    await run(client.reportBetEvent(bet({ amount: 5 })));
    await outbox.reportBetEvent(WRONG);
    await run(outbox.drain());
    await expect(outbox.replace(BET, RIGHT, because)).rejects.toThrow(
      'the gateway may hold a report under its reference',
    );
  });

  it.each([
    [409, 'Conflict'],
    [409, ''],
    [400, 'bet_id has already been taken'],
    [422, 'bet_id must be unique'],
  ])('if the answer may mean that, %i "%s": resolve may say so then', async (status, message) => {
    const { outbox, client, gateway, run } = outboxWorld();
    await run(client.reportBetEvent(bet({ amount: 5 })));
    gateway.faults.add({ kind: 'status', status, body: { message } });
    await outbox.reportBetEvent(WRONG);
    await run(outbox.drain());
    await expect(outbox.replace(BET, RIGHT, because)).rejects.toThrow(
      'the gateway may hold a report under its reference',
    );
    expect(await outbox.get(BET)).toMatchObject({ state: 'quarantined', decisions: [] });
    expect(await outbox.resolve(BET, { as: 'recorded', ...because })).toMatchObject({ state: 'recorded' });
  });

  const LONG = 'The data of the request is not valid. '.repeat(9);
  it.each([
    ['at the end of a long text', { message: `${LONG}A bet with this id already exists` }],
    ['beside the trace of a server', { message: 'Invalid', trace: LONG.repeat(30), error: 'bet already reported' }],
    ['in a long list', { errors: [...Array(210).fill('is invalid'), 'bet already reported'] }],
    ['in other words', { message: 'The bet_id is taken' }],
    ['in other words', { message: 'bet_id in use' }],
  ])('if the answer may mean that, %s', async (_, body) => {
    const { outbox, client, gateway, run } = outboxWorld();
    await run(client.reportBetEvent(bet({ amount: 5 })));
    gateway.faults.add({ kind: 'status', status: 422, body });
    await outbox.reportBetEvent(WRONG);
    await run(outbox.drain());
    await expect(outbox.replace(BET, RIGHT, because)).rejects.toThrow(
      'the gateway may hold a report under its reference',
    );
  });

  it('after a refusal of its data, a report is not declared recorded', async () => {
    const { outbox, gateway, run } = await refusedWorld();
    await expect(outbox.resolve(BET, { as: 'recorded', ...because })).rejects.toThrow(
      `resolve: ${BET}: the gateway has refused it, and no attempt is in doubt.`,
    );
    await outbox.retry(BET);
    expect(await run(outbox.drain())).toMatchObject({ states: { recorded: 2 } });
    expect(gateway.reports()).toHaveLength(2);
  });

  it('while it waits after an attempt that may have arrived', async () => {
    const { outbox, gateway, run } = outboxWorld();
    gateway.faults.add({ kind: 'connection-reset', when: 'after', times: null });
    await outbox.reportBetEvent(WRONG);
    await run(outbox.drain({ timeoutMs: 1_000 }));
    expect(await outbox.get(BET)).toMatchObject({ state: 'waiting', inDoubt: true });
    await expect(outbox.replace(BET, RIGHT, because)).rejects.toThrow('it is in doubt');
  });

  it('for another reference, invalid data or no reason', async () => {
    const { outbox, store } = await refusedWorld();
    const unreadable = {
      ...RIGHT,
      get timestamp(): string {
        throw new Error('a secret');
      },
    };
    const before = await store.get([BET]);
    const failures = [
      await failureOf(outbox.replace(BET, bet({ bet_id: 'BET-2' }), because)),
      await failureOf(outbox.replace(BET, settledBet() as never, because)),
      await failureOf(outbox.replace(BET, { ...RIGHT, amount: 'seven' } as never, because)),
      await failureOf(outbox.replace(BET, RIGHT, { reason: '' })),
      await failureOf(outbox.replace(BET, RIGHT, { ...because, environment: 'production' } as never)),
      await failureOf(outbox.replace(BET, RIGHT, undefined as never)),
      await failureOf(outbox.replace('default:staging:reportBetEvent:X', RIGHT, because)),
      await failureOf(outbox.replace(BET, unreadable, because)),
    ];
    for (const failure of failures) expect(failure).toMatchObject({ code: 'validation', outcome: 'not-sent' });
    expect(failures[0]?.message).toContain(`expected the data of ${BET}`);
    expect(await store.get([BET])).toEqual(before);
  });

  it('by an outbox with another gateway, whose location may be made up', async () => {
    const { store } = await refusedWorld();
    const other = createMockGateway();
    const foreign = outboxWorld({
      store,
      client: {
        ...other.clientOptions(),
        gateways: { staging: { baseUrl: 'https://other.example.com', apiKey: 'k' } },
      },
    });
    await expect(foreign.outbox.replace(BET, RIGHT, because)).rejects.toMatchObject({ code: 'configuration' });
    expect(await store.get([BET])).toMatchObject([{ state: 'quarantined' }]);
  });
});

test('a report that another process retries in the meantime is replaced, and the new data alone is sent', async () => {
  const kept = memoryStore();
  let isFirst = true;
  const { outbox, gateway, run } = await refusedWorld({
    store: {
      ...kept,
      async turn(turn) {
        if (isFirst && turn.writes.some(({ change }) => change.replacement)) {
          isFirst = false;
          await outbox.retry(BET);
        }
        return kept.turn(turn);
      },
    },
  });
  const { decisions } = await run(outbox.replace(BET, RIGHT, because));
  expect(decisions.map(({ action }) => action)).toEqual(['retry', 'replaced']);
  await run(outbox.drain());
  expect(gateway.reports().map(({ body }) => body.amount)).toEqual([7, undefined]);
});
