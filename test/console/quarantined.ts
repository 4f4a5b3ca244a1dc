import type { OutboxStore } from '../../src/entries/outbox.js';
import { change, claim, newRow, QUARANTINED } from '../../src/outbox/contract/harness.js';

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
