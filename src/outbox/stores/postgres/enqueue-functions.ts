import type { NewRow } from '../../store.js';
import { CONFLICT, UNPREPARED } from './failure.js';
import { isOpenBefore } from './row-columns.js';

/** What a row is made of, in SQL, and the channel on which who listens is told of it at the commit. */
interface Parts {
  readonly id: string;
  readonly environment: string;
  readonly operation: string;
  readonly reference: string;
  readonly waitsFor: string;
  readonly fingerprint: string;
  readonly body: string;
  readonly channel: string;
}

const VARIABLES = `new_sequence bigint;
    now_ms bigint;
    is_blocked boolean := false;`;

/** One row more, or `otherwise` where its id is there. */
const addRow = (schema: string, { id, environment, operation, reference, waitsFor, fingerprint, body, channel }: Parts, otherwise: string): string => `
    INSERT INTO ${schema}.reports (id, environment, operation, reference, waits_for, fingerprint, body)
      VALUES (${[id, environment, operation, reference, waitsFor, fingerprint, body].join(', ')})
      ON CONFLICT (id) DO NOTHING RETURNING reports.sequence, reports.enqueued_at INTO new_sequence, now_ms;
    IF NOT FOUND THEN ${otherwise} END IF;
    IF ${waitsFor} IS NOT NULL THEN is_blocked := ${isOpenBefore(schema, waitsFor)}; END IF;
    INSERT INTO ${schema}.queue (sequence, environment, waits_for, blocked, due_at, changed_at)
      VALUES (new_sequence, ${environment}, ${waitsFor}, is_blocked, now_ms, now_ms);
    IF ${channel} IS NOT NULL THEN PERFORM pg_notify(${channel}, ''); END IF;`;

const GIVEN: Parts = {
  id: 'new_id',
  environment: 'new_environment',
  operation: 'new_operation',
  reference: 'new_reference',
  waitsFor: 'new_waits_for',
  fingerprint: 'new_fingerprint',
  body: 'new_body',
  channel: 'channel',
};

/**
 * Nothing where the id is there. A function, since its plans are kept: to plan takes longer than to insert. Names only, no numbered parameters: a
 * library that binds values in its own way looks for those in every text.
 */
export const add = (schema: string): string => `
  CREATE FUNCTION ${schema}.add(${Object.values(GIVEN).join(' text, ')} text, patience text) RETURNS text LANGUAGE plpgsql AS $add$
  DECLARE
    ${VARIABLES}
  BEGIN
    IF patience IS NOT NULL THEN PERFORM set_config('lock_timeout', patience, true); END IF;${addRow(schema, GIVEN, 'RETURN NULL;')}
    RETURN json_build_object('id', new_id, 'sequence', new_sequence, 'enqueuedAt', now_ms, 'blocked', is_blocked);
  END $add$;
`;

/** What the value of a prepared report begins with. Nothing else is looked into. */
const MARK = 'outbox1 ';
/** Between its parts; in none of them. */
export const SEPARATOR = '\u001f';

const SPLIT: Parts = {
  id: 'given[1]',
  environment: 'given[2]',
  operation: 'given[3]',
  reference: 'given[4]',
  waitsFor: 'new_waits_for',
  fingerprint: 'given[6]',
  body: 'given[8]',
  channel: 'channel',
};

/** The value of a prepared report: the eight parts of `SPLIT`, as text, which every library binds as it is. */
export const preparedValue = ({ id, environment, operation, reference, waitsFor, fingerprint, body }: NewRow, channel: string | null): string =>
  MARK + [id, environment, operation, reference, waitsFor ?? '', fingerprint, channel ?? '', body].join(SEPARATOR);

/** For statements of the user's: what must not be committed fails the statement. */
export const enqueue = (schema: string): string => `
  CREATE FUNCTION ${schema}.enqueue(report text) RETURNS boolean LANGUAGE plpgsql AS $enqueue$
  DECLARE
    given text[] := string_to_array(substr(report, ${MARK.length + 1}), chr(${SEPARATOR.charCodeAt(0)}));
    new_waits_for text := nullif(given[5], '');
    channel text := nullif(given[7], '');
    ${VARIABLES}
  BEGIN
    IF NOT coalesce(starts_with(report, '${MARK}') AND cardinality(given) = 8, false) THEN
      RAISE EXCEPTION 'expected the value of a report that outbox.prepare made; nothing was enqueued' USING ERRCODE = '${UNPREPARED}';
    END IF;${addRow(
      schema,
      SPLIT,
      `
      PERFORM 1 FROM ${schema}.reports AS r WHERE r.id = given[1] AND r.fingerprint = given[6];
      IF FOUND THEN RETURN false; END IF;
      RAISE EXCEPTION 'the outbox holds other data under this reference, or the same under an earlier key; compare your records. Nothing was enqueued'
        USING ERRCODE = '${CONFLICT}';
    `,
    )}
    RETURN true;
  END $enqueue$;
`;
