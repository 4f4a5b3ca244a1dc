import type { Row } from '../../state-machine.js';
import { rowFrom, type StoredRow } from '../../stored-row.js';
import { shownDueAt } from '../head-of-queue.js';

/** Whether the row that another one waits for exists and is not final. */
export const isOpenBefore = (schema: string, waitsFor: string): string =>
  `EXISTS (SELECT 1 FROM ${schema}.reports AS before WHERE before.id = ${waitsFor} AND before.state IS NULL)`;

/** The parts of a row without its body, from `reports AS r` and `queue AS q`. A final row is not in the queue. */
const bodilessParts = (schema: string): string => `
  'sequence', r.sequence, 'id', r.id, 'account', r.account, 'environment', r.environment, 'operation', r.operation, 'reference', r.reference, 'waitsFor', r.waits_for,
  'state', coalesce(q.state, r.state), 'blocked', q.state = 'waiting' AND r.waits_for IS NOT NULL AND ${isOpenBefore(schema, 'r.waits_for')},
  'fence', coalesce(q.fence, r.fence), 'attempts', coalesce(q.attempts, r.attempts),
  'inDoubt', coalesce(q.in_doubt, r.in_doubt), 'doubtBefore', coalesce(q.doubt_before, r.doubt_before),
  'enqueuedAt', r.enqueued_at, 'dueAt', coalesce(q.due_at, r.due_at), 'changedAt', coalesce(q.changed_at, r.changed_at),
  'outcome', r.outcome, 'message', r.message, 'problem', coalesce(q.problem, r.problem), 'decisions', coalesce(q.decisions, r.decisions),
  'fingerprint', r.fingerprint`;

const parts = (schema: string): string => `${bodilessParts(schema)}, 'body', r.body`;

/** An open row as one JSON object. */
export const openRowJson = (schema: string): string => `json_build_object(${parts(schema)})`;

/** Selects rows. `rest` may use the tables `r` and `q`. */
export const selectRows = (schema: string, rest: string): string =>
  `SELECT json_build_object(${parts(schema)}, 'requestId', r.request_id)::text AS row FROM ${schema}.reports AS r LEFT JOIN ${schema}.queue AS q ON q.sequence = r.sequence ${rest}`;

/** The same without bodies. `before` is a list of rows that the reports are joined with. */
export const selectBodiless = (schema: string, rest: string, before = '', on = ''): string =>
  `SELECT json_build_object(${bodilessParts(schema)}, 'requestId', r.request_id)::text AS row FROM ${before} ${schema}.reports AS r ${on} LEFT JOIN ${schema}.queue AS q ON q.sequence = r.sequence ${rest}`;

/** Makes a row from the JSON object of the database. */
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
    body: found.body ?? undefined,
  });
}

/** Reads the row in the column of `selectRows`. */
export const readRow = ({ row }: { readonly [name: string]: string | null }): Row => rowOf(JSON.parse(row ?? 'null'));

/** Whether a claim may take the operation of a row in the queue `q`. */
export const isAllowed = (schema: string, leftOut: string): string =>
  `(${leftOut} = '' OR (SELECT kept.operation FROM ${schema}.reports AS kept WHERE kept.sequence = q.sequence) <> ALL (string_to_array(${leftOut}, ' ')))`;
