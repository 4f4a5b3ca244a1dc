import { DAY_MS } from '../../../core/platform/time.js';
import { prunedSetting } from '../../rules/retention.js';
import type { OutboxStore, ReceiptLog } from '../../store/store.js';
import type { Run } from './database.js';
import { readRow, STATEMENT_MS, selectBodiless } from './sql-parts.js';

interface FinalRows extends Required<Pick<OutboxStore, 'prune'>> {
  readonly receipts: Pick<ReceiptLog, 'unlogged' | 'append'>;
}

export const createFinalRows = (run: Run): FinalRows => ({
  receipts: {
    unlogged: async (limit) => {
      const some = `SELECT ended, sequence FROM schema.unlogged ORDER BY ended LIMIT $1::text::bigint`;
      return (await run(selectBodiless(some, 'ORDER BY looked.ended'), [String(limit)])).map(readRow);
    },
    append: async (lines) => {
      const [found] = await run(`SELECT schema.append($1::text::json)::text AS appended`, [
        JSON.stringify(lines.map(({ index, id, line }) => ({ position: index, id, line }))),
      ]);
      return found?.appended === 'true';
    },
  },
  /**
   * Deletes old final rows in the order of enqueueing, which is nearly that of ending. Workers never write final rows, so
   * a step waits only for another step. A row that a person has reopened in the meantime is checked again and stays. One
   * statement deletes the rows and stores the time. The limit is part of the text, so that the planner knows that the
   * page is small.
   */
  async prune({ account, olderThanMs, after, limit }) {
    const [found] = await run(
      `WITH cut AS (SELECT (${STATEMENT_MS} - $2::text::bigint) / ${DAY_MS} * ${DAY_MS} AS before),
      page AS MATERIALIZED (
        SELECT r.sequence, r.enqueued_at < cut.before AS old, r.account = $1::text AND r.state IN ('recorded', 'dismissed') AND r.changed_at < cut.before
          AND NOT EXISTS (SELECT 1 FROM schema.unlogged AS u WHERE u.sequence = r.sequence) AS ripe
        FROM schema.reports AS r CROSS JOIN cut WHERE r.sequence > $3::text::bigint ORDER BY r.sequence LIMIT ${Math.trunc(limit)}),
      gone AS (DELETE FROM schema.reports AS r USING page, cut WHERE page.ripe AND r.sequence = page.sequence
        AND r.state IN ('recorded', 'dismissed') AND r.changed_at < cut.before RETURNING 1),
      kept AS (
        INSERT INTO schema.settings (name, value) SELECT $4::text || cut.before, cut.before::text FROM cut WHERE EXISTS (SELECT 1 FROM page WHERE ripe)
        ON CONFLICT (name) DO NOTHING)
      SELECT (SELECT count(*) FROM gone)::text AS pruned, (SELECT CASE WHEN bool_or(page.old) THEN max(page.sequence) END FROM page)::text AS next`,
      [account, String(Math.round(olderThanMs)), String(after), prunedSetting(account)],
    );
    return {
      pruned: Number(found?.pruned ?? 0),
      next: typeof found?.next === 'string' ? Number(found.next) : undefined,
    };
  },
});
