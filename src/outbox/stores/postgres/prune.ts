import { DAY_MS, type PruneRequest, type PruneStep, prunedSetting } from '../../retention.js';
import type { Run } from './database.js';
import { STATEMENT_MS } from './tables.js';

/**
 * Deletes old final rows in the order of enqueueing, which is nearly that of ending. Workers never write final rows, so a step waits
 * only for another step. One statement deletes the rows and stores the time. The limit is part of the text, so that the planner
 * knows that the page is small.
 */
export async function pruneStep(run: Run, schema: string, { account, olderThanMs, after, limit }: PruneRequest): Promise<PruneStep> {
  const [found] = await run(
    `WITH cut AS (SELECT (${STATEMENT_MS} - $2::text::bigint) / ${DAY_MS} * ${DAY_MS} AS before),
    page AS MATERIALIZED (
      SELECT r.sequence, r.enqueued_at < cut.before AS old, r.account = $1::text AND r.state IN ('recorded', 'dismissed') AND r.changed_at < cut.before
        AND NOT EXISTS (SELECT 1 FROM ${schema}.unlogged AS u WHERE u.sequence = r.sequence) AS ripe
      FROM ${schema}.reports AS r CROSS JOIN cut WHERE r.sequence > $3::text::bigint ORDER BY r.sequence LIMIT ${Math.trunc(limit)}),
    gone AS (DELETE FROM ${schema}.reports AS r USING page WHERE page.ripe AND r.sequence = page.sequence RETURNING 1),
    kept AS (
      INSERT INTO ${schema}.settings (name, value) SELECT $4::text || cut.before, cut.before::text FROM cut WHERE EXISTS (SELECT 1 FROM page WHERE ripe)
      ON CONFLICT (name) DO NOTHING)
    SELECT (SELECT count(*) FROM gone)::text AS pruned, (SELECT CASE WHEN bool_or(page.old) THEN max(page.sequence) END FROM page)::text AS next`,
    [account, String(Math.round(olderThanMs)), String(after), prunedSetting(account)],
  );
  return { pruned: Number(found?.pruned ?? 0), next: typeof found?.next === 'string' ? Number(found.next) : undefined };
}

/** Rows of this account that ended before this time may have been pruned. */
export async function readPrunedBefore(run: Run, schema: string, account: string): Promise<number | undefined> {
  const [found] = await run(`SELECT max(value::bigint)::text AS before FROM ${schema}.settings WHERE starts_with(name, $1::text)`, [prunedSetting(account)]);
  return typeof found?.before === 'string' ? Number(found.before) : undefined;
}
