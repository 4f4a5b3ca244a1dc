import { expect } from 'vitest';
import type { Outbox, OutboxStore } from '../../src/entries/outbox.js';
import { personalBet } from './personal.js';
import { outboxWorld } from './world.js';

/** Names that equal those of `n` and `n\ufffd` in a database that cuts text at NUL or repairs it. */
const ODD = ['n\0', 'n\0a', 'n\ud800', 'n\udc00'];
/** Reads reports by names that no store can hold, and by an unknown name. */
export async function expectOddNamesAreUnknown(store: OutboxStore): Promise<void> {
  const { outbox } = outboxWorld({ store });
  for (const name of ['n', 'n\ufffd']) await outbox.reportBetEvent(personalBet(name));
  const decisions = {
    retry: (id: string) => outbox.retry(id),
    resolve: (id: string) => outbox.resolve(id, { as: 'dismissed', reason: 'why' }),
  };
  for (const name of ['unknown', ...ODD]) {
    const id = `default:staging:reportBetEvent:${name}`;
    expect(await outbox.get(id)).toBeUndefined();
    expect(await outbox.list({ reference: name })).toEqual([]);
    expect(await listedOneByOne(outbox, name)).toEqual([]);
    for (const [method, decide] of Object.entries(decisions)) {
      const message = `${method}: the outbox has no report ${JSON.stringify(id)}.`;
      await expect(decide(id)).rejects.toMatchObject({ name: 'ValidationError', message });
    }
  }
  expect((await outbox.list()).map(({ reference, state, decisions }) => [reference, state, decisions])).toEqual([
    ['n', 'waiting', []],
    ['n\ufffd', 'waiting', []],
  ]);
}

async function listedOneByOne(outbox: Outbox, reference: string): Promise<unknown[]> {
  const found = [];
  for await (const report of outbox.iterate({ reference })) found.push(report);
  return found;
}
