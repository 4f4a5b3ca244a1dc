import type { DecisionStep, KeptDecision, NewDecision } from '../../../console-store.js';
import type { Columns, PostgresValue, Run } from '../database.js';
import { toPostgresJson } from '../turn.js';

const COLUMNS = `json_build_object('id', d.id, 'action', d.action, 'who', d.who, 'reason', d.reason, 'about', d.about, 'asOf', d.as_of, 'at', d.at, 'place', d.place,
  'cursor', d.cursor, 'touched', d.touched, 'skipped', d.skipped, 'done', d.done, 'undoneBy', d.undone_by)::text AS decision`;
const NOW = '(SELECT (floor(extract(epoch FROM clock_timestamp()) * 1000))::bigint AS now OFFSET 0) AS clock';

function keptOf({ decision }: Columns): KeptDecision {
  const { undoneBy, ...found } = JSON.parse(decision ?? 'null') as KeptDecision & { readonly undoneBy: string | null | undefined };
  return { ...found, undoneBy: undoneBy ?? undefined };
}

/** What was decided. */
export function createDecisions(run: Run, schema: string) {
  async function find(id: string): Promise<KeptDecision | undefined> {
    const [found] = await run(`SELECT ${COLUMNS} FROM ${schema}.decisions AS d WHERE d.id = $1::text`, [id]);
    return found && keptOf(found);
  }

  return {
    find,
    async list(before: number | undefined, limit: number): Promise<KeptDecision[]> {
      const values = [String(before ?? Number.MAX_SAFE_INTEGER), String(limit)];
      const found = await run(
        `SELECT ${COLUMNS} FROM ${schema}.decisions AS d WHERE d.place < $1::text::bigint ORDER BY d.place DESC LIMIT $2::text::bigint`,
        values,
      );
      return found.map(keptOf);
    },
    /** Adds and marks in one statement; the second one sees what another process has committed meanwhile. */
    async begin({ id, action, who, reason, about, asOf, done, undoes }: NewDecision): Promise<KeptDecision> {
      const values: PostgresValue[] = [id, action, who, reason, about, asOf === undefined ? null : String(Math.trunc(asOf)), String(done), undoes ?? null];
      await run(
        `WITH added AS (
          INSERT INTO ${schema}.decisions (id, action, who, reason, about, as_of, at, done)
          SELECT $1::text, $2::text, $3::text, $4::text, $5::text, coalesce($6::text::bigint, clock.now), clock.now, $7::text::boolean FROM ${NOW}
          ON CONFLICT (id) DO NOTHING RETURNING id)
        UPDATE ${schema}.decisions AS d SET undone_by = added.id FROM added WHERE d.id = $8::text AND d.undone_by IS NULL`,
        values,
      );
      const kept = await find(id);
      if (!kept) throw new Error('The decision that was just written is not there.');
      return kept;
    },
    async step(step: DecisionStep): Promise<readonly boolean[] | undefined> {
      const rounded = step.writes.map((one) => ({ ...one, change: { ...one.change, delayMs: Math.round(one.change.delayMs) } }));
      const writes = rounded.map(({ id, sequence, expected: { state, fence }, change }) => ({ id, sequence, expected: { state, fence }, change }));
      const [found] = await run(`SELECT ${schema}.decide($1::text::jsonb) AS written`, [toPostgresJson({ ...step, writes })]);
      return typeof found?.written === 'string' ? (JSON.parse(found.written) as boolean[]) : undefined;
    },
    async touched(id: string, after: number): Promise<{ from: number; sequences: number[] } | undefined> {
      const [found] = await run(
        `SELECT s.began::text AS began, s.sequences::text AS sequences FROM ${schema}.decision_steps AS s
          WHERE s.decision = $1::text AND s.began > $2::text::bigint ORDER BY s.began LIMIT 1`,
        [id, String(after)],
      );
      return found && { from: Number(found.began), sequences: JSON.parse(found.sequences ?? '[]') as number[] };
    },
  };
}
