import type { OutboxStore } from '../../../src/outbox/store/store.js';
import { type ContractCase, claim, contractCase, equal, idsOf, newRow, QUARANTINED, read, write } from './harness.js';

async function recordAll(store: OutboxStore): Promise<void> {
  for (const row of await claim(store)) await write(store, row);
}

export const receiptCases: readonly ContractCase[] = [
  contractCase('final rows are listed until they have a line', async ({ store }) => {
    await store.enqueue([newRow('B-1'), newRow('B-2'), newRow('B-3')]);
    const [first, second, third] = await claim(store);
    if (!first || !second || !third) throw new Error('three rows to claim: expected three');
    await write(store, second);
    await write(store, first);
    await write(store, third, QUARANTINED);
    equal(idsOf(await store.receipts.unlogged(10)).sort(), idsOf([first, second]).sort(), 'recorded rows');
    equal((await store.receipts.unlogged(1)).length, 1, 'no more than asked for');
    equal(await store.receipts.append([{ index: 0, id: first.id, line: 'one' }]), true, 'a line');
    equal(idsOf(await store.receipts.unlogged(10)), [second.id], 'the rows without a line');
    await write(store, await read(store, third.id), { state: 'dismissed', outcome: undefined });
    equal(idsOf(await store.receipts.unlogged(10)).sort(), idsOf([second, third]).sort(), 'dismissed rows');
  }),
  contractCase('lines are added at the end only, all or none', async ({ store, another }) => {
    const other = (await another?.()) ?? store;
    await store.enqueue([newRow('B-1'), newRow('B-2')]);
    await recordAll(store);
    const [one, two] = [newRow('B-1').id, newRow('B-2').id];
    equal(await store.receipts.last(), undefined, 'an empty log');
    equal(await store.receipts.append([{ index: 1, id: one, line: 'x' }]), false, 'a gap');
    equal(
      await store.receipts.append([
        { index: 0, id: one, line: 'a' },
        { index: 0, id: two, line: 'x' },
      ]),
      false,
      'an index twice',
    );
    equal(await store.receipts.append([{ index: 0, id: one, line: 'a "quoted"\\ line' }]), true, 'the first');
    equal(await other.receipts.append([{ index: 0, id: two, line: 'x' }]), false, 'a place that is taken');
    equal(await other.receipts.append([{ index: 1, id: one, line: 'x' }]), false, 'a row that has its line');
    equal(await other.receipts.append([{ index: 1, id: two, line: 'b' }]), true, 'the second');
    equal(
      await store.receipts.read(0, 10),
      [
        { index: 0, id: one, line: 'a "quoted"\\ line' },
        { index: 1, id: two, line: 'b' },
      ],
      'the log',
    );
    equal(await store.receipts.read(1, 1), [{ index: 1, id: two, line: 'b' }], 'a part of it');
    equal(await store.receipts.last(), { index: 1, id: two, line: 'b' }, 'its end');
  }),
  contractCase('of several calls that add the same line, one succeeds', async ({ store, another }) => {
    const other = (await another?.()) ?? store;
    await store.enqueue([newRow('B-1')]);
    await recordAll(store);
    const made = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        (index % 2 ? store : other).receipts.append([{ index: 0, id: newRow('B-1').id, line: `${index}` }]),
      ),
    );
    equal(made.filter(Boolean).length, 1, 'the number of successes');
  }),
];
