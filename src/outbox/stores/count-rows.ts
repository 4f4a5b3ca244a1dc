import type { Row, RowState } from '../state-machine.js';
import type { Counts } from '../store.js';

/** The pruned rows of an account, which are still counted. */
export interface PrunedRows {
  readonly before: number;
  recorded: number;
  dismissed: number;
  attempts: number;
}

/** The number of rows in each state. */
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
