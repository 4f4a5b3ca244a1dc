import type { Row, RowState } from '../state-machine.js';
import type { Counts } from '../store.js';

/** What was pruned of an account: it goes on being counted. */
export interface PrunedRows {
  readonly before: number;
  recorded: number;
  dismissed: number;
  attempts: number;
}

/** How many rows there are of each state. */
export function countRows(rows: Iterable<Row>, pruned: readonly PrunedRows[]): Counts {
  const sum = (name: 'recorded' | 'dismissed' | 'attempts') => pruned.reduce((total, one) => total + one[name], 0);
  const states: Record<RowState | 'blocked', number> = {
    waiting: 0,
    blocked: 0,
    'in-flight': 0,
    recorded: sum('recorded'),
    quarantined: 0,
    dismissed: sum('dismissed'),
  };
  let oldestOpenAt: number | undefined;
  let attempts = sum('attempts');
  for (const row of rows) {
    states[row.blocked ? 'blocked' : row.state] += 1;
    attempts += row.attempts;
    if (row.state === 'waiting' || row.state === 'in-flight') oldestOpenAt = Math.min(oldestOpenAt ?? row.enqueuedAt, row.enqueuedAt);
  }
  return { states, oldestOpenAt, attempts };
}
