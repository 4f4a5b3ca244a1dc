import type { DecisionStep, KeptDecision, NewDecision } from '../../../console-store.js';
import type { MovedRows } from '../../moved-rows.js';
import type { Columns, PostgresValue, Run } from '../database.js';
import { toPostgresJson } from '../turn.js';

const COLUMNS = `json_build_object('id', d.id, 'action', d.action, 'who', d.who, 'reason', d.reason, 'about', d.about, 'asOf', d.as_of, 'at', d.at, 'place', d.place,
  'cursor', d.cursor, 'touched', d.touched, 'skipped', d.skipped, 'done', d.done, 'undoneBy', d.undone_by)::text AS decision`;
const NOW = '(SELECT (floor(extract(epoch FROM clock_timestamp()) * 1000))::bigint AS now OFFSET 0) AS clock';

function keptOf({ decision }: Columns): KeptDecision {
  const { undoneBy, ...found } = JSON.parse(decision ?? 'null') as KeptDecision & { readonly undoneBy: string | null | undefined };
  return { ...found, undoneBy: undoneBy ?? undefined };
}

/** The decisions of the console. */
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
    /** Adds and marks in one statement. A second statement reads the decision, since another process may have added it in the meantime. */
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
      if (!kept) throw new Error('The decision that was just written cannot be read.');
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

/** Imports the decisions of another store, as a part of its move. */
export async function importDecisions(run: Run, schema: string, { decisions, steps }: Pick<MovedRows, 'decisions' | 'steps'>): Promise<void> {
  for (const { place, id, action, who, reason, about, asOf, at, cursor, touched, skipped, done, undoneBy } of decisions)
    await run(
      `INSERT INTO ${schema}.decisions (place, id, action, who, reason, about, as_of, at, cursor, touched, skipped, done, undone_by)
        VALUES ($1::text::bigint, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text::bigint, $8::text::bigint, $9::text::bigint, $10::text::bigint, $11::text::bigint,
          $12::text::boolean, $13::text)`,
      [
        String(place),
        id,
        action,
        who,
        reason,
        about,
        ...[asOf, at, cursor, touched, skipped].map((number) => String(Math.trunc(number))),
        String(done),
        undoneBy ?? null,
      ],
    );
  for (const { id, from, sequences } of steps)
    await run(`INSERT INTO ${schema}.decision_steps (decision, began, sequences) VALUES ($1::text, $2::text::bigint, $3::text::json)`, [
      id,
      String(from),
      JSON.stringify(sequences),
    ]);
  await run(`SELECT setval('${schema}.decisions_place_seq', greatest(1, (SELECT max(place) FROM ${schema}.decisions)))::text AS set`);
}
