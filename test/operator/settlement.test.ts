import { expect, it } from 'vitest';
import type { OutboxStore } from '../../src/entries/outbox.js';
import { createOperator } from '../../src/operator/operator.js';
import { decided, isChange } from '../../src/outbox/rules/decisions.js';
import { claim, claimOne, newRow, QUARANTINED, read, settledRow, write } from '../outbox/contract/harness.js';
import { outboxWorld, storeWithConsole } from '../outbox/world.js';
import { byAda, world as operatorWorld } from './world.js';

const BET = newRow('B-1').id;
const SETTLEMENT = settledRow('B-1').id;

/** A quarantined bet and its blocked settlement, in a store that calls `before` before each commit of a decision. */
async function world(before: (store: OutboxStore) => Promise<unknown> = async () => undefined) {
  const store = await storeWithConsole();
  await store.enqueue([newRow('B-1'), settledRow('B-1')]);
  await write(store, await claimOne(store), QUARANTINED);
  const own = store.operator;
  if (!own) throw new Error('The store offers the console nothing.');
  const watched: OutboxStore = {
    ...store,
    operator: {
      ...own,
      async step(step) {
        await before(store);
        return own.step(step);
      },
    },
  };
  const dismiss = async (ids = [BET], who = byAda()) =>
    (await operatorWorld(watched)).data.decide({
      ...who,
      action: 'dismissed',
      selection: { ids },
      withSettlements: true,
    });
  return { store, watched, dismiss };
}

const retryByAda = async (store: OutboxStore) =>
  (await operatorWorld(store)).data.decide({ ...byAda(), action: 'retry', selection: { ids: [BET] } });

it('leaves no moment in which a worker could send the settlement of a dismissed report', async () => {
  const { store, dismiss } = await world(async (behind) => expect(await claim(behind)).toEqual([]));
  await dismiss();
  expect(await claim(store)).toEqual([]);
  expect([(await read(store, BET)).state, (await read(store, SETTLEMENT)).state]).toEqual(['dismissed', 'dismissed']);
});

it('is in the log as one decision about both', async () => {
  const { store, dismiss } = await world();
  await dismiss();
  const { decisions } = await (await operatorWorld(store)).data.decisions();
  expect(decisions).toMatchObject([{ action: 'dismissed', who: 'ada', about: { ids: [BET] }, touched: 2 }]);
});

it('blocks the settlement again if another person has retried the report in the meantime', async () => {
  const { store, dismiss } = await world(retryByAda);
  expect(await dismiss()).toMatchObject({ refused: [{ id: BET, why: 'it was changed in the meantime' }] });
  expect(await read(store, BET)).toMatchObject({ state: 'waiting' });
  expect(await read(store, SETTLEMENT)).toMatchObject({ state: 'waiting', blocked: true });
});

it('tells the programs that listen that the settlement was dismissed, and reopened', async () => {
  const { watched } = await world(retryByAda);
  const { outbox, events } = outboxWorld({ store: watched });
  await createOperator({ over: outbox }).decide({
    ...byAda(),
    action: 'dismissed',
    selection: { ids: [BET] },
    withSettlements: true,
  });
  expect(events).toMatchObject([
    ['decided', { id: SETTLEMENT, action: 'dismissed' }],
    ['decided', { id: SETTLEMENT, action: 'reopened' }],
  ]);
});

it('dismisses the settlement of a report that another person has dismissed at the same moment', async () => {
  const { store, dismiss } = await world(async (behind) => {
    const row = await read(behind, BET);
    const change = decided(row, { action: 'dismissed', reason: 'a test', at: 1 }, false);
    if (isChange(change)) await behind.turn({ writes: [{ id: BET, expected: row, change }], claim: undefined });
  });
  expect(await dismiss()).toMatchObject({ refused: [{ id: BET, why: 'it was changed in the meantime' }] });
  expect(await claim(store)).toEqual([]);
  expect(await read(store, SETTLEMENT)).toMatchObject({ state: 'dismissed' });
});

it('declares no settlement recorded, and retries none, with its report', async () => {
  for (const action of ['recorded', 'retry'] as const) {
    const { store } = await world();
    const { data } = await operatorWorld(store);
    await data.decide({ ...byAda(), action, selection: { ids: [BET] }, withSettlements: true });
    expect(await read(store, SETTLEMENT)).toMatchObject({ state: 'waiting', decisions: [] });
  }
});

it('does not change the settlement if the report cannot be dismissed', async () => {
  const { store, dismiss } = await world();
  await retryByAda(store);
  const before = await read(store, SETTLEMENT);
  expect((await dismiss()).refused[0]?.why).toContain('it is waiting');
  expect(await read(store, SETTLEMENT)).toEqual(before);
});

it.for([[[BET, SETTLEMENT]], [[SETTLEMENT, BET]]])(
  'refuses nothing where the report and its settlement are named together: %o',
  async ([ids]) => {
    const { store, dismiss } = await world();
    expect(await dismiss(ids)).toMatchObject({ refused: [], decision: { touched: 2, skipped: 0 } });
    expect([(await read(store, BET)).state, (await read(store, SETTLEMENT)).state]).toEqual(['dismissed', 'dismissed']);
  },
);

it('leaves a named settlement blocked where its report is not dismissed, and says why', async () => {
  const { store, dismiss } = await world();
  await retryByAda(store);
  expect((await dismiss([BET, SETTLEMENT])).refused).toMatchObject([{ id: BET }]);
  expect(await read(store, SETTLEMENT)).toMatchObject({ state: 'waiting', blocked: true });
});

it('dismisses only the settlements of its own commits, if a call ends before all is decided', async () => {
  const references = Array.from({ length: 101 }, (_, index) => `B-${index}`);
  const store = await storeWithConsole();
  await store.enqueue(references.flatMap((reference) => [newRow(reference), settledRow(reference)]));
  for (const row of await claim(store, references.length)) await write(store, row, QUARANTINED);
  const { data } = await operatorWorld(store);
  const request = {
    ...byAda(),
    action: 'dismissed' as const,
    selection: { ids: references.map((reference) => newRow(reference).id) },
    withSettlements: true,
    forMs: 0,
  };
  expect(await data.decide(request)).toMatchObject({ more: true, decision: { touched: 200 } });
  const settlements = () => Promise.all(references.map((reference) => read(store, settledRow(reference).id)));
  const open = (await settlements()).filter(({ state }) => state !== 'dismissed');
  expect(open).toMatchObject([{ state: 'waiting', blocked: true }]);
  expect(await data.decide(request)).toMatchObject({ more: false, decision: { touched: 202 } });
  expect((await settlements()).every(({ state }) => state === 'dismissed')).toBe(true);
});
