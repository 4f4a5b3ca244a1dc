-- Adds lines to the receipt log. A lock orders concurrent calls, so that it may check all lines before it writes the
-- first.
CREATE FUNCTION schema.append(lines json) RETURNS boolean LANGUAGE plpgsql AS $append$
DECLARE
  next_place bigint;
  logged bigint[];
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('location-sdk schema.receipts', 0));
  SELECT coalesce(max(r.position), -1) + 1 INTO next_place FROM schema.receipts AS r;
  SELECT array_agg(DISTINCT u.sequence) INTO logged FROM json_to_recordset(lines) AS l(id text)
    JOIN schema.reports AS r ON r.id = l.id JOIN schema.unlogged AS u ON u.sequence = r.sequence;
  IF coalesce(cardinality(logged), 0) < json_array_length(lines) OR EXISTS (
    SELECT 1 FROM ROWS FROM (json_to_recordset(lines) AS (position bigint)) WITH ORDINALITY AS l(position, number)
    WHERE l.position <> next_place + l.number - 1) THEN RETURN false;
  END IF;
  INSERT INTO schema.receipts SELECT * FROM json_populate_recordset(NULL::schema.receipts, lines);
  DELETE FROM schema.unlogged AS u WHERE u.sequence = ANY (logged);
  RETURN true;
END $append$;
