import type { PaceCount } from '../../../console-store.js';
import type { OutboxEnvironment } from '../../../destination.js';
import { SPANS } from '../../../receipts/pace.js';
import { type Connection, columns } from '../database.js';
import { CLASS_COLUMNS } from './schema.js';

const NUMBERS = ['recorded', 'dismissed', 'sum_ms', ...CLASS_COLUMNS];
const ADD = `INSERT INTO outbox_paces (span, start, account, environment, ${NUMBERS.join(', ')}) VALUES (?, ?, ?, ?, ${NUMBERS.map(() => '?').join(', ')})
  ON CONFLICT (span, start, account, environment) DO UPDATE SET ${NUMBERS.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`;
const READ = `SELECT ${columns(`start, account, environment, ${NUMBERS.join()}`)} FROM outbox_paces WHERE span = ? AND start >= ?`;

/** The counts of recorded reports by time. */
export function createPaces({ first, all, run }: Connection) {
  const reached = (): number => Number(first(`SELECT ${columns('reached')} FROM outbox_paced`)?.reached ?? 0);
  return {
    reached,
    add(from: number, to: number, counts: readonly PaceCount[], now: number): boolean {
      if (reached() !== from) return false;
      run('INSERT INTO outbox_paced (one, reached) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET reached = excluded.reached', to);
      for (const { span, start, account, environment, recorded, dismissed, sumMs, classes } of counts)
        run(ADD, span, start, account, environment, recorded, dismissed, sumMs, ...CLASS_COLUMNS.map((_, place) => classes[place] ?? 0));
      for (const span of ['minute', 'hour'] as const) run('DELETE FROM outbox_paces WHERE span = ? AND start < ?', span, Math.trunc(now - SPANS[span].keptMs));
      return true;
    },
    ended: () =>
      all(
        `SELECT ${columns('account, environment', 'sum(recorded) AS recorded', 'sum(dismissed) AS dismissed')} FROM outbox_paces WHERE span = 'day' GROUP BY account, environment`,
      ).map((found) => ({
        account: String(found.account),
        environment: String(found.environment) as OutboxEnvironment,
        recorded: Number(found.recorded),
        dismissed: Number(found.dismissed),
      })),
    read: (span: PaceCount['span'], since: number): PaceCount[] =>
      all(READ, span, since).map((found) => ({
        span,
        start: Number(found.start),
        account: String(found.account),
        environment: String(found.environment) as OutboxEnvironment,
        recorded: Number(found.recorded),
        dismissed: Number(found.dismissed),
        sumMs: Number(found.sum_ms),
        classes: CLASS_COLUMNS.map((name) => Number(found[name])),
      })),
  };
}
