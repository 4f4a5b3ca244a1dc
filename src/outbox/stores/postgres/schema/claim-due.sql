-- Claims rows of one destination that are due from `first_due` to `until`, the earliest first, with the same changes as
-- `claimed` of state-machine.ts. It checks again whether a row waits for another one, because the other row may have
-- been enqueued in a transaction that committed later, or after the claim of a worker that died. A recorded row before
-- stays final. Any other is locked, so that no decision opens it before the claim is committed.
CREATE FUNCTION schema.claim_due(of_account text, of_environment text, left_out text, first_due bigint, until bigint,
  wanted integer, lease_ms bigint, now_ms bigint)
RETURNS TABLE (sequence bigint, due_at bigint) LANGUAGE plpgsql AS $claim$
DECLARE
  item record;
  page bigint[];
  dues bigint[];
  seen integer;
  looked integer := 0;
  state_before text;
  last_due bigint := -9000000000000000;
  last_sequence bigint := 0;
BEGIN
  WHILE wanted > 0 AND looked < 1000 LOOP
    page := '{}';
    dues := '{}';
    seen := 0;
    FOR item IN
      SELECT q.sequence, q.due_at, q.changed_at, q.waits_for FROM schema.queue AS q
      WHERE q.account = of_account AND q.environment = of_environment AND NOT q.parked AND q.state <> 'quarantined'
        AND q.due_at BETWEEN first_due AND until AND (q.due_at, q.sequence) > (last_due, last_sequence)
        AND (left_out = '' OR (SELECT kept.operation FROM schema.reports AS kept WHERE kept.sequence = q.sequence)
          <> ALL (string_to_array(left_out, ' ')))
      ORDER BY q.due_at, q.sequence LIMIT wanted FOR UPDATE SKIP LOCKED
    LOOP
      seen := seen + 1;
      IF (item.due_at, item.sequence) > (last_due, last_sequence) THEN
        last_due := item.due_at;
        last_sequence := item.sequence;
      END IF;
      IF item.waits_for IS NOT NULL AND EXISTS (SELECT 1 FROM schema.reports AS before
        WHERE before.id = item.waits_for AND before.state IS DISTINCT FROM 'recorded') THEN
        looked := looked + 1;
        -- A row that another transaction holds is skipped.
        SELECT coalesce(r.state, 'open') INTO state_before FROM schema.reports AS r
          WHERE r.id = item.waits_for FOR SHARE SKIP LOCKED;
        IF state_before = 'open' THEN
          UPDATE schema.queue AS q SET state = 'waiting', blocked = true, parked = true,
            fence = CASE q.state WHEN 'in-flight' THEN least(q.fence + 1, LARGEST_COUNT) ELSE q.fence END,
            changed_at = CASE q.state WHEN 'in-flight' THEN now_ms ELSE q.changed_at END
            WHERE q.sequence = item.sequence;
        END IF;
        CONTINUE WHEN state_before IS NULL OR state_before = 'open';
      END IF;
      page := page || item.sequence;
      dues := dues || CASE WHEN item.due_at = HEAD_OF_THE_QUEUE THEN item.changed_at ELSE item.due_at END;
    END LOOP;
    UPDATE schema.queue AS q SET state = 'in-flight', fence = least(q.fence + 1, LARGEST_COUNT),
      attempts = least(q.attempts + 1, LARGEST_COUNT), doubt_before = q.in_doubt, in_doubt = true,
      blocked = false, due_at = now_ms + lease_ms, changed_at = now_ms WHERE q.sequence = ANY (page);
    RETURN QUERY SELECT * FROM unnest(page, dues);
    EXIT WHEN seen < wanted;
    wanted := wanted - cardinality(page);
  END LOOP;
END $claim$;
