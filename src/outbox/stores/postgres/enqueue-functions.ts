import { utf8 } from '../../bytes.js';
import { HEAD_OF_THE_QUEUE } from '../head-of-queue.js';
import { CONFLICT, UNPREPARED } from './failure.js';
import { isOpenBefore } from './row-columns.js';

/** The columns of a new row, in their order. */
export const COLUMNS = ['id', 'account', 'environment', 'operation', 'reference', 'waits_for', 'fingerprint', 'body'] as const;

const VARIABLES = `new_sequence bigint;
    now_ms bigint;
    is_blocked boolean := false;`;

/** Adds a row from the SQL of each column, and notifies the listeners at the commit. Runs `otherwise` if the id exists. */
function addRow(schema: string, sqlOf: (column: (typeof COLUMNS)[number] | 'gateway') => string, otherwise: string): string {
  const [account, environment, gateway, waitsFor] = [sqlOf('account'), sqlOf('environment'), sqlOf('gateway'), sqlOf('waits_for')];
  return `
    PERFORM ${schema}.bind(${account}, ${environment}, ${gateway});
    INSERT INTO ${schema}.reports (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map((column) => sqlOf(column)).join(', ')})
      ON CONFLICT (id) DO NOTHING RETURNING reports.sequence, reports.enqueued_at INTO new_sequence, now_ms;
    IF NOT FOUND THEN ${otherwise} END IF;
    IF ${waitsFor} IS NOT NULL THEN is_blocked := ${isOpenBefore(schema, waitsFor)}; END IF;
    INSERT INTO ${schema}.queue (sequence, account, environment, waits_for, blocked, due_at, changed_at)
      VALUES (new_sequence, ${account}, ${environment}, ${waitsFor}, is_blocked, ${HEAD_OF_THE_QUEUE}, now_ms);
    IF channel IS NOT NULL THEN PERFORM pg_notify(channel, ''); END IF;`;
}

const given = (column: string): string => `new_${column}`;

/**
 * Adds a row. Returns NULL if the id exists. It is a function so that PostgreSQL keeps its plans, since planning takes longer than
 * inserting. It has only named parameters, because some libraries replace `$1` in every text.
 */
export const add = (schema: string): string => `
  CREATE OR REPLACE FUNCTION ${schema}.add(${COLUMNS.map(given).join(' text, ')} text, new_gateway text, channel text, patience text) RETURNS text LANGUAGE plpgsql AS $add$
  DECLARE
    ${VARIABLES}
  BEGIN
    IF patience IS NOT NULL THEN PERFORM set_config('lock_timeout', patience, true); END IF;${addRow(schema, given, 'RETURN NULL;')}
    RETURN json_build_object('id', new_id, 'sequence', new_sequence, 'enqueuedAt', now_ms, 'blocked', is_blocked);
  END $add$;
`;

/** The prefix of the value of a prepared report. Other values are refused. */
const MARK = 'outbox1 ';
/** The separator of its parts. No part contains it. */
export const SEPARATOR = '\u001f';
/** Its parts, in their order. The first is the number of bytes that follow, so that a cut or re-encoded value is refused. */
const PARTS = ['bytes', 'store', 'channel', 'gateway', ...COLUMNS] as const;

const partOf = (name: (typeof PARTS)[number]): string => `part[${PARTS.indexOf(name) + 1}]`;

/** Makes the value of a prepared report from the values of its columns. It is text, which every library binds unchanged. */
export function preparedValue(store: string, channel: string | null, gateway: string, values: readonly (string | null)[]): string {
  const rest = [store, channel, gateway, ...values].map((value) => value ?? '').join(SEPARATOR);
  return MARK + utf8(rest).length + SEPARATOR + rest;
}

/** The errors of the user's statement, with what to do. They never show the value. */
const REFUSALS = {
  missing: [UNPREPARED, 'expected the value of a prepared report, and was given NULL', 'Await outbox.prepare, and bind its report.value as a parameter.'],
  unprepared: [
    UNPREPARED,
    'expected the value of a prepared report, and was given something else',
    'Bind report.value as a parameter, of the report that outbox.prepare resolved with: neither the payload nor the report itself.',
  ],
  changed: [UNPREPARED, 'the value of the prepared report was changed on the way', 'Bind it whole, as text, over a connection whose client_encoding is UTF8.'],
  foreign: [
    UNPREPARED,
    'the report was prepared by the outbox of another store, be it one of the same name in another database',
    'Prepare the report with an outbox over this database and this schema.',
  ],
  conflict: [
    CONFLICT,
    'the outbox holds other data under this reference (a new timestamp or location is other data too); compare your records',
    'Prepare a report once, before the part that you repeat. After a change of the encryption key, call report.enqueue: it recognises the same data.',
  ],
} as const;

function refuse(why: keyof typeof REFUSALS): string {
  const [state, message, hint] = REFUSALS[why];
  return `RAISE EXCEPTION 'enqueue: ${message}. Nothing was enqueued.' USING ERRCODE = '${state}', HINT = '${hint}';`;
}

/** The function for the user's own statements. An error fails the statement. */
export const enqueue = (schema: string): string => `
  CREATE OR REPLACE FUNCTION ${schema}.enqueue(report text) RETURNS boolean LANGUAGE plpgsql AS $enqueue$
  DECLARE
    part text[] := string_to_array(substr(report, ${MARK.length + 1}), chr(${SEPARATOR.charCodeAt(0)}));
    channel text := nullif(${partOf('channel')}, '');
    new_waits_for text := nullif(${partOf('waits_for')}, '');
    ${VARIABLES}
  BEGIN
    IF report IS NULL THEN ${refuse('missing')} END IF;
    IF NOT starts_with(report, '${MARK}') OR pg_catalog.cardinality(part) <> ${PARTS.length} THEN ${refuse('unprepared')} END IF;
    IF ${partOf('bytes')} <> (octet_length(report) - octet_length(${partOf('bytes')}) - ${MARK.length + SEPARATOR.length})::text THEN
      ${refuse('changed')}
    END IF;
    IF ${partOf('store')} IS DISTINCT FROM (SELECT m.store FROM ${schema}.meta AS m) THEN ${refuse('foreign')} END IF;${addRow(
      schema,
      (column) => (column === 'waits_for' ? 'new_waits_for' : partOf(column)),
      `
      PERFORM 1 FROM ${schema}.reports AS r WHERE r.id = ${partOf('id')} AND r.fingerprint = ${partOf('fingerprint')};
      IF FOUND THEN RETURN false; END IF;
      ${refuse('conflict')}
    `,
    )}
    RETURN true;
  END $enqueue$;
`;
