import { expect, it } from 'vitest';
import { findReceipt } from '../../src/operator/report-details.js';
import { read } from '../outbox/contract/harness.js';
import { BEGAN, enqueue, idOf, world } from './world.js';

const LINES = 100_000;

it.each([0, 1, 1_000, 54_321, LINES - 1])(
  'a receipt is found in a long log with few reads, wherever it stands: line %i',
  async (index) => {
    const { store } = await world();
    await enqueue(store, ['B-1']);
    const row = { ...(await read(store, idOf('B-1'))), changedAt: BEGAN + index * 1_000 };
    const lineAt = (at: number) => ({
      index: at,
      id: at === index ? row.id : `another-${at}`,
      line: JSON.stringify({ index: at, endedAt: new Date(BEGAN + at * 1_000).toISOString() }),
    });
    let reads = 0;
    const found = await findReceipt(
      {
        ...store.receipts,
        last: async () => lineAt(LINES - 1),
        read: async (from, limit) => {
          reads += 1;
          return Array.from({ length: Math.min(limit, LINES - from) }, (_, place) => lineAt(from + place));
        },
      },
      row,
    );
    expect(found).toMatchObject({ index });
    expect(reads).toBeLessThan(25);
  },
);

it('the receipt of a reference that was enqueued again after it was pruned is the newer one', async () => {
  const { store } = await world();
  await enqueue(store, ['B-1']);
  const row = { ...(await read(store, idOf('B-1'))), changedAt: BEGAN + 1_000 };
  const lines = [0, 1].map((index) => ({
    index,
    id: row.id,
    line: JSON.stringify({ index, endedAt: new Date(BEGAN + index * 1_000).toISOString() }),
  }));
  const log = {
    ...store.receipts,
    last: async () => lines[1],
    read: async (from: number, limit: number) => lines.slice(from, from + limit),
  };
  expect(await findReceipt(log, row)).toMatchObject({ index: 1 });
});
