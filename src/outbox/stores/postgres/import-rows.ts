import { isStoreError } from '../../../core/errors/store-error.js';
import type { Pause } from '../../rules/pause.js';
import type { KeptRate } from '../../rules/rate.js';
import { isFinal, type Row } from '../../rules/state-machine.js';
import { HEAD_OF_THE_QUEUE } from '../claim-order.js';
import type { MovedRows } from '../moved-rows.js';
import type { Run } from './database.js';
import { toPostgresJson } from './sql-parts.js';

const ORIGIN = 'moved-from';

const fitted = <T>(value: T): T => JSON.parse(toPostgresJson(value));

/** The columns that `reports` has for final rows only. For other rows they are in the queue. */
const progressOf = (row: Row) => ({
  state: row.state,
  fence: row.fence,
  attempts: row.attempts,
  in_doubt: row.inDoubt,
  doubt_before: row.doubtBefore,
  due_at: row.fence === 0 ? HEAD_OF_THE_QUEUE : Math.round(row.dueAt),
  changed_at: Math.round(row.changedAt),
  problem: fitted(row.problem ?? null),
  decisions: fitted(row.decisions),
});

const placeOf = ({ sequence, account, environment, waitsFor }: Row) => ({
  sequence,
  account,
  environment,
  waits_for: waitsFor,
});

const reportOf = (row: Row) => ({
  ...placeOf(row),
  ...Object.fromEntries(
    Object.entries(progressOf(row)).map(([name, value]) => [name, isFinal(row.state) ? value : null]),
  ),
  id: row.id,
  operation: row.operation,
  reference: row.reference,
  fingerprint: row.fingerprint,
  enqueued_at: row.enqueuedAt,
  outcome: row.outcome,
  message: fitted(row.message ?? null),
  request_id: row.requestId,
  body: row.body,
  excerpt: row.excerpt,
});

const queuedOf = (row: Row) => ({ ...placeOf(row), ...progressOf(row), blocked: row.blocked });

const pauseOf = ({ version, reason, message, triedAt, since, strikes, until }: Pause) => ({
  ...{ version, reason, message, strikes },
  tried_at: Math.round(triedAt),
  since: Math.round(since),
  until: Math.round(until),
});

/** A moved rate has its age at the time 0. */
const rateOf = ({ perSecond, spanMs, ageMs }: KeptRate = { perSecond: 0, spanMs: 0, ageMs: 0 }) => ({
  rate: Math.round(perSecond * 1_000),
  rate_span: spanMs,
  rate_since: -ageMs,
});

export interface RefusedRow {
  readonly row: Row;
  readonly error: unknown;
}

interface Imported {
  /** `'there'`: the same data was moved before. `'other'`: the schema holds other data, and nothing was changed. */
  readonly arrival: 'moved' | 'there' | 'other';
  readonly refused: readonly RefusedRow[];
}

/**
 * Imports the complete content of another store, within a transaction that the caller begins and commits. `origin`
 * identifies the data: a second call with the same origin does nothing. Rows keep their numbers, states, fences,
 * attempts, doubts and decisions.
 */
export async function importRows(run: Run, moved: MovedRows, origin: string): Promise<Imported> {
  await run(`LOCK TABLE schema.reports, schema.settings IN EXCLUSIVE MODE`);
  const [before] = await run(`SELECT value FROM schema.settings WHERE name = '${ORIGIN}'`);
  if (before) return { arrival: before.value === origin ? 'there' : 'other', refused: [] };
  const [used] = await run(
    `SELECT (EXISTS (SELECT 1 FROM schema.reports) OR EXISTS (SELECT 1 FROM schema.receipts) OR EXISTS (SELECT 1 FROM schema.settings)
      OR EXISTS (SELECT 1 FROM schema.destinations))::text AS used`,
  );
  if (used?.used !== 'false') return { arrival: 'other', refused: [] };

  /** Inserts objects whose members are columns. All have the members of the first; an undefined one is NULL. */
  async function fill(table: string, objects: readonly object[], toJson = toPostgresJson): Promise<void> {
    const columns = Object.keys(objects[0] ?? {}).join(', ');
    if (columns !== '')
      await run(
        `INSERT INTO schema.${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::schema.${table}, $1::text::json)`,
        [toJson(objects)],
      );
  }

  /**
   * Writes rows together; after a failure each by itself. Returns those that are refused. An unstorable character in an
   * identity must fail.
   */
  async function writeRows(rows: readonly Row[]): Promise<RefusedRow[]> {
    await run('SAVEPOINT rows');
    try {
      await fill('reports', rows.map(reportOf), JSON.stringify);
      await fill('queue', rows.filter(({ state }) => !isFinal(state)).map(queuedOf), JSON.stringify);
    } catch (error) {
      if (!(isStoreError(error) && error.concerns === 'row')) throw error;
      await run('ROLLBACK TO SAVEPOINT rows');
      const [first] = rows;
      if (first && rows.length === 1) return [{ row: first, error }];
      const refused: RefusedRow[] = [];
      for (const row of rows) refused.push(...(await writeRows([row])));
      return refused;
    }
    await run('RELEASE SAVEPOINT rows');
    return [];
  }

  const refused: RefusedRow[] = [];
  for (const rows of moved.rows()) refused.push(...(await writeRows(rows)));
  await fill('tally', moved.tally);
  for (const lines of moved.receipts())
    await fill(
      'receipts',
      lines.map(({ index, id, line }) => ({ position: index, id, line })),
    );
  await fill(
    'unlogged',
    moved.unlogged.map((sequence) => ({ sequence })),
  );
  await fill(
    'destinations',
    moved.destinations.map(({ account, environment, gateway, rebound, pause, rate }) => ({
      ...{ account, environment, gateway, rebound },
      ...pauseOf(pause),
      ...rateOf(rate),
    })),
  );
  await fill(
    'breakers',
    moved.destinations.flatMap(({ account, environment, breakers }) =>
      breakers.map((one) => ({ account, environment, operation: one.operation, ...pauseOf(one) })),
    ),
  );
  await fill(
    'settings',
    [...moved.settings, [ORIGIN, origin] as const].map(([name, value]) => ({ name, value })),
  );
  await fill(
    'decisions',
    moved.decisions.map(({ number: place, asOf, at, undoneBy, ...decision }) => ({
      ...decision,
      place,
      as_of: Math.trunc(asOf),
      at: Math.trunc(at),
      undone_by: undoneBy,
    })),
  );
  await fill(
    'decision_steps',
    moved.steps.map(({ id, from, sequences }) => ({ decision: id, began: from, sequences })),
  );
  for (const [name, latest] of [
    ['reports_sequence', moved.latest],
    ['decisions_place', moved.decisions.at(-1)?.number ?? 0],
  ] as const)
    await run(`SELECT setval('schema.${name}_seq', greatest(1, $1::text::bigint))::text AS set`, [String(latest)]);
  return { arrival: 'moved', refused };
}
