import {
  ACCOUNT,
  type ContractCase,
  claim,
  claimOne,
  contractCase,
  equal,
  GATEWAYS,
  newRow,
  read,
  settledRow,
  write,
} from './harness.js';

export const survivalCases: readonly ContractCase[] = [
  contractCase('all committed data exists after a crash of the process', async ({ store, reopen }) => {
    if (!reopen) {
      equal(store.durable, false, 'durable, of a store that cannot be opened again');
      return;
    }
    await store.enqueue(['B-1', 'B-2'].flatMap((reference) => [newRow(reference), settledRow(reference)]));
    const [first] = await claim(store, 1);
    if (!first) throw new Error('a row to claim: expected one');
    await write(store, first);
    const { id } = await claimOneOf(await claim(store, 1));
    await store.bind([{ account: ACCOUNT, environment: 'production', gateway: GATEWAYS.production }]);
    await store.pause({
      account: ACCOUNT,
      environment: 'production',
      version: 0,
      reason: 'authentication',
      message: 'HTTP 401',
      strikes: 1,
      forMs: 60_000,
      continues: false,
      repeats: false,
    });
    await store.getOrCreateSetting('salt', 'one');
    await store.receipts.append([{ index: 0, id: first.id, line: 'a' }]);
    const before = await store.list({ limit: 10 });

    const again = await reopen();
    equal(await again.list({ limit: 10 }), before, 'the rows');
    const { state, inDoubt } = await read(again, id);
    equal([state, inDoubt], ['in-flight', true], 'the row that was in flight');
    equal(
      (await again.outlook()).find(({ environment }) => environment === 'production')?.pause.reason,
      'authentication',
      'the pause',
    );
    equal(
      [await again.getOrCreateSetting('salt', 'two'), (await again.receipts.last())?.line],
      ['one', 'a'],
      'settings and receipts',
    );
    await again.close?.();
  }),
  contractCase('another store on the same data sees every commit at once', async ({ store, another }) => {
    if (!another) return;
    const other = await another();
    await store.enqueue([newRow('B-1')]);
    const row = await claimOne(other);
    await write(store, row);
    equal((await read(other, row.id)).state, 'recorded', 'the state');
    await other.close?.();
  }),
];

function claimOneOf<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined) throw new Error('a row to claim: expected one');
  return row;
}
