-- One commit of a decision. Rows that stay open are changed together, which costs a tenth of single changes. Rows that
-- become final, are reopened or replaced are written by `turn`. If two processes carry out the same decision, a lock
-- lets only one of them make each step.
CREATE FUNCTION schema.decide(request jsonb) RETURNS text
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $decide$
DECLARE
  now_ms bigint := NOW_MS;
  wanted jsonb := request -> 'writes';
  given bigint[];
  matched bigint[];
  answer json;
BEGIN
  UPDATE schema.decisions AS d SET cursor = (request ->> 'to')::bigint, done = (request ->> 'done')::boolean
    WHERE d.id = request ->> 'id' AND d.cursor = (request ->> 'from')::bigint AND NOT d.done AND d.undone_by IS NULL;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF wanted #>> '{0,change,state}' IN ('recorded', 'dismissed') OR wanted #>> '{0,expected,state}' = 'dismissed'
    OR wanted #> '{0,change,replacement}' IS NOT NULL THEN
    answer := schema.turn(jsonb_build_object('writes', wanted))::json -> 'written';
    SELECT array_agg((w.value ->> 'sequence')::bigint) INTO matched
      FROM jsonb_array_elements(wanted) WITH ORDINALITY AS w(value, place)
      WHERE (answer ->> (w.place - 1)::integer)::boolean;
  ELSE
    SELECT array_agg((w.value ->> 'sequence')::bigint) INTO given FROM jsonb_array_elements(wanted) AS w(value);
    -- In the order of numbers, so that two decisions with the same rows cause no deadlock.
    PERFORM q.sequence FROM schema.queue AS q WHERE q.sequence = ANY (given) ORDER BY q.sequence FOR UPDATE;
    WITH changed AS (
      UPDATE schema.queue AS q SET state = c.state, fence = c.fence, in_doubt = c."inDoubt",
        doubt_before = c."doubtBefore",
        due_at = CASE WHEN c.fence = 0 THEN HEAD_OF_THE_QUEUE ELSE now_ms + c."delayMs" END,
        changed_at = now_ms, problem = c.problem, decisions = c.decisions, parked = false,
        blocked = c.state = 'waiting' AND q.waits_for IS NOT NULL AND EXISTS (
          SELECT 1 FROM schema.reports AS before WHERE before.id = q.waits_for AND before.state IS NULL)
      FROM (
        SELECT (w.value ->> 'sequence')::bigint AS sequence, w.value -> 'expected' AS expected, k.*
        FROM jsonb_array_elements(wanted) AS w(value) CROSS JOIN LATERAL
          jsonb_to_record(w.value -> 'change') AS k(state text, fence integer, "inDoubt" boolean,
            "doubtBefore" boolean, "delayMs" bigint, problem jsonb, decisions jsonb)) AS c
      WHERE q.sequence = ANY (given) AND q.sequence = c.sequence AND q.state = c.expected ->> 'state'
        AND q.fence = (c.expected ->> 'fence')::integer
      RETURNING q.sequence)
    SELECT array_agg(changed.sequence ORDER BY changed.sequence) INTO matched FROM changed;
    SELECT json_agg((w.value ->> 'sequence')::bigint = ANY (coalesce(matched, '{}')) ORDER BY w.place) INTO answer
      FROM jsonb_array_elements(wanted) WITH ORDINALITY AS w(value, place);
  END IF;
  UPDATE schema.decisions AS d SET touched = d.touched + coalesce(cardinality(matched), 0),
    skipped = d.skipped + (request ->> 'skipped')::bigint + jsonb_array_length(wanted)
      - coalesce(cardinality(matched), 0) WHERE d.id = request ->> 'id';
  IF matched IS NOT NULL THEN
    INSERT INTO schema.decision_steps (decision, began, sequences)
      VALUES (request ->> 'id', (request ->> 'from')::bigint, array_to_json(matched));
  END IF;
  RETURN coalesce(answer, '[]')::text;
END $decide$;
