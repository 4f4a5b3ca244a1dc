import { otherGateway } from '../../destination.js';
import type { Row } from '../../state-machine.js';
import type { Enqueued, NewRow } from '../../store.js';
import { HEAD_OF_THE_QUEUE } from '../head-of-queue.js';
import { newRow } from '../new-row.js';
import { isStorable } from '../storable.js';
import type { Columns, PostgresValue, Run } from './database.js';
import { COLUMNS, preparedValue, SEPARATOR } from './enqueue-functions.js';
import { LOCK_TIMEOUT, OtherGatewayError, PostgresStoreError, postgresError } from './failure.js';
import { isOpenBefore, readRow, selectRows } from './row-columns.js';

/** The values of a report's columns, in their order. */
const valuesOf = ({ id, account, environment, operation, reference, waitsFor, fingerprint, body }: NewRow): PostgresValue[] => [
  id,
  account,
  environment,
  operation,
  reference,
  waitsFor ?? null,
  fingerprint,
  body,
];

const LIST = COLUMNS.join(', ');

/** The longest waits for a lock: another transaction may hold the same report. With many rows it is short, since they keep each other waiting. */
export const LONGEST_LOCK_MS = { one: '5000', many: '500' };

/** The values of an added row that the database returns. */
interface Added {
  readonly id: string;
  readonly sequence: number;
  readonly enqueuedAt: number;
  readonly blocked: boolean;
}

/** Adds any number of rows. It numbers them in their order, and writes them in the order of ids so that two calls cannot deadlock. */
const addMany = (schema: string): string => `
  WITH patience AS MATERIALIZED (SELECT CASE WHEN $3::text IS NOT NULL THEN set_config('lock_timeout', $3::text, true) END AS set),
  given AS MATERIALIZED (
    SELECT nextval('${schema}.reports_sequence_seq') AS sequence, g.* FROM patience CROSS JOIN ROWS FROM (json_to_recordset($1::text::json)
      AS (id text, account text, environment text, operation text, reference text, waits_for text, fingerprint text, body text, gateway text)) WITH ORDINALITY
      AS g(id, account, environment, operation, reference, waits_for, fingerprint, body, gateway, place)),
  bound AS MATERIALIZED (SELECT count(${schema}.bind(d.account, d.environment, d.gateway)) AS number FROM (SELECT DISTINCT account, environment, gateway FROM given) AS d),
  added AS (
    INSERT INTO ${schema}.reports (sequence, ${LIST}) SELECT g.sequence, ${LIST} FROM given AS g CROSS JOIN bound ORDER BY g.id COLLATE "C", g.place
    ON CONFLICT (id) DO NOTHING RETURNING id, sequence, account, environment, waits_for, enqueued_at),
  queued AS (
    INSERT INTO ${schema}.queue (sequence, account, environment, waits_for, blocked, due_at, changed_at)
    SELECT a.sequence, a.account, a.environment, a.waits_for, a.waits_for IS NOT NULL AND (a.waits_for IN (SELECT id FROM added) OR ${isOpenBefore(schema, 'a.waits_for')}),
      ${HEAD_OF_THE_QUEUE}, a.enqueued_at FROM added AS a
    RETURNING sequence, blocked),
  told AS MATERIALIZED (SELECT pg_notify($2::text, '') WHERE $2::text IS NOT NULL AND EXISTS (SELECT 1 FROM queued))
  SELECT json_build_object('id', a.id, 'sequence', a.sequence, 'enqueuedAt', a.enqueued_at, 'blocked', q.blocked)::text AS added
  FROM added AS a JOIN queued AS q ON q.sequence = a.sequence LEFT JOIN told ON true`;

const addOne = (schema: string): string =>
  `SELECT ${schema}.add($1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text, $9::text, $10::text, $11::text) AS added`;

/** Reads the rows that existed before. */
const getMany = (schema: string): string => selectRows(schema, 'WHERE r.id IN (SELECT json_array_elements_text($1::text::json))');

/** Makes the functions that add rows. */
export function createEnqueue(schema: string, store: string, channel: string | null, longestLockMs: typeof LONGEST_LOCK_MS) {
  const [one, many, get] = [addOne(schema), addMany(schema), getMany(schema)];

  /** Refuses text that the database would change. */
  const check = (row: NewRow): void => {
    if ([...valuesOf(row), row.gateway].some((value) => value !== null && !isStorable(value))) throw postgresError('text', schema);
  };

  /** Adds rows over `run`. The user's own transaction has its own lock limits, so this sets none. */
  async function enqueue(run: Run, given: readonly NewRow[], isOwn: boolean): Promise<readonly Enqueued[]> {
    given.forEach(check);
    const [only] = given;
    if (!only) return [];
    const { text, values, lock } =
      given.length === 1
        ? { text: one, values: [...valuesOf(only), only.gateway, channel], lock: longestLockMs.one }
        : { text: many, values: [JSON.stringify(given.map(columnsOf)), channel], lock: longestLockMs.many };
    const found = await run(text, [...values, isOwn ? lock : null]).catch((error) => Promise.reject(refusalOf(error, given, schema)));
    const added = new Map(found.flatMap(readAdded).map((row) => [row.id, row]));
    const missing = given.filter(({ id }) => !added.has(id)).map(({ id }) => id);
    // A separate statement, since the first one cannot see the commits of others in the meantime.
    const there = missing.length === 0 ? [] : (await run(get, [JSON.stringify(missing)])).map(readRow);
    const rows = new Map(there.map((row) => [row.id, row]));
    return given.map((row) => enqueuedOf(row, added, rows, schema));
  }

  return {
    enqueue,
    /** The value for the `enqueue` function of the database, in the user's own statement. */
    asValue: (row: NewRow): string => {
      check(row);
      const values = valuesOf(row);
      if ([...values, row.gateway].some((value) => value?.includes(SEPARATOR))) throw postgresError('text', schema);
      return preparedValue(store, channel, row.gateway, values);
    },
  };
}

/** The error of the first row whose gateway differs from the bound one. */
function refusalOf(error: unknown, given: readonly NewRow[], schema: string): unknown {
  if (!(error instanceof OtherGatewayError)) return heldError(error, schema);
  const refused = given.find(({ gateway }) => gateway !== error.bound);
  return refused ? otherGateway(refused, error.bound) : error;
}

/** Adds the advice to an error after a wait for a lock. */
const heldError = (error: unknown, schema: string): unknown =>
  error instanceof PostgresStoreError && error.sqlState === LOCK_TIMEOUT
    ? postgresError('busy', schema, error.sqlState, '; an open transaction may hold the same report: end it, then enqueue again. Nothing was enqueued')
    : error;

/** Reads an added row. Empty if the row existed before. */
const readAdded = ({ added }: Columns): Added[] => (typeof added === 'string' ? [JSON.parse(added) as Added] : []);

const columnsOf = ({ id, account, environment, operation, reference, waitsFor, fingerprint, body, gateway }: NewRow) => ({
  id,
  account,
  environment,
  operation,
  reference,
  waits_for: waitsFor ?? null,
  fingerprint,
  body,
  gateway,
});

/** The result of one row. Of several rows with the same id, the first counts as added. */
function enqueuedOf(given: NewRow, added: ReadonlyMap<string, Added>, rows: Map<string, Row>, schema: string): Enqueued {
  const there = rows.get(given.id);
  if (there) return { row: there, added: false };
  const one = added.get(given.id);
  if (!one) throw postgresError('other', schema, undefined, ': it holds a report that cannot be read');
  const row = newRow(given, one.sequence, one.enqueuedAt, one.blocked);
  rows.set(given.id, row);
  return { row, added: true };
}
