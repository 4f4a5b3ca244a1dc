import { CONFLICT, UNPREPARED } from './failure.js';
import { isOpenBefore } from './row-columns.js';

/**
 * One row more, and who listens is told of it at the commit; nothing where its id is there. A function, since its plans are kept: to plan takes longer than
 * to insert. Names only, no numbered parameters: a library that binds values in its own way looks for those in every text.
 */
export const add = (schema: string): string => `
  CREATE FUNCTION ${schema}.add(new_id text, new_environment text, new_operation text, new_reference text, new_waits_for text,
    new_fingerprint text, new_body text, channel text, patience text)
  RETURNS text LANGUAGE plpgsql AS $add$
  DECLARE
    new_sequence bigint;
    now_ms bigint;
    is_blocked boolean := false;
  BEGIN
    IF patience IS NOT NULL THEN PERFORM set_config('lock_timeout', patience, true); END IF;
    INSERT INTO ${schema}.reports (id, environment, operation, reference, waits_for, fingerprint, body)
      VALUES (new_id, new_environment, new_operation, new_reference, new_waits_for, new_fingerprint, new_body)
      ON CONFLICT (id) DO NOTHING RETURNING reports.sequence, reports.enqueued_at INTO new_sequence, now_ms;
    IF NOT FOUND THEN RETURN NULL; END IF;
    IF new_waits_for IS NOT NULL THEN is_blocked := ${isOpenBefore(schema, 'new_waits_for')}; END IF;
    INSERT INTO ${schema}.queue (sequence, environment, waits_for, blocked, due_at, changed_at)
      VALUES (new_sequence, new_environment, new_waits_for, is_blocked, now_ms, now_ms);
    IF channel IS NOT NULL THEN PERFORM pg_notify(channel, ''); END IF;
    RETURN json_build_object('id', new_id, 'sequence', new_sequence, 'enqueuedAt', now_ms, 'blocked', is_blocked);
  END $add$;
`;

/** What the value of a prepared report begins with. Nothing else is looked into: the database would show it in its error. */
const MARK = 'outbox1 ';

/**
 * The value of a prepared report: the first eight of what `add` takes, as an array that the database reads in one pass, and
 * as text, which every library binds as it is.
 */
export const preparedValue = (parts: readonly (string | null)[]): string =>
  `${MARK}{${parts.map((part) => (part === null ? 'NULL' : `"${part.replace(/["\\]/g, '\\$&')}"`)).join()}}`;

/** For statements of the user's: what must not be committed fails the statement. */
export const enqueue = (schema: string): string => `
  CREATE FUNCTION ${schema}.enqueue(report text) RETURNS boolean LANGUAGE plpgsql AS $enqueue$
  DECLARE
    given text[];
  BEGIN
    IF NOT coalesce(starts_with(report, '${MARK}'), false) THEN
      RAISE EXCEPTION 'expected the value of a report that outbox.prepare made; nothing was enqueued' USING ERRCODE = '${UNPREPARED}';
    END IF;
    given := substr(report, ${MARK.length + 1});
    IF ${schema}.add(given[1], given[2], given[3], given[4], given[5], given[6], given[7], given[8], NULL) IS NOT NULL THEN RETURN true; END IF;
    PERFORM 1 FROM ${schema}.reports AS r WHERE r.id = given[1] AND r.fingerprint = given[6];
    IF FOUND THEN RETURN false; END IF;
    RAISE EXCEPTION 'the outbox holds other data under this reference, or the same under an earlier key; compare your records. Nothing was enqueued'
      USING ERRCODE = '${CONFLICT}';
  END $enqueue$;
`;
