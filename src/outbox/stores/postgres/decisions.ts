import { erasedMark } from '../../seal/excerpt.js';
import type { NewDecision, OperatorStore } from '../../store/operator-store.js';
import type { Run } from './database.js';
import type { PostgresValue } from './driver.js';
import { NOW_MS, toPostgresJson, wholeDelay } from './sql-parts.js';

interface Decisions extends Pick<OperatorStore, 'step' | 'erase'> {
  add(decision: NewDecision): Promise<void>;
}

export const createDecisions = (run: Run): Decisions => ({
  /**
   * Adds and marks in one statement. Another statement reads the decision, since another process may have added it in
   * the meantime.
   */
  async add({ id, action, who, reason, about, asOf, done, undoes }) {
    const values: PostgresValue[] = [
      id,
      action,
      who,
      reason,
      about,
      asOf === undefined ? null : String(Math.trunc(asOf)),
      String(done),
      undoes ?? null,
    ];
    await run(
      `WITH added AS (
        INSERT INTO schema.decisions (id, action, who, reason, about, as_of, at, done)
        SELECT $1::text, $2::text, $3::text, $4::text, $5::text, coalesce($6::text::bigint, clock.now), clock.now, $7::text::boolean FROM (SELECT ${NOW_MS} AS now OFFSET 0) AS clock
        ON CONFLICT (id) DO NOTHING RETURNING id)
      UPDATE schema.decisions AS d SET undone_by = added.id FROM added WHERE d.id = $8::text AND d.undone_by IS NULL`,
      values,
    );
  },
  /** Writes a step in one statement: `schema/decide.sql`. */
  async step(step) {
    const writes = step.writes.map((one) => ({ ...one, change: wholeDelay(one.change) }));
    const [found] = await run(`SELECT schema.decide($1::text::jsonb) AS written`, [
      toPostgresJson({ ...step, writes }),
    ]);
    return typeof found?.written === 'string' ? (JSON.parse(found.written) as boolean[]) : undefined;
  },
  async erase(decision, rows) {
    const [found] = await run(
      `WITH erased AS (
        UPDATE schema.reports AS r SET body = NULL, excerpt = $1::text, fence = r.fence + 1
        FROM json_to_recordset($2::text::json) AS e(sequence bigint, fence integer)
        WHERE r.sequence = e.sequence AND r.fence = e.fence
          AND r.state IN ('recorded', 'dismissed') AND (r.body IS NOT NULL OR r.excerpt IS NOT NULL) RETURNING 1),
      counted AS (
        UPDATE schema.decisions AS d SET touched = d.touched + (SELECT count(*) FROM erased) WHERE d.id = $3::text)
      SELECT count(*)::text AS erased FROM erased`,
      [erasedMark(decision), JSON.stringify(rows.map(({ sequence, fence }) => ({ sequence, fence }))), decision],
    );
    return Number(found?.erased ?? 0);
  },
});
