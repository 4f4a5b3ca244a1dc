import { erasedMark } from '../../seal/excerpt.js';
import type { DecisionStep, ErasedRow, NewDecision } from '../../store/operator-store.js';
import type { Run } from './database.js';
import type { PostgresValue } from './driver.js';
import { CLOCK, isOpenBefore, NOW_MS, toPostgresJson } from './sql-parts.js';
import { changedDue } from './turn.js';

export function createDecisions(run: Run, schema: string) {
  return {
    /**
     * Adds and marks in one statement. Another statement reads the decision, since another process may have added it in
     * the meantime.
     */
    async add({ id, action, who, reason, about, asOf, done, undoes }: NewDecision): Promise<void> {
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
          INSERT INTO ${schema}.decisions (id, action, who, reason, about, as_of, at, done)
          SELECT $1::text, $2::text, $3::text, $4::text, $5::text, coalesce($6::text::bigint, clock.now), clock.now, $7::text::boolean FROM ${CLOCK}
          ON CONFLICT (id) DO NOTHING RETURNING id)
        UPDATE ${schema}.decisions AS d SET undone_by = added.id FROM added WHERE d.id = $8::text AND d.undone_by IS NULL`,
        values,
      );
    },
    async step(step: DecisionStep): Promise<readonly boolean[] | undefined> {
      const writes = step.writes.map(({ id, sequence, expected: { state, fence }, change }) => ({
        id,
        sequence,
        expected: { state, fence },
        change: { ...change, delayMs: Math.round(change.delayMs) },
      }));
      const [found] = await run(`SELECT ${schema}.decide($1::text::jsonb) AS written`, [
        toPostgresJson({ ...step, writes }),
      ]);
      return typeof found?.written === 'string' ? (JSON.parse(found.written) as boolean[]) : undefined;
    },
  };
}

/**
 * One commit of a decision. Rows that stay open are changed together, which costs a tenth of single changes. Rows that
 * become final, are reopened or replaced are written by `turn`. If two processes carry out the same decision, a lock
 * lets only one of them make each step.
 */
export const stepFunction = (schema: string): string => `
  CREATE FUNCTION ${schema}.decide(request jsonb) RETURNS text LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $decide$
  DECLARE
    now_ms bigint := ${NOW_MS};
    wanted jsonb := request -> 'writes';
    given bigint[];
    matched bigint[];
    answer json;
  BEGIN
    UPDATE ${schema}.decisions AS d SET cursor = (request ->> 'to')::bigint, done = (request ->> 'done')::boolean
      WHERE d.id = request ->> 'id' AND d.cursor = (request ->> 'from')::bigint AND NOT d.done AND d.undone_by IS NULL;
    IF NOT FOUND THEN RETURN NULL; END IF;
    IF wanted #>> '{0,change,state}' IN ('recorded', 'dismissed') OR wanted #>> '{0,expected,state}' = 'dismissed' OR wanted #> '{0,change,replacement}' IS NOT NULL THEN
      answer := ${schema}.turn(jsonb_build_object('writes', wanted))::json -> 'written';
      SELECT array_agg((w.value ->> 'sequence')::bigint) INTO matched FROM jsonb_array_elements(wanted) WITH ORDINALITY AS w(value, place)
        WHERE (answer ->> (w.place - 1)::integer)::boolean;
    ELSE
      SELECT array_agg((w.value ->> 'sequence')::bigint) INTO given FROM jsonb_array_elements(wanted) AS w(value);
      -- In the order of numbers, so that two decisions with the same rows cause no deadlock.
      PERFORM q.sequence FROM ${schema}.queue AS q WHERE q.sequence = ANY (given) ORDER BY q.sequence FOR UPDATE;
      WITH changed AS (
        UPDATE ${schema}.queue AS q SET state = c.state, fence = c.fence, in_doubt = c."inDoubt", doubt_before = c."doubtBefore", due_at = ${changedDue('c')},
          changed_at = now_ms, problem = c.problem, decisions = c.decisions, parked = false,
          blocked = c.state = 'waiting' AND q.waits_for IS NOT NULL AND ${isOpenBefore(schema, 'q.waits_for')}
        FROM (SELECT (w.value ->> 'sequence')::bigint AS sequence, w.value -> 'expected' AS expected, k.* FROM jsonb_array_elements(wanted) AS w(value) CROSS JOIN LATERAL
          jsonb_to_record(w.value -> 'change') AS k(state text, fence integer, "inDoubt" boolean, "doubtBefore" boolean, "delayMs" bigint, problem jsonb, decisions jsonb)) AS c
        WHERE q.sequence = ANY (given) AND q.sequence = c.sequence AND q.state = c.expected ->> 'state' AND q.fence = (c.expected ->> 'fence')::integer
        RETURNING q.sequence)
      SELECT array_agg(changed.sequence ORDER BY changed.sequence) INTO matched FROM changed;
      SELECT json_agg((w.value ->> 'sequence')::bigint = ANY (coalesce(matched, '{}')) ORDER BY w.place) INTO answer
        FROM jsonb_array_elements(wanted) WITH ORDINALITY AS w(value, place);
    END IF;
    UPDATE ${schema}.decisions AS d SET touched = d.touched + coalesce(cardinality(matched), 0),
      skipped = d.skipped + (request ->> 'skipped')::bigint + jsonb_array_length(wanted) - coalesce(cardinality(matched), 0) WHERE d.id = request ->> 'id';
    IF matched IS NOT NULL THEN
      INSERT INTO ${schema}.decision_steps (decision, began, sequences) VALUES (request ->> 'id', (request ->> 'from')::bigint, array_to_json(matched));
    END IF;
    RETURN coalesce(answer, '[]')::text;
  END $decide$;
`;

export async function eraseRows(
  run: Run,
  schema: string,
  decision: string,
  rows: readonly ErasedRow[],
): Promise<number> {
  const [found] = await run(
    `WITH erased AS (
      UPDATE ${schema}.reports AS r SET body = NULL, excerpt = $1::text, fence = r.fence + 1
      FROM json_to_recordset($2::text::json) AS e(sequence bigint, fence integer)
      WHERE r.sequence = e.sequence AND r.fence = e.fence
        AND r.state IN ('recorded', 'dismissed') AND (r.body IS NOT NULL OR r.excerpt IS NOT NULL) RETURNING 1),
    counted AS (
      UPDATE ${schema}.decisions AS d SET touched = d.touched + (SELECT count(*) FROM erased) WHERE d.id = $3::text)
    SELECT count(*)::text AS erased FROM erased`,
    [erasedMark(decision), JSON.stringify(rows.map(({ sequence, fence }) => ({ sequence, fence }))), decision],
  );
  return Number(found?.erased ?? 0);
}
