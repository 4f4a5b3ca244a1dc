import { OVERTAKEN } from './failure.js';

/** Adds lines to the receipt log, all or none. A lock orders concurrent calls, since each line takes the next place. */
export const append = (schema: string): string => `
  CREATE FUNCTION ${schema}.append(lines jsonb) RETURNS text LANGUAGE plpgsql AS $append$
  DECLARE
    next_place bigint;
    item record;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('location-sdk ${schema}.receipts', 0));
    SELECT coalesce(max(r.position), -1) + 1 INTO next_place FROM ${schema}.receipts AS r;
    FOR item IN
      SELECT (l.value ->> 'index')::bigint AS place, l.value ->> 'id' AS id, l.value ->> 'line' AS line, l.number - 1 AS number
      FROM jsonb_array_elements(lines) WITH ORDINALITY AS l(value, number) ORDER BY l.number
    LOOP
      DELETE FROM ${schema}.unlogged AS u USING ${schema}.reports AS r WHERE r.id = item.id AND u.sequence = r.sequence;
      IF NOT FOUND OR item.place <> next_place + item.number THEN
        RAISE EXCEPTION 'another one was faster' USING ERRCODE = '${OVERTAKEN}';
      END IF;
      INSERT INTO ${schema}.receipts (position, id, line) VALUES (item.place, item.id, item.line);
    END LOOP;
    RETURN true;
  EXCEPTION WHEN SQLSTATE '${OVERTAKEN}' THEN
    -- Rolls back the lines before.
    RETURN false;
  END $append$;
`;
