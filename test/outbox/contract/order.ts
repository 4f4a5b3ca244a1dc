import {
  type ContractCase,
  claim,
  claimOne,
  contractCase,
  equal,
  idsOf,
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
