import type { OutboxStore } from '../../../src/entries/outbox.js';
import { appendReceipts } from '../../../src/outbox/receipts/log.js';
import { CLAIMANT, change, LEASE_MS, newRow } from '../contract/harness.js';

export const DAY_MS = 24 * 60 * 60 * 1000;
/** More than two steps of pruning. */
export const OLD = 2_500;

/** Enqueues and records reports, with their receipts. `age` makes them old before that. */
export async function recordMany(
  store: OutboxStore,
  prefix = 'OLD',
  count = OLD,
  age?: () => Promise<void>,
): Promise<void> {
  await store.enqueue(Array.from({ length: count }, (_, index) => newRow(`${prefix}-${index}`)));
  const { claimed } = await store.turn({
    writes: [],
    claim: { accounts: [CLAIMANT], limit: count, leaseMs: LEASE_MS },
  });
  await store.turn({
    writes: claimed.map((row) => ({ id: row.id, expected: row, change: change(row) })),
    claim: undefined,
  });
  await age?.();
  await appendReceipts(store);
}
