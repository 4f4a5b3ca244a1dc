import { isOfARow } from '../../intake/insert-batch.js';
import { isFinal, type Row } from '../../state-machine.js';
import { HEAD_OF_THE_QUEUE } from '../head-of-queue.js';
import type { MovedRows } from '../moved-rows.js';
import { importDecisions } from './console/decisions.js';
import type { Run } from './database.js';
import { toPostgresJson } from './turn.js';

/** The result of a move. `'there'`: the same data was moved before. `'other'`: the schema holds other data, and nothing was changed. */
export type ImportResult = 'moved' | 'there' | 'other';

/** The name of the setting that holds the origin of the moved data. */
const ORIGIN = 'moved-from';

const COLUMNS = `sequence bigint, id text, account text, environment text, operation text, reference text, "waitsFor" text, fingerprint text, "enqueuedAt" bigint,
  state text, final boolean, blocked boolean, fence integer, attempts integer, "inDoubt" boolean, "doubtBefore" boolean, "dueAt" bigint, "changedAt" bigint,
  outcome text, message text, "requestId" text, problem jsonb, decisions jsonb, body text`;

/** The columns that `reports` has for final rows only. For other rows they are in the queue. */
const FINAL_COLUMNS = ['state', 'fence', 'attempts', '"inDoubt"', '"doubtBefore"', '"dueAt"', '"changedAt"', 'problem', 'decisions'];

const addRows = (schema: string): string => `
  WITH given AS MATERIALIZED (SELECT * FROM json_to_recordset($1::text::json) AS (${COLUMNS})),
  added AS (
    INSERT INTO ${schema}.reports (sequence, id, account, environment, operation, reference, waits_for, fingerprint, enqueued_at, outcome, message, request_id, body,
      state, fence, attempts, in_doubt, doubt_before, due_at, changed_at, problem, decisions)
    SELECT sequence, id, account, environment, operation, reference, "waitsFor", fingerprint, "enqueuedAt", outcome, message, "requestId", body,
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

/** Replaces unstorable characters only in messages and problems. In an identity they must fail the import. */
const asJson = (row: Row): unknown => {
  const { message, problem, ...rest } = storable(row);
  return {
    ...rest,
    message: message === undefined ? null : JSON.parse(toPostgresJson(message)),
    problem: problem === undefined ? null : JSON.parse(toPostgresJson(problem)),
  };
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

/** A row that the target refuses. */
export interface RefusedRow {
  readonly row: Row;
  readonly error: unknown;
}

/**
 * Imports the complete content of another store, within a transaction that the caller begins and commits. `origin` identifies the
 * data: a second call with the same origin does nothing. Rows keep their numbers, states, fences, attempts, doubts and decisions.
 * `onRefused` gets the rows that PostgreSQL refuses; the other rows are written.
 */
export async function importRows(
  run: Run,
  schema: string,
  moved: MovedRows,
  origin: string,
  onRows: (count: number) => void,
  onRefused: (refused: RefusedRow) => void = ({ error }) => {
    throw error;
  },
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
  let count = 0;
  for (const rows of moved.rows()) {
    for (const refused of await writeRows(run, schema, rows)) onRefused(refused);
    for (const { account, state, attempts } of rows) {
      const counted = tally.get(account) ?? { recorded: 0, dismissed: 0, attempts: 0 };
      if (state === 'recorded' || state === 'dismissed') counted[state] += 1;
      counted.attempts += attempts;
      tally.set(account, counted);
    }
    count += rows.length;
    onRows(count);
  }
  for (const lines of moved.receipts())
    await run(`INSERT INTO ${schema}.receipts (position, id, line) SELECT * FROM json_to_recordset($1::text::json) AS ("index" bigint, id text, line text)`, [
      JSON.stringify(lines.map(({ index, id, line }) => ({ index, id, line }))),
    ]);
  await run(
    `INSERT INTO ${schema}.unlogged (sequence) SELECT value::bigint FROM json_array_elements_text($1::text::json) WITH ORDINALITY AS u(value, place) ORDER BY place`,
    [JSON.stringify(moved.unlogged)],
  );
  for (const { account, environment, gateway, rebound, pause } of moved.destinations) {
    const { version, reason, message, since, strikes, until } = pause;
    await run(
      `INSERT INTO ${schema}.destinations (account, environment, gateway, rebound, version, reason, message, since, strikes, until)
        VALUES ($1::text, $2::text, $3::text, $4::text::jsonb, $5::text::integer, $6::text, $7::text, $8::text::bigint, $9::text::integer, $10::text::bigint)`,
      [
        ...[account, environment, gateway, toPostgresJson(rebound)],
        ...[String(version), reason ?? null, message ?? null, String(Math.round(since)), String(strikes), String(Math.round(until))],
      ],
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
  await run(`SELECT setval('${schema}.reports_sequence_seq', greatest(1, (SELECT max(sequence) FROM ${schema}.reports)))::text AS set`);
  return 'moved';
}
