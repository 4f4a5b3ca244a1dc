import { expect, it } from 'vitest';
import { memoryStore, type OutboxStore } from '../../../src/entries/outbox.js';
import { decideRow } from '../../../src/outbox/operator/decide.js';
import { dismissHoldingSettlement, openSettlementOf } from '../../../src/outbox/operator/settlement.js';
import type { Decision } from '../../../src/outbox/state-machine.js';
import { claim, claimOne, newRow, QUARANTINED, read, settledRow, write } from '../contract/harness.js';

const DISMISS: Decision = { action: 'dismissed', reason: 'a test bet', at: 1 };
const BET = newRow('B-1').id;
const SETTLEMENT = settledRow('B-1').id;

/** A quarantined bet and its blocked settlement, in a store that calls `after` after every turn of another process. */
async function world(after: (store: OutboxStore) => Promise<unknown> = async () => undefined) {
  const store = memoryStore();
  await store.enqueue([newRow('B-1'), settledRow('B-1')]);
  await write(store, await claimOne(store), QUARANTINED);
  const watched: OutboxStore = {
    ...store,
    async turn(turn) {
      const result = await store.turn(turn);
      await after(store);
      return result;
    },
  };
  return { store, watched, bet: await read(store, BET) };
}

it('leaves no moment in which a worker could send the settlement of a dismissed report', async () => {
  const claimed: string[] = [];
  const { store, watched, bet } = await world(async (behind) => void claimed.push(...(await claim(behind)).map(({ id }) => id)));
  const settlement = await openSettlementOf(watched, await dismissHoldingSettlement(watched, bet, DISMISS, false));
  await decideRow(watched, settlement?.id ?? '', undefined, DISMISS, false);
  expect(claimed).toEqual([]);
  expect([(await read(store, BET)).state, (await read(store, SETTLEMENT)).state]).toEqual(['dismissed', 'dismissed']);
});

it('leaves the settlement quarantined if the process ends after the initiated report', async () => {
  const { store, bet } = await world();
  await dismissHoldingSettlement(store, bet, DISMISS, false);
  expect(await claim(store)).toEqual([]);
  expect(await read(store, SETTLEMENT)).toMatchObject({ state: 'quarantined', problem: { code: 'not-found' } });
});

it('blocks the settlement again if another person has retried the report in the meantime', async () => {
  let isFirst = true;
  const { store, watched, bet } = await world(async (behind) => {
    if (isFirst) await decideRow(behind, BET, undefined, { action: 'retry', reason: 'mended', at: 1 }, true);
    isFirst = false;
  });
  await expect(dismissHoldingSettlement(watched, bet, DISMISS, false)).rejects.toThrow('it is waiting; only a quarantined report');
  expect(await read(store, BET)).toMatchObject({ state: 'waiting' });
  expect(await read(store, SETTLEMENT)).toMatchObject({ state: 'waiting', blocked: true });
});

it('does not change the settlement if the report cannot be dismissed', async () => {
  const { store, bet } = await world();
  await decideRow(store, BET, undefined, { action: 'retry', reason: '', at: 1 }, true);
  const before = await read(store, SETTLEMENT);
  await expect(dismissHoldingSettlement(store, { ...bet, state: 'waiting', problem: undefined }, DISMISS, false)).rejects.toThrow('it is waiting');
  expect(await read(store, SETTLEMENT)).toEqual(before);
});
