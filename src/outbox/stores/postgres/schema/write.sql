-- Changes a row if it has the expected state and fence. A final row leaves the queue, and the rows that wait for it are
-- unblocked. A dismissed row that has its line in the log can come back to the queue. The rows that wait for it are
-- parked by the next claim. A row that was never claimed is due by any clock. A row with replaced data has its earlier
-- place.
CREATE FUNCTION schema.write(wanted text, expected jsonb, new_values jsonb, now_ms bigint,
  OUT written boolean, OUT counted bigint, OUT of_account text)
LANGUAGE plpgsql AS $write$
DECLARE
  report record;
  queued record;
  change record;
  new_due bigint;
  was_final boolean := expected ->> 'state' IN ('recorded', 'dismissed');
BEGIN
  written := false;
  counted := 0;
  SELECT r.sequence, r.account, r.environment, r.reference, r.outcome, r.message, r.body IS NOT NULL AS has_body, r.enqueued_at
    INTO report FROM schema.reports AS r WHERE r.id = wanted;
  IF NOT FOUND THEN RETURN; END IF;
  IF was_final THEN
    SELECT r.attempts, r.account INTO queued FROM schema.reports AS r
      WHERE r.sequence = report.sequence AND r.state = expected ->> 'state'
        AND r.fence = (expected ->> 'fence')::integer FOR UPDATE;
    IF NOT FOUND OR EXISTS (SELECT 1 FROM schema.unlogged AS u WHERE u.sequence = report.sequence) THEN RETURN; END IF;
    -- The same as mustStay. A claim of that row holds a lock on this one until it is committed, and is seen here.
    IF EXISTS (SELECT 1 FROM schema.reports AS a JOIN schema.queue AS q ON q.sequence = a.sequence
      WHERE a.id IN (
        report.account || ':' || report.environment || ':reportSettledBet:' || report.reference,
        report.account || ':' || report.environment || ':reportSettledWithdrawal:' || report.reference)
        AND a.waits_for = wanted AND q.state = 'in-flight') THEN RETURN; END IF;
  ELSE
    SELECT q.attempts, q.account INTO queued FROM schema.queue AS q
      WHERE q.sequence = report.sequence AND q.state = expected ->> 'state'
        AND q.fence = (expected ->> 'fence')::integer FOR UPDATE;
    IF NOT FOUND THEN RETURN; END IF;
  END IF;
  SELECT * INTO change FROM jsonb_to_record(new_values) AS c(
    state text, fence integer, attempts integer, "inDoubt" boolean, "doubtBefore" boolean, "delayMs" bigint,
    outcome text, message text, "requestId" text, problem jsonb, decisions jsonb, "keepBody" boolean,
    replacement jsonb);
  written := true;
  counted := change.attempts - queued.attempts;
  of_account := queued.account;
  new_due := CASE WHEN change.fence = 0 THEN HEAD_OF_THE_QUEUE
    WHEN change.replacement IS NOT NULL THEN least(report.enqueued_at, now_ms)
    ELSE now_ms + change."delayMs" END;
  IF change.state IN ('recorded', 'dismissed') THEN
    DELETE FROM schema.queue AS q WHERE q.sequence = report.sequence;
    UPDATE schema.reports AS r SET state = change.state, fence = change.fence, attempts = change.attempts,
      in_doubt = change."inDoubt", doubt_before = change."doubtBefore", due_at = new_due, changed_at = now_ms,
      problem = change.problem, decisions = change.decisions, outcome = change.outcome,
      message = change.message, request_id = change."requestId", body = CASE WHEN change."keepBody" THEN r.body END
      WHERE r.sequence = report.sequence;
    INSERT INTO schema.unlogged (sequence) VALUES (report.sequence);
    -- After the report is written: a claim parks a row under a lock on the report, so its change is visible from here
    -- on.
    UPDATE schema.queue AS q SET blocked = false, parked = false WHERE q.waits_for = wanted AND q.blocked;
  ELSIF was_final THEN
    INSERT INTO schema.queue (sequence, account, environment, waits_for, state, fence, attempts, in_doubt,
      doubt_before, due_at, changed_at, problem, decisions)
      SELECT r.sequence, r.account, r.environment, r.waits_for, change.state, change.fence, change.attempts,
        change."inDoubt", change."doubtBefore", new_due, now_ms, change.problem, change.decisions
      FROM schema.reports AS r WHERE r.sequence = report.sequence;
    UPDATE schema.reports AS r SET state = NULL, fence = NULL, attempts = NULL, in_doubt = NULL, doubt_before = NULL,
      due_at = NULL, changed_at = NULL, problem = NULL, decisions = NULL WHERE r.sequence = report.sequence;
  ELSE
    UPDATE schema.queue AS q SET state = change.state, fence = change.fence, attempts = change.attempts,
      in_doubt = change."inDoubt", doubt_before = change."doubtBefore", due_at = new_due, changed_at = now_ms,
      problem = change.problem, decisions = change.decisions, parked = false,
      blocked = change.state = 'waiting' AND q.waits_for IS NOT NULL AND EXISTS (
        SELECT 1 FROM schema.reports AS before WHERE before.id = q.waits_for AND before.state IS NULL)
      WHERE q.sequence = report.sequence;
    IF report.outcome IS DISTINCT FROM change.outcome OR report.message IS DISTINCT FROM change.message
      OR report.has_body AND NOT change."keepBody" THEN
      UPDATE schema.reports AS r SET outcome = change.outcome, message = change.message,
        body = CASE WHEN change."keepBody" THEN r.body END WHERE r.sequence = report.sequence;
    END IF;
  END IF;
  IF change.replacement IS NOT NULL THEN
    UPDATE schema.reports AS r SET body = change.replacement ->> 'body',
      fingerprint = change.replacement ->> 'fingerprint', excerpt = change.replacement ->> 'excerpt'
      WHERE r.sequence = report.sequence;
  END IF;
END $write$;
