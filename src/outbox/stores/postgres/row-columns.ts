import type { Row } from '../../state-machine.js';
import { rowFrom, type StoredRow } from '../../stored-row.js';

/** Whether the row that one waits for is there and not final. */
export const isOpenBefore = (schema: string, waitsFor: string): string =>
  `EXISTS (SELECT 1 FROM ${schema}.reports AS before WHERE before.id = ${waitsFor} AND before.state IS NULL)`;

/** The parts of a row but its body, by their names; of `reports AS r` and `queue AS q`, which has no part of a final one. */
const bodilessParts = (schema: string): string => `
  'sequence', r.sequence, 'id', r.id, 'account', r.account, 'environment', r.environment, 'operation', r.operation, 'reference', r.reference, 'waitsFor', r.waits_for,
  'state', coalesce(q.state, r.state), 'blocked', q.state = 'waiting' AND r.waits_for IS NOT NULL AND ${isOpenBefore(schema, 'r.waits_for')},
  'fence', coalesce(q.fence, r.fence), 'attempts', coalesce(q.attempts, r.attempts),
  'inDoubt', coalesce(q.in_doubt, r.in_doubt), 'doubtBefore', coalesce(q.doubt_before, r.doubt_before),
  'enqueuedAt', r.enqueued_at, 'dueAt', coalesce(q.due_at, r.due_at), 'changedAt', coalesce(q.changed_at, r.changed_at),
  'outcome', r.outcome, 'message', r.message, 'problem', coalesce(q.problem, r.problem), 'decisions', coalesce(q.decisions, r.decisions),
  'fingerprint', r.fingerprint`;

const parts = (schema: string): string => `${bodilessParts(schema)}, 'body', r.body`;

/** What an open row is made of, as one JSON object. */
export const openRowJson = (schema: string): string => `json_build_object(${parts(schema)})`;

/** The rows of a part of the tables, which may use `r` and `q`. */
export const selectRows = (schema: string, rest: string): string =>
  `SELECT json_build_object(${parts(schema)}, 'requestId', r.request_id)::text AS row FROM ${schema}.reports AS r LEFT JOIN ${schema}.queue AS q ON q.sequence = r.sequence ${rest}`;

/** The same without bodies, of reports that a list `before` them names. */
export const selectBodiless = (schema: string, rest: string, before = '', on = ''): string =>
  `SELECT json_build_object(${bodilessParts(schema)}, 'requestId', r.request_id)::text AS row FROM ${before} ${schema}.reports AS r ${on} LEFT JOIN ${schema}.queue AS q ON q.sequence = r.sequence ${rest}`;

/** A row of the object that the database has made. */
export function rowOf(object: unknown): Row {
  const found = object as StoredRow;
  return rowFrom({
    ...found,
    waitsFor: found.waitsFor ?? undefined,
    blocked: found.blocked ?? false,
    outcome: found.outcome ?? undefined,
    message: found.message ?? undefined,
    requestId: found.requestId ?? undefined,
    problem: found.problem ?? undefined,
    decisions: found.decisions ?? [],
    body: found.body ?? undefined,
  });
}

/** The row in the column that `selectRows` gives. */
export const readRow = ({ row }: { readonly [name: string]: string | null }): Row => rowOf(JSON.parse(row ?? 'null'));

/** Whether the operation of a row of the queue `q` is not among those that a claim leaves out. */
export const isAllowed = (schema: string, leftOut: string): string =>
  `(${leftOut} = '' OR (SELECT kept.operation FROM ${schema}.reports AS kept WHERE kept.sequence = q.sequence) <> ALL (string_to_array(${leftOut}, ' ')))`;
