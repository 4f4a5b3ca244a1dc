import { describe, expect, it } from 'vitest';
import type { OutboxStore } from '../../src/entries/outbox.js';
import { appendReceipts } from '../../src/outbox/receipts/log.js';
import { verifyReceipts } from '../../src/outbox/receipts/verify.js';
import { decided, isChange } from '../../src/outbox/rules/decisions.js';
import { claim, claimOne, GATEWAYS, newRow, QUARANTINED, read, settledRow, write } from '../outbox/contract/harness.js';
import { outboxWorld } from '../outbox/world.js';
import { betEvent, settledBet } from '../support/factories.js';
import { byAda, idOf, onlyGroup, quarantine, quarantineInDoubt, world } from './world.js';

const BET = newRow('B-1').id;
const SETTLEMENT = settledRow('B-1').id;

/** The dismissal of a report by a program, as a store writes it. */
async function dismissalOf(store: OutboxStore) {
  const row = await read(store, BET);
  const change = decided(row, { action: 'dismissed', reason: 'a mistake', at: 1 }, false);
  if (!isChange(change)) throw new Error(change.why);
  return { id: BET, expected: row, change };
}

const linesOf = async (store: OutboxStore) => (await store.receipts.read(0, 100)).map(({ line }) => line);

describe('a dismissed report that is reopened', () => {
  it('is as it was before, with its problem, its doubt and its data', async () => {
    const { store, data } = await world();
    await quarantine(store, ['B-1']);
    const [row] = await store.get([BET]);
    await data.decide({ ...byAda(), action: 'dismissed', selection: { ids: [BET] } });
    const reopened = { ...byAda(), reason: 'the wrong bet was dismissed' };
    expect(await data.decide({ ...reopened, action: 'reopened', selection: { ids: [BET] } })).toMatchObject({
      decision: { action: 'reopened', touched: 1, who: 'ada' },
      refused: [],
    });
    const { fence, decisions, changedAt, ...rest } = row ?? (await read(store, BET));
    expect(await read(store, BET)).toMatchObject({
      ...rest,
      fence: fence + 1,
      decisions: [
        { action: 'dismissed' },
        { action: 'reopened', by: 'ada', reason: 'the wrong bet was dismissed', id: reopened.decision },
      ],
    });
    expect(await store.counts()).toMatchObject({ states: { quarantined: 1, dismissed: 0 } });
  });

  it('stays in doubt if it was', async () => {
    const { store, data } = await world();
    await store.enqueue([newRow('B-1')]);
    await write(store, await claimOne(store), { ...QUARANTINED, inDoubt: true, doubtBefore: true });
    await data.decide({ ...byAda(), action: 'dismissed', selection: { ids: [BET] } });
    await data.decide({ ...byAda(), action: 'reopened', selection: { ids: [BET] } });
    expect(await read(store, BET)).toMatchObject({ state: 'quarantined', inDoubt: true, doubtBefore: true });
    await data.decide({ ...byAda(), action: 'retry', selection: { ids: [BET] } });
    expect(await claimOne(store)).toMatchObject({ doubtBefore: true });
  });

  it('blocks its settlement again', async () => {
    const { store, data } = await world();
    await quarantine(store, ['B-1']);
    await store.enqueue([settledRow('B-1')]);
    await data.decide({ ...byAda(), action: 'dismissed', selection: { ids: [BET] } });
    expect(await read(store, SETTLEMENT)).toMatchObject({ state: 'waiting', blocked: false });
    await data.decide({ ...byAda(), action: 'reopened', selection: { ids: [BET] } });
    expect(await read(store, SETTLEMENT)).toMatchObject({ state: 'waiting', blocked: true });
    expect(await claim(store)).toEqual([]);
  });

  it('brings back the settlement that was dismissed with it, and no other one', async () => {
    const { store, data } = await world();
    await quarantine(store, ['B-1', 'B-2']);
    await store.enqueue([settledRow('B-1'), settledRow('B-2')]);
    const ids = [BET, idOf('B-2')];
    await data.decide({ ...byAda(), action: 'dismissed', selection: { ids: [BET] }, withSettlements: true });
    await data.decide({ ...byAda(), action: 'dismissed', selection: { ids: [idOf('B-2')] } });
    await write(store, await claimOne(store), { ...QUARANTINED, inDoubt: false });
    await data.decide({ ...byAda(), action: 'dismissed', selection: { ids: [settledRow('B-2').id] } });
    expect(await data.decide({ ...byAda(), action: 'reopened', selection: { ids } })).toMatchObject({
      decision: { touched: 3 },
      refused: [],
    });
    expect(await read(store, SETTLEMENT)).toMatchObject({ state: 'waiting', blocked: true, problem: undefined });
    expect(await read(store, settledRow('B-2').id)).toMatchObject({ state: 'dismissed' });
  });

  it('brings back its settlement also if both are named', async () => {
    const { store, data } = await world();
    await quarantine(store, ['B-1']);
    await store.enqueue([settledRow('B-1')]);
    await data.decide({ ...byAda(), action: 'dismissed', selection: { ids: [BET] }, withSettlements: true });
    expect(await data.decide({ ...byAda(), action: 'reopened', selection: { ids: [SETTLEMENT, BET] } })).toMatchObject({
      decision: { touched: 2 },
      refused: [],
    });
    expect(await read(store, SETTLEMENT)).toMatchObject({ state: 'waiting', blocked: true, problem: undefined });
  });

  it('stays dismissed if only the settlement that was dismissed with it is reopened, which is not sent then', async () => {
    const { store, data } = await world();
    await quarantine(store, ['B-1']);
    await store.enqueue([settledRow('B-1')]);
    const { decision } = await data.decide({
      ...byAda(),
      action: 'dismissed',
      selection: { ids: [BET] },
      withSettlements: true,
    });
    expect(decision.touched).toBe(2);
    await data.decide({ ...byAda(), action: 'reopened', selection: { ids: [SETTLEMENT] } });
    expect(await claim(store)).toEqual([]);
    expect(await read(store, SETTLEMENT)).toMatchObject({
      state: 'quarantined',
      problem: { message: expect.stringContaining('Dismiss this settlement, too, or retry it') },
    });
    expect(await read(store, BET)).toMatchObject({ state: 'dismissed' });
  });

  it('has a second line in the log when it ends again, and the log is valid', async () => {
    const { store, data } = await world();
    await quarantine(store, ['B-1']);
    await data.decide({ ...byAda(), action: 'dismissed', selection: { ids: [BET] } });
    await data.decide({ ...byAda(), action: 'reopened', selection: { ids: [BET] } });
    await data.decide({ ...byAda(), action: 'retry', selection: { ids: [BET] } });
    await write(store, await claimOne(store), { decisions: (await read(store, BET)).decisions });
    await data.decide({ ...byAda(), action: 'dismissed', selection: { ids: ['default:staging:none'] } });
    const lines = await linesOf(store);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { id: BET, outcome: 'dismissed', decisions: [{ action: 'dismissed' }] },
      {
        id: BET,
        outcome: 'recorded',
        decisions: [{ action: 'dismissed' }, { action: 'reopened' }, { action: 'retry' }],
      },
    ]);
    expect(await verifyReceipts(lines.map((line) => `${line}\n`))).toMatchObject({ valid: true, count: 2 });
    expect((await data.report(BET))?.timeline.at(-1)).toMatchObject({ kind: 'receipt', index: 1 });
  });
});

describe('the log of a report that is reopened while another process adds its line', () => {
  it('has one line for each end, and is valid', async () => {
    const { store, data } = await world();
    await quarantine(store, ['B-1']);
    const selection = { ids: [BET] };
    await store.turn({ writes: [await dismissalOf(store)], claim: undefined });
    // Another process adds the line, reopens the report and sends it, while this one only reads.
    let isFirst = true;
    const slow = {
      ...store,
      receipts: {
        ...store.receipts,
        async unlogged(limit: number) {
          const rows = await store.receipts.unlogged(limit);
          if (isFirst) {
            isFirst = false;
            await data.decide({ ...byAda(), action: 'reopened', selection: { ids: [BET] } });
            await data.decide({ ...byAda(), action: 'retry', selection });
            const row = await claimOne(store);
            await write(store, row, { decisions: row.decisions });
          }
          return rows;
        },
      },
    };
    await appendReceipts(slow);
    await appendReceipts(store);
    const lines = await linesOf(store);
    expect(lines.map((line) => JSON.parse(line).outcome)).toEqual(['dismissed', 'recorded']);
    expect(await verifyReceipts(lines.map((line) => `${line}\n`))).toMatchObject({ valid: true });
  });
});

describe('the counts of ended reports', () => {
  it('count a report that was reopened once, by its last end', async () => {
    const { store, data } = await world();
    await store.bind([{ account: 'default', environment: 'staging', gateway: GATEWAYS.staging }]);
    await quarantineInDoubt(store, ['B-1', 'B-2']);
    await data.decide({ ...byAda(), action: 'dismissed', selection: { ids: [BET, idOf('B-2')] } });
    await data.decide({ ...byAda(), action: 'reopened', selection: { ids: [BET] } });
    await data.decide({ ...byAda(), action: 'recorded', selection: { ids: [BET] } });
    const { destinations, states } = await data.overview();
    expect(destinations[0]?.states).toMatchObject({ recorded: 1, dismissed: 1 });
    expect(states).toMatchObject({ recorded: 1, dismissed: 1 });
    expect((await data.charts('days')).steps.at(-1)).toMatchObject({ recorded: 1, dismissed: 1 });
  });
});

describe('a dismissed report whose settlement is in flight', () => {
  const inFlight = expect.stringContaining('its settlement is in flight, and may be sent now; try again once');

  /** The worker that has the settlement died. */
  async function settlementInFlight() {
    const { store, data } = await world();
    await quarantine(store, ['B-1']);
    await store.enqueue([settledRow('B-1')]);
    const { decision } = await data.decide({ ...byAda(), action: 'dismissed', selection: { ids: [BET] } });
    expect(await claimOne(store)).toMatchObject({ id: SETTLEMENT });
    return { store, data, dismissal: decision.id };
  }

  it('stays dismissed until that has ended', async () => {
    const { store, data } = await settlementInFlight();
    const reopen = () => data.decide({ ...byAda(), action: 'reopened', selection: { ids: [BET] } });
    const replacement = { body: '{}', fingerprint: 'other' };
    expect(await reopen()).toMatchObject({ decision: { touched: 0 }, refused: [{ id: BET, why: inFlight }] });
    expect(await data.decide({ ...byAda(), action: 'replaced', selection: { ids: [BET] }, replacement })).toMatchObject(
      { refused: [{ why: inFlight }] },
    );
    expect(await read(store, BET)).toMatchObject({ state: 'dismissed', decisions: [{ action: 'dismissed' }] });
    await write(store, await read(store, SETTLEMENT), { state: 'waiting', outcome: undefined, keepBody: true });
    expect(await reopen()).toMatchObject({ decision: { touched: 1 }, refused: [] });
    expect(await read(store, SETTLEMENT)).toMatchObject({ state: 'waiting', blocked: true });
  });

  it('is left out when its dismissal is undone, and can be reopened later', async () => {
    const { store, data, dismissal } = await settlementInFlight();
    expect(await data.undo({ ...byAda(), of: dismissal })).toMatchObject({ kept: 1, more: false });
    expect(await read(store, BET)).toMatchObject({ state: 'dismissed' });
    await write(store, await read(store, SETTLEMENT));
    await data.decide({ ...byAda(), action: 'reopened', selection: { ids: [BET] } });
    expect(await read(store, BET)).toMatchObject({ state: 'quarantined' });
  });

  it.each(['replace', 'reopen'] as const)('is not sent after it: %s', async (method) => {
    const settlements: (string | undefined)[] = [];
    const { outbox, store, gateway, clock, run } = outboxWorld({
      client: {
        fetch: async (url, init) => {
          if (url.includes('settled')) settlements.push((await outbox.get(id))?.state);
          return gateway.fetch(url, init as object);
        },
      },
    });
    const id = 'default:staging:reportBetEvent:BET-1';
    const bet = betEvent({ timestamp: '1763632800' });
    gateway.faults.add({ kind: 'status', status: 422, reference: 'BET-1', times: 1 });
    await outbox.reportBetEvent(bet);
    await outbox.reportSettledBet(settledBet());
    await run(outbox.drain());
    await outbox.resolve(id, { as: 'dismissed', reason: 'a mistake' });
    const [account] = (await store.outlook()).map(({ gateway: staging }) => ({
      account: 'default',
      gateways: { staging },
      busy: 0,
    }));
    expect(await claim(store, 1, account ? [account] : [])).toHaveLength(1);
    const decide = () =>
      method === 'replace'
        ? outbox.replace(id, { ...bet, amount: 7 }, { reason: 'a mistake' })
        : outbox.reopen(id, { reason: 'a mistake' });
    await expect(decide()).rejects.toMatchObject({ code: 'validation', message: inFlight });
    await clock.advance(40_000);
    await run(outbox.drain());
    await decide();
    if (method === 'reopen') await outbox.retry(id);
    await run(outbox.drain());
    for (const { id: other } of await outbox.list({ state: 'quarantined' })) await outbox.retry(other);
    expect(await run(outbox.drain())).toMatchObject({ states: { recorded: 2 } });
    expect(settlements.filter((state) => state !== 'dismissed' && state !== 'recorded')).toEqual([]);
  });
});

describe('a dismissal of many reports that is undone', () => {
  const references = Array.from({ length: 120 }, (_, index) => `B-${index}`);

  it('reopens all of them, with their settlements, in one decision', async () => {
    const { store, data } = await world();
    await quarantine(store, references);
    await store.enqueue(references.slice(0, 60).map((reference) => settledRow(reference)));
    const { group, asOf } = await onlyGroup(data);
    const request = { ...byAda(), action: 'dismissed', selection: { group }, asOf, withSettlements: true } as const;
    await data.decide({ ...request, forMs: 60_000 });
    expect((await store.counts()).states).toMatchObject({ dismissed: 180, quarantined: 0 });
    const undo = { ...byAda(), of: request.decision };
    expect(await data.undo({ ...undo, forMs: 60_000 })).toMatchObject({ more: false, kept: 0 });
    expect((await store.counts()).states).toMatchObject({ dismissed: 0, quarantined: 120, blocked: 60 });
    expect((await data.decisions()).decisions.find(({ id }) => id === request.decision)?.undoneBy).toBe(undo.decision);
    expect((await onlyGroup(data)).shown.count).toBe(120);
  });

  it('leaves those about which a person has decided since', async () => {
    const { store, data } = await world();
    await quarantine(store, ['B-1', 'B-2']);
    const ids = [BET, idOf('B-2')];
    const { decision } = await data.decide({ ...byAda(), action: 'dismissed', selection: { ids } });
    await data.decide({ ...byAda(), action: 'reopened', selection: { ids: [BET] } });
    await data.decide({ ...byAda(), action: 'retry', selection: { ids: [BET] } });
    expect(await data.undo({ ...byAda(), of: decision.id })).toMatchObject({ kept: 1 });
    expect([(await read(store, BET)).state, (await read(store, idOf('B-2'))).state]).toEqual([
      'waiting',
      'quarantined',
    ]);
  });
});

describe('reopen', () => {
  it('is refused for a report that is not dismissed, and for one whose data was deleted', async () => {
    const { store, data } = await world();
    const [row] = await quarantine(store, ['B-1']);
    if (!row) throw new Error('expected a row');
    expect((await data.decide({ ...byAda(), action: 'reopened', selection: { ids: [BET] } })).refused).toMatchObject([
      { id: BET, why: 'it is quarantined; only a dismissed report can be reopened' },
    ]);
    await write(store, row, { state: 'dismissed', problem: row.problem, outcome: undefined, keepBody: false });
    expect((await data.decide({ ...byAda(), action: 'reopened', selection: { ids: [BET] } })).refused).toMatchObject([
      { id: BET, why: 'its data was deleted, so it cannot be sent; replace it with the data' },
    ]);
  });

  it.for([new Error('it was refused'), 42, { why: 'a mistake' }, 'x'.repeat(2_001)])(
    'refuses a reason that the store could not read again, and changes nothing: %o',
    async (given) => {
      const { outbox, store } = outboxWorld();
      await quarantine(store, ['B-1']);
      const before = await read(store, BET);
      const more = { reason: given as string };
      const calls = [
        outbox.retry(BET, more),
        outbox.resolve(BET, { as: 'dismissed', ...more }),
        outbox.reopen(BET, more),
        outbox.replace(BET, betEvent({ bet_id: 'B-1' }), more),
      ];
      for (const call of calls)
        await expect(call).rejects.toThrow('reason: expected a text of at most 2,000 characters');
      expect(await read(store, BET)).toEqual(before);
    },
  );

  it('and the other methods of one report refuse what is not an id, without its values', async () => {
    const { outbox } = outboxWorld();
    const id = { operation: 'reportBetEvent', reference: 'U-88412' } as unknown as string;
    const because = { reason: 'a test' };
    const calls = [
      outbox.get(id),
      outbox.retry(id, because),
      outbox.resolve(id, { as: 'dismissed', ...because }),
      outbox.reopen(id, because),
      outbox.replace(id, betEvent(), because),
    ];
    for (const call of calls) {
      const error: Error = await call.then(String, (reason) => reason);
      expect(error).toMatchObject({ name: 'ValidationError', issues: [{ path: 'id' }] });
      expect(error.message).not.toContain('U-88412');
    }
  });

  it('of a program takes a reason, and emits its event', async () => {
    const { outbox, store, events, run } = outboxWorld();
    await store.bind([{ account: 'default', environment: 'staging', gateway: 'https://staging.example.com' }]);
    await quarantine(store, ['B-1']);
    await outbox.resolve(BET, { as: 'dismissed', reason: 'a mistake' });
    await expect(outbox.reopen(BET, { reason: ' ' })).rejects.toThrow('reopen: reason: expected a text');
    expect(await run(outbox.reopen(BET, { reason: 'it was the other one' }))).toMatchObject({
      state: 'quarantined',
      problem: { code: 'unprocessable' },
      decisions: [{ action: 'dismissed' }, { action: 'reopened', reason: 'it was the other one' }],
    });
    expect(events.filter(([type]) => type === 'decided').at(-1)).toMatchObject(['decided', { action: 'reopened' }]);
    await expect(outbox.reopen(BET, { reason: 'again' })).rejects.toThrow(
      `reopen: ${BET}: it is quarantined; only a dismissed report can be reopened.`,
    );
    await expect(outbox.reopen('default:staging:reportBetEvent:X', { reason: 'a mistake' })).rejects.toThrow(
      'the outbox has no report',
    );
  });
});
