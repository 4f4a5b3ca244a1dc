import { isFinal, type RowState } from '../../outbox/state-machine.js';
import type { Counts, OutboxStore } from '../../outbox/store.js';
import type { Narrowing } from './options.js';
import { counted, startProgress } from './progress.js';
import { scan } from './scan.js';

/** Counts the rows of an environment or an operation one by one, since a store counts whole accounts only. */
export async function countRows(store: OutboxStore, { account, environment, operation }: Narrowing): Promise<Counts> {
  const states: Record<RowState | 'blocked', number> = { waiting: 0, blocked: 0, 'in-flight': 0, recorded: 0, quarantined: 0, dismissed: 0 };
  let oldestOpenAt: number | undefined;
  let attempts = 0;
  const progress = startProgress('Counted');
  for await (const row of counted(scan(store, { account, environment, operation }), progress)) {
    states[row.blocked ? 'blocked' : row.state] += 1;
    attempts += row.attempts;
    if (!isFinal(row.state) && row.state !== 'quarantined') oldestOpenAt = Math.min(oldestOpenAt ?? row.enqueuedAt, row.enqueuedAt);
  }
  progress.end();
  return { states, oldestOpenAt, attempts };
}
