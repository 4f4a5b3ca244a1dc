-- One turn of a worker as one statement, so that it is atomic over any pool: its writes, then its claim. Its settings
-- make the planner use the index: it has no statistics of new tables and keeps its first plan, and only the index is
-- fast at every size. Without jit = off, PostgreSQL 13 to 17 compile each call, because a plan that needs a disabled
-- method has a very high cost.
CREATE FUNCTION schema.turn(request jsonb) RETURNS text
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off AS $turn$
DECLARE
  item record;
  done record;
  now_ms bigint := NOW_MS;
  written boolean[] := array_fill(false, ARRAY[jsonb_array_length(request -> 'writes')]);
  wanted integer := (request #>> '{claim,limit}')::integer;
  lease_ms bigint := (request #>> '{claim,leaseMs}')::bigint;
  probe jsonb := request #> '{claim,probe}';
  open_accounts text[];
  open_environments text[];
  open_left_out text[];
  held bigint[];
  places bigint[];
  promised integer;
  untried_first boolean := coalesce((request #>> '{claim,untriedFirst}')::boolean, false);
  taken bigint[] := '{}';
  dues bigint[] := '{}';
  counted jsonb := '[]';
  claimed json;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'the outbox needs read committed' USING ERRCODE = 'LS001';
  END IF;
  -- In the order of ids, so that two turns with the same rows cause no deadlock.
  FOR item IN
    SELECT w.value, w.place FROM jsonb_array_elements(request -> 'writes') WITH ORDINALITY AS w(value, place)
    ORDER BY (w.value ->> 'id') COLLATE "C", w.place
  LOOP
    SELECT * INTO done FROM schema.write(item.value ->> 'id', item.value -> 'expected', item.value -> 'change', now_ms);
    CONTINUE WHEN NOT done.written;
    written[item.place] := true;
    counted := counted || jsonb_build_object('account', done.of_account, 'attempts', done.counted,
      'recorded', (item.value #>> '{change,state}' = 'recorded')::integer,
      'dismissed', (item.value #>> '{change,state}' = 'dismissed')::integer
        - (item.value #>> '{expected,state}' = 'dismissed')::integer);
  END LOOP;
  IF wanted > 0 THEN
    now_ms := NOW_MS;
    SELECT array_agg(d.account), array_agg(d.environment), array_agg((a.value ->> 'busy')::bigint), array_agg(a.place),
      array_agg((
        SELECT coalesce(string_agg(w.value ->> 'operation', ' '), '')
        FROM jsonb_array_elements(coalesce(request #> '{claim,without}', '[]')) AS w(value)
        WHERE w.value ->> 'account' = d.account AND w.value ->> 'environment' = d.environment))
      INTO open_accounts, open_environments, held, places, open_left_out
      FROM jsonb_array_elements(request #> '{claim,accounts}') WITH ORDINALITY AS a(value, place)
      JOIN schema.destinations AS d
        ON d.account = a.value ->> 'account' AND d.gateway = a.value -> 'gateways' ->> d.environment
      WHERE CASE WHEN probe IS NULL THEN d.reason IS NULL
        ELSE d.account = probe ->> 'account' AND d.environment = probe ->> 'environment'
          AND (probe ->> 'operation' IS NULL OR d.reason IS NULL) END;
    -- A time too far ahead shows that the clock jumped.
    UPDATE schema.queue AS q SET due_at = now_ms WHERE q.sequence IN (
      SELECT far.sequence FROM unnest(open_accounts, open_environments) AS e(account, environment) CROSS JOIN LATERAL (
        SELECT f.sequence FROM schema.queue AS f
        WHERE f.account = e.account AND f.environment = e.environment AND NOT f.parked AND f.state <> 'quarantined'
          AND f.due_at > now_ms + LONGEST_WAIT_MS
        ORDER BY f.due_at DESC LIMIT 1000 FOR UPDATE SKIP LOCKED) AS far);
    -- The number of the next rows of each destination: of those that were never claimed, and of the others. The account
    -- with the fewest rows in flight comes first, and then the row that is due for longest. A time in the future shows
    -- that the clock jumped.
    FOR pass IN 1..2 LOOP
      promised := cardinality(taken);
      FOR item IN
        SELECT due.account, due.environment, due.left_out, due.first_due, due.until, count(*)::integer AS share FROM (
          SELECT turns.account, turns.environment, turns.left_out, turns.first_due, turns.until FROM (
            SELECT e.account, e.environment, e.left_out, e.place, span.first_due, span.until, head.since, head.sequence,
              e.held + row_number() OVER (PARTITION BY e.account ORDER BY head.since, head.sequence) AS turn
            FROM unnest(open_accounts, open_environments, held, places, open_left_out)
              AS e(account, environment, held, place, left_out)
            CROSS JOIN (VALUES (HEAD_OF_THE_QUEUE, HEAD_OF_THE_QUEUE), (HEAD_OF_THE_QUEUE + 1, now_ms))
              AS span(first_due, until)
            CROSS JOIN LATERAL (
              SELECT CASE WHEN q.due_at > HEAD_OF_THE_QUEUE THEN q.due_at
                WHEN untried_first OR q.changed_at > now_ms THEN HEAD_OF_THE_QUEUE
                ELSE q.changed_at END AS since, q.sequence
              FROM schema.queue AS q
              WHERE q.account = e.account AND q.environment = e.environment AND NOT q.parked
                AND q.state <> 'quarantined' AND q.due_at BETWEEN span.first_due AND span.until
                AND (e.left_out = ''
                  OR (SELECT kept.operation FROM schema.reports AS kept WHERE kept.sequence = q.sequence)
                    <> ALL (string_to_array(e.left_out, ' ')))
              ORDER BY q.due_at, q.sequence LIMIT wanted - cardinality(taken)) AS head) AS turns
          ORDER BY turns.turn, turns.place, turns.since, turns.sequence LIMIT wanted - cardinality(taken)) AS due
        GROUP BY due.account, due.environment, due.left_out, due.first_due, due.until
      LOOP
        promised := promised + item.share;
        SELECT taken || coalesce(array_agg(c.sequence), '{}'), dues || coalesce(array_agg(c.due_at), '{}')
          INTO taken, dues FROM schema.claim_due(item.account, item.environment, item.left_out, item.first_due,
            item.until, item.share, lease_ms, now_ms) AS c;
      END LOOP;
      -- Rows that wait for others are parked now, and the second pass takes those behind them.
      EXIT WHEN cardinality(taken) >= promised;
    END LOOP;
    SELECT json_agg(ROW_JSON ORDER BY t.due_at, t.sequence) INTO claimed
      FROM unnest(taken, dues) AS t(sequence, due_at)
      JOIN schema.reports AS r ON r.sequence = t.sequence JOIN schema.queue AS q ON q.sequence = t.sequence;
    SELECT counted || coalesce(jsonb_agg(jsonb_build_object('account', q.account, 'attempts', 1, 'recorded', 0,
      'dismissed', 0)), '[]') INTO counted
      FROM unnest(taken) AS t(sequence) JOIN schema.queue AS q ON q.sequence = t.sequence;
  END IF;
  -- The last lock: a transaction that waits for it holds up no other lock. The tally has 32 parts, so that workers do
  -- not wait for each other.
  INSERT INTO schema.tally AS t (account, part, recorded, dismissed, attempts)
    SELECT c.account, pg_backend_pid() % 32, sum(c.recorded), sum(c.dismissed), sum(c.attempts)
    FROM jsonb_to_recordset(counted) AS c(account text, recorded bigint, dismissed bigint, attempts bigint)
    GROUP BY c.account ORDER BY c.account
    ON CONFLICT (account, part) DO UPDATE
      SET recorded = least(t.recorded + excluded.recorded, LARGEST_NUMBER),
        dismissed = least(t.dismissed + excluded.dismissed, LARGEST_NUMBER),
        attempts = least(t.attempts + excluded.attempts, LARGEST_NUMBER)
      WHERE excluded.recorded <> 0 OR excluded.dismissed <> 0 OR excluded.attempts <> 0;
  RETURN json_build_object('written', to_json(written), 'claimed', coalesce(claimed, '[]'))::text;
END $turn$;
