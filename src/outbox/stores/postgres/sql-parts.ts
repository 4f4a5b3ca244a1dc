import type { Change, Row } from '../../rules/state-machine.js';
import { rowFrom, type StoredRow } from '../../rules/stored-row.js';
import { shownDueAt } from '../claim-order.js';
import type { Dialect, Found, SqlValues } from '../sql/dialect.js';
import { IDS_AFTER } from '../sql/statements.js';
import { isStorable } from '../storable-text.js';
import type { Run } from './database.js';
import type { Columns } from './driver.js';

/** The present time in milliseconds since 1970, by the database's clock. */
export const NOW_MS = '(floor(extract(epoch FROM clock_timestamp()) * 1000))::bigint';

/**
 * The time of the statement in milliseconds since 1970, by the database's clock. The time of the transaction would be
 * older.
 */
export const STATEMENT_MS = '(floor(extract(epoch FROM statement_timestamp()) * 1000))::bigint';

export const LACKS_KEY = "state <> 'quarantined' AND (problem -> 'keyId') IS NOT NULL";

/** Whether the row that another one waits for exists and is not final. */
export const isOpenBefore = (waitsFor: string): string =>
  `EXISTS (SELECT 1 FROM schema.reports AS before WHERE before.id = ${waitsFor} AND before.state IS NULL)`;

/** The parts of a row without its body, from `reports AS r` and `queue AS q`. A final row is not in the queue. */
const PARTS_WITHOUT_BODY = `
  'sequence', r.sequence, 'id', r.id, 'account', r.account, 'environment', r.environment, 'operation', r.operation, 'reference', r.reference, 'waitsFor', r.waits_for,
  'state', coalesce(q.state, r.state), 'blocked', q.state = 'waiting' AND r.waits_for IS NOT NULL AND ${isOpenBefore('r.waits_for')},
  'fence', coalesce(q.fence, r.fence), 'attempts', coalesce(q.attempts, r.attempts),
  'inDoubt', coalesce(q.in_doubt, r.in_doubt), 'doubtBefore', coalesce(q.doubt_before, r.doubt_before),
  'enqueuedAt', r.enqueued_at, 'dueAt', coalesce(q.due_at, r.due_at), 'changedAt', coalesce(q.changed_at, r.changed_at),
  'outcome', r.outcome, 'message', r.message, 'problem', coalesce(q.problem, r.problem), 'decisions', coalesce(q.decisions, r.decisions),
  'fingerprint', r.fingerprint`;

const PARTS = `${PARTS_WITHOUT_BODY}, 'body', r.body, 'excerpt', r.excerpt`;

export const ROW_JSON = `json_build_object(${PARTS})`;

/** Selects rows. `rest` may use the tables `r` and `q`. */
export const selectRows = (rest: string): string =>
  `SELECT json_build_object(${PARTS}, 'requestId', r.request_id)::text AS row FROM schema.reports AS r LEFT JOIN schema.queue AS q ON q.sequence = r.sequence ${rest}`;

export const SELECT_BY_IDS = selectRows('WHERE r.id IN (SELECT json_array_elements_text($1::text::json))');

/** The same without bodies, of the rows whose `sequence` a SELECT returns. `rest` may also use the table `looked`. */
export const selectBodiless = (sequences: string, rest = 'ORDER BY looked.sequence'): string =>
  `SELECT json_build_object(${PARTS_WITHOUT_BODY}, 'requestId', r.request_id)::text AS row
    FROM (${sequences}) AS looked JOIN schema.reports AS r ON r.sequence = looked.sequence LEFT JOIN schema.queue AS q ON q.sequence = r.sequence ${rest}`;

export function rowOf(object: unknown): Row {
  const found = object as StoredRow;
  return rowFrom({
    ...found,
    dueAt: shownDueAt(found.dueAt, found.enqueuedAt),
    waitsFor: found.waitsFor ?? undefined,
    blocked: found.blocked ?? false,
    outcome: found.outcome ?? undefined,
    message: found.message ?? undefined,
    requestId: found.requestId ?? undefined,
    problem: found.problem ?? undefined,
    decisions: found.decisions ?? [],
    excerpt: found.excerpt ?? undefined,
    body: found.body ?? undefined,
  });
}

/** Reads the only column, since a library in the user's transaction may name it in another way. */
export const onlyColumn = (row: Columns | undefined): string | null => Object.values(row ?? {})[0] ?? null;

export const readRow = (row: Columns): Row => rowOf(JSON.parse(onlyColumn(row) ?? 'null'));

/** A change whose wait is a whole number, as its column takes it. */
export const wholeDelay = (change: Change): Change => ({ ...change, delayMs: Math.round(change.delayMs) });

/**
 * Makes JSON for the database. It replaces the escapes of characters that cannot be stored (NUL and unpaired
 * surrogates), since the gateway's text must not stop the write of a report. An escaped backslash is matched, so that
 * the text behind it is not taken for an escape.
 */
export const toPostgresJson = (value: unknown): string =>
  JSON.stringify(value).replace(/\\\\|\\u(?:0000|d[89a-f]..)/g, (found) => (found === '\\\\' ? found : '\\ufffd'));

/** The shared statements in the words of PostgreSQL. Each value is bound as text. */
export function dialectOf(run: Run): Dialect {
  function send(text: string, values: SqlValues<null>) {
    let place = 0;
    const bound = text.replace(/\?(#?)/g, (_, number) => {
      place += 1;
      return `$${place}::text${number === '' ? '' : '::bigint'}`;
    });
    return run(
      bound,
      values.map((value) => (value === null ? null : String(value))),
    );
  }
  /** Reads. A text that no row can contain finds nothing. */
  const find = async (text: string, values: SqlValues) =>
    values.every((value) => isStorable(String(value))) ? send(text, values) : [];
  /** A row comes as JSON, since libraries return numbers in different types. */
  const all = async <One extends object>(text: string, ...values: SqlValues): Promise<readonly One[]> => {
    const found = await find(`SELECT to_json(found)::text AS json FROM (${text}) AS found`, values);
    return found.map(({ json }) => JSON.parse(json ?? 'null') as One);
  };
  const changed = async (text: string, values: SqlValues<null>) => {
    const [found] = await send(`${text} SELECT to_json(changed)::text AS json FROM changed`, values);
    return found && (JSON.parse(found.json ?? 'null') as Found);
  };
  return {
    all,
    first: async <One extends object>(text: string, ...values: SqlValues): Promise<One | undefined> => {
      const [found] = await all<One>(text, ...values);
      return found;
    },
    change: (text, ...values) => changed(`WITH changed AS (${text})`, values),
    changeByClock: (text, ...values) =>
      changed(`WITH clock AS (SELECT ${NOW_MS} AS now), changed AS (${text})`, values),
    appended: (column, members) => `${column} || jsonb_build_array(jsonb_build_object(${members}))`,
    bodiless: async (sequences, ...values) => (await find(selectBodiless(sequences), values)).map(readRow),
    rowsTable: `schema.reports`,
    quarantinedTable: `schema.queue AS q`,
    joinOfOperation: ` JOIN schema.reports AS r ON r.sequence = q.sequence`,
    // By its id: a settlement of a reopened report is marked as blocked by the next claim.
    countOfSettlements: `(SELECT count(*) FROM schema.reports AS a JOIN schema.queue AS d ON d.sequence = a.sequence
      WHERE a.id IN (${IDS_AFTER}) AND a.waits_for = r.id AND d.state = 'waiting')`,
    elements: 'json_array_elements_text(?::json)',
  };
}
