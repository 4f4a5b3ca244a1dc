import { isOfARow } from '../../intake/insert-batch.js';
import { isFinal, type Row } from '../../rules/state-machine.js';
import { HEAD_OF_THE_QUEUE } from '../claim-order.js';
import type { MovedRows } from '../rows.js';
import { DECISION, decisionValues, PAUSE, pauseValues } from '../sql/reads.js';
import type { PostgresValue, Run } from './database.js';
import { toPostgresJson } from './sql-parts.js';

/**
 * The result of a move. `'there'`: the same data was moved before. `'other'`: the schema holds other data, and nothing
 * was changed.
 */
export type ImportResult = 'moved' | 'there' | 'other';

/** The name of the setting that holds the origin of the moved data. */
const ORIGIN = 'moved-from';

const COLUMNS = `sequence bigint, id text, account text, environment text, operation text, reference text, "waitsFor" text, fingerprint text, "enqueuedAt" bigint,
  state text, final boolean, blocked boolean, fence integer, attempts integer, "inDoubt" boolean, "doubtBefore" boolean, "dueAt" bigint, "changedAt" bigint,
  outcome text, message text, "requestId" text, problem jsonb, decisions jsonb, body text, excerpt text`;

/** The columns that `reports` has for final rows only. For other rows they are in the queue. */
const FINAL_COLUMNS = [
  'state',
  'fence',
  'attempts',
  '"inDoubt"',
  '"doubtBefore"',
  '"dueAt"',
  '"changedAt"',
  'problem',
  'decisions',
];

const addRows = (schema: string): string => `
  WITH given AS MATERIALIZED (SELECT * FROM json_to_recordset($1::text::json) AS (${COLUMNS})),
  added AS (
    INSERT INTO ${schema}.reports (sequence, id, account, environment, operation, reference, waits_for, fingerprint, enqueued_at, outcome, message, request_id, body, excerpt,
      state, fence, attempts, in_doubt, doubt_before, due_at, changed_at, problem, decisions)
    SELECT sequence, id, account, environment, operation, reference, "waitsFor", fingerprint, "enqueuedAt", outcome, message, "requestId", body, excerpt,
      ${FINAL_COLUMNS.map((name) => `CASE WHEN final THEN ${name} END`).join(', ')} FROM given)
  INSERT INTO ${schema}.queue (sequence, account, environment, waits_for, state, blocked, fence, attempts, in_doubt, doubt_before, due_at, changed_at, problem, decisions)
  SELECT sequence, account, environment, "waitsFor", state, blocked, fence, attempts, "inDoubt", "doubtBefore", "dueAt", "changedAt", problem, decisions
  FROM given WHERE NOT final`;

const storable = (row: Row) => ({
  ...row,
  final: isFinal(row.state),
  dueAt: row.fence === 0 ? HEAD_OF_THE_QUEUE : Math.round(row.dueAt),
  changedAt: Math.round(row.changedAt),
});

/** A value without unstorable characters. */
const fitted = <T>(value: T): T => JSON.parse(toPostgresJson(value));

/** Replaces unstorable characters only in texts for people. In an identity they must fail the import. */
const asJson = (row: Row): unknown => {
  const { message = null, problem = null, decisions, ...rest } = storable(row);
  return { ...rest, message: fitted(message), problem: fitted(problem), decisions: fitted(decisions) };
};

/** Writes rows together; after a failure each by itself. Returns those that PostgreSQL refuses, with its errors. */
async function writeRows(run: Run, schema: string, rows: readonly Row[]): Promise<RefusedRow[]> {
  await run('SAVEPOINT rows');
  try {
    await run(addRows(schema), [JSON.stringify(rows.map(asJson))]);
  } catch (error) {
    if (!isOfARow(error)) throw error;
    await run('ROLLBACK TO SAVEPOINT rows');
    const [first] = rows;
    if (first && rows.length === 1) return [{ row: first, error }];
    const refused: RefusedRow[] = [];
    for (const row of rows) refused.push(...(await writeRows(run, schema, [row])));
    return refused;
  }
  await run('RELEASE SAVEPOINT rows');
  return [];
}

const PAUSE_VALUES = '$1::text::integer, $2::text, $3::text, $4::text::bigint, $5::text::integer, $6::text::bigint';
/** Values as they are bound. */
const asTexts = (values: readonly (string | number | null)[]): PostgresValue[] =>
  values.map((value) => (value === null ? null : String(value)));

export interface RefusedRow {
  readonly row: Row;
  readonly error: unknown;
}

/**
 * Imports the complete content of another store, within a transaction that the caller begins and commits. `origin`
 * identifies the data: a second call with the same origin does nothing. Rows keep their numbers, states, fences,
 * attempts, doubts and decisions.
 * `onRefused` gets the rows that PostgreSQL refuses; the other rows are written.
 */
export async function importRows(
  run: Run,
  schema: string,
  moved: MovedRows,
  origin: string,
  onRefused: (refused: RefusedRow) => void,
): Promise<ImportResult> {
  await run(`LOCK TABLE ${schema}.reports, ${schema}.settings IN EXCLUSIVE MODE`);
  const [before] = await run(`SELECT value FROM ${schema}.settings WHERE name = '${ORIGIN}'`);
  if (before) return before.value === origin ? 'there' : 'other';
  const [used] = await run(
    `SELECT (EXISTS (SELECT 1 FROM ${schema}.reports) OR EXISTS (SELECT 1 FROM ${schema}.receipts) OR EXISTS (SELECT 1 FROM ${schema}.settings)
      OR EXISTS (SELECT 1 FROM ${schema}.destinations))::text AS used`,
  );
  if (used?.used !== 'false') return 'other';

  const tally = new Map<string, { recorded: number; dismissed: number; attempts: number }>();
  for (const rows of moved.rows()) {
    for (const refused of await writeRows(run, schema, rows)) onRefused(refused);
    for (const { account, state, attempts } of rows) {
      const counted = tally.get(account) ?? { recorded: 0, dismissed: 0, attempts: 0 };
      if (state === 'recorded' || state === 'dismissed') counted[state] += 1;
      counted.attempts += attempts;
      tally.set(account, counted);
    }
  }
  for (const lines of moved.receipts())
    await run(
      `INSERT INTO ${schema}.receipts (position, id, line) SELECT * FROM json_to_recordset($1::text::json) AS ("index" bigint, id text, line text)`,
      [JSON.stringify(lines.map(({ index, id, line }) => ({ index, id, line })))],
    );
  await run(
    `INSERT INTO ${schema}.unlogged (sequence) SELECT value::bigint FROM json_array_elements_text($1::text::json) WITH ORDINALITY AS u(value, place) ORDER BY place`,
    [JSON.stringify(moved.unlogged)],
  );
  for (const { account, environment, gateway, rebound, pause, breakers } of moved.destinations) {
    await run(
      `INSERT INTO ${schema}.destinations (${PAUSE}, account, environment, gateway, rebound) VALUES (${PAUSE_VALUES}, $7::text, $8::text, $9::text, $10::text::jsonb)`,
      [...asTexts(pauseValues(pause)), account, environment, gateway, toPostgresJson(rebound)],
    );
    for (const one of breakers)
      await run(
        `INSERT INTO ${schema}.breakers (${PAUSE}, account, environment, operation) VALUES (${PAUSE_VALUES}, $7::text, $8::text, $9::text)`,
        [...asTexts(pauseValues(one)), account, environment, one.operation ?? null],
      );
  }
  for (const [name, value] of [...moved.settings, [ORIGIN, origin] as const])
    await run(`INSERT INTO ${schema}.settings (name, value) VALUES ($1::text, $2::text)`, [name, value]);
  for (const [account, { recorded, dismissed, attempts }] of tally)
    await run(
      `INSERT INTO ${schema}.tally (account, part, recorded, dismissed, attempts) VALUES ($1::text, 0, $2::text::bigint, $3::text::bigint, $4::text::bigint)`,
      [account, String(recorded), String(dismissed), String(attempts)],
    );
  await importDecisions(run, schema, moved);
  await run(
    `SELECT setval('${schema}.reports_sequence_seq', greatest(1, (SELECT max(sequence) FROM ${schema}.reports)))::text AS set`,
  );
  return 'moved';
}

/** Imports the decisions of another store, as a part of its move. */
async function importDecisions(
  run: Run,
  schema: string,
  { decisions, steps }: Pick<MovedRows, 'decisions' | 'steps'>,
): Promise<void> {
  for (const one of decisions)
    await run(
      `INSERT INTO ${schema}.decisions (${DECISION})
        VALUES ($1::text::bigint, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text::bigint, $8::text::bigint, $9::text::bigint, $10::text::bigint, $11::text::bigint,
          $12::text::boolean, $13::text)`,
      asTexts(decisionValues(one)),
    );
  for (const { id, from, sequences } of steps)
    await run(
      `INSERT INTO ${schema}.decision_steps (decision, began, sequences) VALUES ($1::text, $2::text::bigint, $3::text::json)`,
      [id, String(from), JSON.stringify(sequences)],
    );
  await run(
    `SELECT setval('${schema}.decisions_place_seq', greatest(1, (SELECT max(place) FROM ${schema}.decisions)))::text AS set`,
  );
}
