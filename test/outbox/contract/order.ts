import {
  ACCOUNT,
  CLAIMANT,
  type ContractCase,
  claim,
  claimOne,
  contractCase,
  equal,
  idsOf,
  LEASE_MS,
  newRow,
  QUARANTINED,
  read,
  settledRow,
  WAITS,
  write,
} from './harness.js';

export const orderCases: readonly ContractCase[] = [
  contractCase('a row waits for its earlier row until that is recorded', async ({ store }) => {
    await store.enqueue([newRow('B-1'), settledRow('B-1')]);
    equal((await read(store, settledRow('B-1').id)).blocked, true, 'it is blocked');
    const first = await claimOne(store);
    equal(first.id, newRow('B-1').id, 'the first claimed row');
    equal(await claim(store), [], 'while the earlier row is in flight');
    await write(store, first, WAITS);
    const again = await claimOne(store);
    equal(again.id, first.id, 'the claimed rows while it waits');
    await write(store, again);
    equal((await read(store, settledRow('B-1').id)).blocked, false, 'it is no longer blocked');
    equal((await claimOne(store)).id, settledRow('B-1').id, 'the row that is claimed after that');
  }),
  contractCase('a row also waits if its earlier row is added later', async ({ store }) => {
    await store.enqueue([settledRow('B-1')]);
    equal((await read(store, settledRow('B-1').id)).blocked, false, 'alone');
    await store.enqueue([newRow('B-1')]);
    equal(idsOf(await claim(store)), [newRow('B-1').id], 'the claimed rows');
    equal(
      (await store.list({ limit: 10, reference: 'B-1' })).map(({ blocked }) => blocked),
      [true, false],
      'the blocked rows',
    );
  }),
  contractCase('a row that was in flight when its earlier row was added waits after its write', async ({ store }) => {
    await store.enqueue([settledRow('B-1')]);
    const settled = await claimOne(store);
    await store.enqueue([newRow('B-1')]);
    await write(store, settled, WAITS);
    const first = await claimOne(store);
    equal(first.id, newRow('B-1').id, 'the claimed rows');
    await write(store, first);
    equal((await claimOne(store)).id, settled.id, 'the row that is claimed then');
  }),
  contractCase(
    'a row whose worker died before its earlier row was added waits, in doubt, once its lease is over',
    async ({ store, advance }) => {
      await store.enqueue([settledRow('B-1')]);
      const settled = await claimOne(store);
      await store.enqueue([newRow('B-1')]);
      const first = await claimOne(store);
      await write(store, first, QUARANTINED);
      await advance(LEASE_MS + 1);
      equal(idsOf(await claim(store)), [], 'rows to claim after the lease, while the earlier row is quarantined');
      const probe = { account: ACCOUNT, environment: 'staging', operation: settled.operation } as const;
      const claims = { accounts: [CLAIMANT], limit: 1, leaseMs: LEASE_MS, probe };
      equal((await store.turn({ writes: [], claim: claims })).claimed, [], 'rows to claim for a probe');
      const { state, blocked, inDoubt, fence, attempts } = await read(store, settled.id);
      equal([state, blocked, inDoubt, fence, attempts], ['waiting', true, true, 2, 1], 'the row');
      equal((await write(store, settled)).written, [false], 'its late answer');
      await write(store, await read(store, first.id));
      const again = await claimOne(store);
      equal([again.id, again.doubtBefore, again.fence], [settled.id, true, 3], 'the row that is claimed then');
    },
  ),
  contractCase(
    'rows that wait for others hold up no row behind them after their leases',
    async ({ store, advance }) => {
      const references = Array.from({ length: 5 }, (_, index) => `B-${index}`);
      await store.enqueue(references.map((reference) => settledRow(reference)));
      await claim(store);
      await store.enqueue(references.map((reference) => newRow(reference)));
      for (const row of await claim(store)) await write(store, row, QUARANTINED);
      await store.enqueue([newRow('B-9')]);
      await write(store, await claimOne(store), WAITS);
      await advance(LEASE_MS + 1);
      const claimed = [];
      for (let turns = 0; turns < 6; turns += 1) claimed.push(...(await claim(store, 1)));
      equal(idsOf(claimed), [newRow('B-9').id], 'the claimed rows');
    },
  ),
  contractCase('a row whose earlier row is already recorded does not wait', async ({ store }) => {
    await store.enqueue([newRow('B-1')]);
    await write(store, await claimOne(store));
    await store.enqueue([settledRow('B-1')]);
    equal((await claimOne(store)).id, settledRow('B-1').id, 'the claimed rows');
  }),
  contractCase('a quarantined row delays its own reference and no other', async ({ store }) => {
    await store.enqueue(['B-1', 'B-2'].flatMap((reference) => [newRow(reference), settledRow(reference)]));
    const [bad, good] = await claim(store);
    if (!bad || !good) throw new Error('two rows to claim: expected two');
    await write(store, bad, QUARANTINED);
    await write(store, good);
    equal(idsOf(await claim(store)), [settledRow('B-2').id], 'the claimed rows');
    await write(store, await read(store, bad.id), { state: 'dismissed', outcome: undefined });
    equal(idsOf(await claim(store)), [settledRow('B-1').id], 'the claimed rows after the dismissal');
  }),
  contractCase('a quarantined row that waits again is claimed again', async ({ store }) => {
    await store.enqueue([newRow('B-1')]);
    await write(store, await claimOne(store), QUARANTINED);
    equal(await claim(store), [], 'while it is quarantined');
    await write(store, await read(store, newRow('B-1').id), WAITS);
    equal((await claimOne(store)).fence, 2, 'its fence');
  }),
  contractCase('environments do not wait for each other', async ({ store }) => {
    await store.enqueue([newRow('B-1'), settledRow('B-1', { environment: 'production' })]);
    equal((await claim(store)).length, 2, 'rows to claim');
  }),
];
