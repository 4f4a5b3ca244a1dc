-- Binds a destination unless it is bound, and returns its gateway. It waits for an open transaction that binds it
-- first.
CREATE FUNCTION schema.bind(of_account text, of_environment text, to_gateway text) RETURNS text
LANGUAGE plpgsql AS $bind$
DECLARE
  bound text;
BEGIN
  SELECT d.gateway INTO bound FROM schema.destinations AS d
    WHERE d.account = of_account AND d.environment = of_environment;
  IF NOT FOUND THEN
    INSERT INTO schema.destinations (account, environment, gateway) VALUES (of_account, of_environment, to_gateway)
      ON CONFLICT DO NOTHING;
    -- Another tool deleted the destination: its breakers are of its earlier binding.
    IF FOUND THEN
      DELETE FROM schema.breakers AS b WHERE b.account = of_account AND b.environment = of_environment;
    END IF;
    SELECT d.gateway INTO bound FROM schema.destinations AS d
      WHERE d.account = of_account AND d.environment = of_environment;
  END IF;
  RETURN bound;
END $bind$;

-- Adds a row, and notifies the listeners at the commit. Returns the added row, or the destination if it is bound to
-- another gateway. This and the next are functions so that PostgreSQL keeps their plans, since planning takes longer
-- than inserting. PostgreSQL prepares each statement and each expression of a function again in each transaction, so
-- the usual case has few of them.
CREATE FUNCTION schema.add_one(new_row jsonb, channel text, patience text) RETURNS json
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $add$
DECLARE
  added record;
  bound text;
  is_blocked boolean := false;
  notified text;
BEGIN
  IF patience IS NOT NULL THEN PERFORM set_config('lock_timeout', patience, true); END IF;
  -- The second time the destination is bound.
  FOR tries IN 1..2 LOOP
    INSERT INTO schema.reports
      (id, operation, reference, fingerprint, excerpt, body, account, environment, waits_for)
      SELECT new_row ->> 'id', new_row ->> 'operation', new_row ->> 'reference', new_row ->> 'fingerprint',
        new_row ->> 'excerpt', new_row ->> 'body', d.account, d.environment, new_row ->> 'waits_for'
      FROM schema.destinations AS d WHERE d.account = new_row ->> 'account'
        AND d.environment = new_row ->> 'environment' AND d.gateway = new_row ->> 'gateway'
      ON CONFLICT (id) DO NOTHING RETURNING reports.sequence, reports.enqueued_at INTO added;
    IF FOUND THEN
      -- Within the insert, PostgreSQL would prepare this query for every report.
      IF new_row ->> 'waits_for' IS NOT NULL THEN
        is_blocked := EXISTS (
          SELECT 1 FROM schema.reports AS before WHERE before.id = new_row ->> 'waits_for' AND before.state IS NULL);
      END IF;
      INSERT INTO schema.queue (sequence, account, environment, waits_for, blocked, due_at, changed_at)
        VALUES (added.sequence, new_row ->> 'account', new_row ->> 'environment', new_row ->> 'waits_for',
          is_blocked, HEAD_OF_THE_QUEUE, added.enqueued_at);
      -- Assigned, since PERFORM would run a query.
      notified := CASE WHEN channel IS NOT NULL THEN pg_notify(channel, '')::text END;
      RETURN json_build_object('added', json_build_array(json_build_object('id', new_row -> 'id',
        'sequence', added.sequence, 'enqueuedAt', added.enqueued_at, 'blocked', is_blocked)));
    END IF;
    bound := schema.bind(new_row ->> 'account', new_row ->> 'environment', new_row ->> 'gateway');
    IF bound <> new_row ->> 'gateway' THEN
      RETURN json_build_object('account', new_row -> 'account', 'environment', new_row -> 'environment',
        'gateway', new_row -> 'gateway', 'bound', bound);
    END IF;
  END LOOP;
  RETURN json_build_object('added', '[]'::json);
END $add$;

-- The same for any number of rows. It numbers them in their order, and writes them in the order of ids so that two
-- calls cannot deadlock.
CREATE FUNCTION schema.add(new_rows json, channel text, patience text) RETURNS json
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $add$
DECLARE
  item record;
  bound text;
  added json;
BEGIN
  IF patience IS NOT NULL THEN PERFORM set_config('lock_timeout', patience, true); END IF;
  FOR item IN
    SELECT DISTINCT n.account, n.environment, n.gateway
    FROM json_to_recordset(new_rows) AS n(account text, environment text, gateway text)
    WHERE NOT EXISTS (SELECT 1 FROM schema.destinations AS d
      WHERE d.account = n.account AND d.environment = n.environment AND d.gateway = n.gateway)
    ORDER BY 1, 2, 3
  LOOP
    bound := schema.bind(item.account, item.environment, item.gateway);
    IF bound <> item.gateway THEN
      RETURN json_build_object('account', item.account, 'environment', item.environment, 'gateway', item.gateway,
        'bound', bound);
    END IF;
  END LOOP;
  WITH given AS MATERIALIZED (
    SELECT nextval('schema.reports_sequence_seq') AS sequence, g.*
    FROM ROWS FROM (json_to_recordset(new_rows) AS (id text, operation text, reference text, fingerprint text,
      excerpt text, body text, account text, environment text, waits_for text)) WITH ORDINALITY
      AS g(id, operation, reference, fingerprint, excerpt, body, account, environment, waits_for, place)),
  new_reports AS (
    INSERT INTO schema.reports
      (sequence, id, operation, reference, fingerprint, excerpt, body, account, environment, waits_for)
    SELECT sequence, id, operation, reference, fingerprint, excerpt, body, account, environment, waits_for
    FROM given ORDER BY id COLLATE "C", place
    ON CONFLICT (id) DO NOTHING RETURNING id, sequence, account, environment, waits_for, enqueued_at),
  queued AS (
    INSERT INTO schema.queue (sequence, account, environment, waits_for, blocked, due_at, changed_at)
    -- Not EXISTS, for which PostgreSQL may read the whole table.
    SELECT r.sequence, account, environment, waits_for,
      r.waits_for IS NOT NULL AND (r.waits_for IN (SELECT id FROM new_reports) OR
        coalesce((SELECT before.state IS NULL FROM schema.reports AS before WHERE before.id = r.waits_for), false)),
      HEAD_OF_THE_QUEUE, r.enqueued_at FROM new_reports AS r
    RETURNING sequence, blocked)
  SELECT json_agg(json_build_object('id', r.id, 'sequence', r.sequence, 'enqueuedAt', r.enqueued_at,
    'blocked', q.blocked)) INTO added FROM new_reports AS r JOIN queued AS q ON q.sequence = r.sequence;
  IF added IS NOT NULL AND channel IS NOT NULL THEN PERFORM pg_notify(channel, ''); END IF;
  RETURN json_build_object('added', coalesce(added, '[]'));
END $add$;

-- For the user's own statements, which an error fails; it never shows the value. The value begins with the number of
-- its bytes, so that a cut or re-encoded one is refused. The parameter has a name, because some libraries replace a
-- dollar with a number in every text.
CREATE FUNCTION schema.enqueue(report text) RETURNS boolean LANGUAGE plpgsql AS $enqueue$
DECLARE
  bytes text := substring(left(report, length('outbox1 123456789 ')) FROM '^outbox1 ([0-9]{1,9}) ');
  content text := substr(report, length('outbox1  ' || bytes) + 1);
  value jsonb;
  new_row jsonb;
  result json;
BEGIN
  BEGIN
    value := CASE WHEN octet_length(content) = bytes::integer THEN content::jsonb END;
  -- The error would show a part of the value.
  EXCEPTION WHEN data_exception THEN NULL;
  END;
  new_row := value -> 'row';
  -- A row without these would be shown by the error of its table, or could not be sent. Nor does NULL or a foreign value
  -- have them: one check for the usual case.
  IF num_nulls(new_row ->> 'id', new_row ->> 'account', new_row ->> 'environment', new_row ->> 'gateway',
    new_row ->> 'operation', new_row ->> 'reference', new_row ->> 'fingerprint', new_row ->> 'body') > 0 THEN
    IF report IS NULL THEN
      RAISE EXCEPTION 'enqueue: expected the value of a prepared report, and was given NULL. Nothing was enqueued.'
        USING ERRCODE = 'LS004',
          HINT = 'Await outbox.prepare, and bind its report.value as a parameter.';
    END IF;
    IF bytes IS NULL THEN
      RAISE EXCEPTION 'enqueue: expected the value of a prepared report, and was given something else. Nothing was enqueued.'
        USING ERRCODE = 'LS004',
          HINT = 'Bind report.value as a parameter, of the report that outbox.prepare resolved with: neither the payload nor the report itself.';
    END IF;
    RAISE EXCEPTION 'enqueue: the value of the prepared report was changed on the way. Nothing was enqueued.'
      USING ERRCODE = 'LS004',
        HINT = 'Bind it whole, as text, over a connection whose client_encoding is UTF8.';
  END IF;
  IF value ->> 'store' IS DISTINCT FROM (SELECT m.store FROM schema.meta AS m) THEN
    RAISE EXCEPTION 'enqueue: the report was prepared by the outbox of another store, be it one of the same name in another database. Nothing was enqueued.'
      USING ERRCODE = 'LS004',
        HINT = 'Prepare the report with an outbox over this database and this schema.';
  END IF;
  result := schema.add_one(new_row, value ->> 'channel', NULL);
  IF json_array_length(result -> 'added') = 1 THEN RETURN true; END IF;
  IF result ->> 'bound' IS NOT NULL THEN
    RAISE EXCEPTION 'enqueue: reports of account % (%) go to %, and this one is for %. Nothing was enqueued.',
      result ->> 'account', result ->> 'environment', result ->> 'bound', result ->> 'gateway'
      USING ERRCODE = 'LS005',
        HINT = 'Name another licence with the option account, or change the gateway with location-sdk outbox … rebind.';
  END IF;
  IF NOT EXISTS (SELECT 1 FROM schema.reports AS r
    WHERE r.id = new_row ->> 'id' AND r.fingerprint = new_row ->> 'fingerprint') THEN
    RAISE EXCEPTION 'enqueue: the outbox holds other data under this reference (a new timestamp or location is other data too); compare your records. Nothing was enqueued.'
      USING ERRCODE = 'LS003',
        HINT = 'Prepare a report once, before the part that you repeat. After a change of the encryption key, call report.enqueue: it recognises the same data.';
  END IF;
  RETURN false;
END $enqueue$;
