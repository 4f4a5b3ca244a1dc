import type { OutboxStore } from '../../../src/entries/outbox.js';
import type { DecideRequest } from '../../../src/operator/decide.js';
import type { Groups } from '../../../src/operator/groups.js';
import { change, claim, newRow, QUARANTINED } from '../../outbox/contract/harness.js';

const PROBLEM = { code: 'unprocessable', message: 'the gateway refused the report (HTTP 422).', status: 422 } as const;

/** Quarantines many new reports with the same problem, in few commits. */
export async function quarantineMany(store: OutboxStore, count: number): Promise<void> {
  await store.enqueue(Array.from({ length: count }, (_, index) => newRow(`B-${index}`)));
  const rows = await claim(store, count);
  const writes = rows.map((row) => ({
    id: row.id,
    expected: { state: row.state, fence: row.fence },
    change: change(row, { ...QUARANTINED, problem: PROBLEM }),
  }));
  await store.turn({ writes, claim: undefined });
}

/** A retry of the first group that the console shows. */
export function retryOf({ groups: [group], now }: Pick<Groups, 'groups' | 'now'>): Omit<DecideRequest, 'who'> {
  if (!group) throw new Error('expected a group');
  const { account, environment, code, words } = group;
  return {
    decision: crypto.randomUUID(),
    action: 'retry',
    selection: { group: { account, environment, code, words } },
    asOf: now,
    reason: 'the deploy was mended',
  };
}
