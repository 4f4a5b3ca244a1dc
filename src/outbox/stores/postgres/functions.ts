import { LARGEST_COUNT } from '../../counts.js';
import { LONGEST_WAIT_MS } from '../../state-machine.js';
import { HEAD_OF_THE_QUEUE } from '../head-of-queue.js';
import { append } from './append-function.js';
import { bindFunctions } from './bind-functions.js';
import { add, enqueue } from './enqueue-functions.js';
import { ISOLATION } from './failure.js';
import { isAllowed, isOpenBefore, rowJson } from './row-columns.js';
import { LARGEST_NUMBER, queued, TALLY_PARTS } from './tables.js';

/** A bound on the work of one turn. */
const MOST_LOOKED_AT = 1000;
const NOW_MS = '(floor(extract(epoch FROM clock_timestamp()) * 1000))::bigint';

/**
 * The planner knows nothing of new tables, and what it chose for them it keeps: only the index is right at every size. Without
 * `jit = off`, PostgreSQL 12 to 17 compile each call: they count a plan that has to use what is switched off as very expensive.
 */
const BY_INDEX = 'SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off';

/** What a row is written with: the progress that was decided, and the time until it is due. */
const CHANGED = `state = change.state, fence = change.fence, attempts = change.attempts, in_doubt = change."inDoubt", doubt_before = change."doubtBefore",
      due_at = now_ms + change."delayMs", changed_at = now_ms, problem = change.problem, decisions = change.decisions`;

/** A row's change, if its state and fence are the expected ones. Final: out of the queue, and those that wait for it may go. */
const write = (schema: string): string => `
  CREATE FUNCTION ${schema}.write(wanted text, expected jsonb, new_values jsonb, now_ms bigint, OUT written boolean, OUT counted bigint, OUT of_account text)
  LANGUAGE plpgsql AS $write$
  DECLARE
    report record;
    queued record;
    change record;
  BEGIN
    written := false;
    counted := 0;
    SELECT r.sequence, r.outcome, r.message, r.body IS NOT NULL AS has_body INTO report FROM ${schema}.reports AS r WHERE r.id = wanted;
    IF NOT FOUND THEN RETURN; END IF;
    SELECT q.attempts, q.account INTO queued FROM ${schema}.queue AS q
      WHERE q.sequence = report.sequence AND q.state = expected ->> 'state' AND q.fence = (expected ->> 'fence')::integer FOR UPDATE;
    IF NOT FOUND THEN RETURN; END IF;
    SELECT * INTO change FROM jsonb_to_record(new_values) AS c(state text, fence integer, attempts integer, "inDoubt" boolean, "doubtBefore" boolean,
      "delayMs" bigint, outcome text, message text, problem jsonb, decisions jsonb, "keepBody" boolean);
    written := true;
    counted := change.attempts - queued.attempts;
    of_account := queued.account;
    IF change.state IN ('recorded', 'dismissed') THEN
      DELETE FROM ${schema}.queue AS q WHERE q.sequence = report.sequence;
      UPDATE ${schema}.reports AS r SET ${CHANGED}, outcome = change.outcome, message = change.message, body = CASE WHEN change."keepBody" THEN r.body END
        WHERE r.sequence = report.sequence;
      INSERT INTO ${schema}.unlogged (sequence) VALUES (report.sequence);
      -- After the report is written: whoever parks a row does so under a lock on the report, and is seen from here on.
      UPDATE ${schema}.queue AS q SET blocked = false, parked = false WHERE q.waits_for = wanted AND q.blocked;
    ELSE
      UPDATE ${schema}.queue AS q SET ${CHANGED}, parked = false,
        blocked = change.state = 'waiting' AND q.waits_for IS NOT NULL AND ${isOpenBefore(schema, 'q.waits_for')} WHERE q.sequence = report.sequence;
      IF report.outcome IS DISTINCT FROM change.outcome OR report.message IS DISTINCT FROM change.message OR report.has_body AND NOT change."keepBody" THEN
        UPDATE ${schema}.reports AS r SET outcome = change.outcome, message = change.message, body = CASE WHEN change."keepBody" THEN r.body END
          WHERE r.sequence = report.sequence;
      END IF;
    END IF;
  END $write$;
`;

/**
 * Claims rows of one destination, the earliest due first; what they become is what `claimed` of `state-machine.ts`
 * says. A row that waits for another one is looked at here, since only here is certain what is committed: the other row
 * may have been enqueued in a transaction that ended later.
 */
const claim = (schema: string): string => `
  CREATE FUNCTION ${schema}.claim(of_account text, of_environment text, left_out text, wanted integer, lease_ms bigint, now_ms bigint)
  RETURNS TABLE (sequence bigint, due_at bigint) LANGUAGE plpgsql AS $claim$
  DECLARE
    item record;
    page bigint[];
    dues bigint[];
    seen integer;
    looked integer := 0;
    last_due bigint := -9000000000000000;
    last_sequence bigint := 0;
  BEGIN
    WHILE wanted > 0 AND looked < ${MOST_LOOKED_AT} LOOP
      page := '{}';
      dues := '{}';
      seen := 0;
      FOR item IN
        SELECT q.sequence, q.due_at, q.state, q.waits_for FROM ${schema}.queue AS q
        WHERE q.account = of_account AND q.environment = of_environment AND ${queued('q')} AND q.due_at <= now_ms
          AND (q.due_at, q.sequence) > (last_due, last_sequence) AND ${isAllowed(schema, 'left_out')}
        ORDER BY q.due_at, q.sequence LIMIT wanted FOR UPDATE SKIP LOCKED
      LOOP
        seen := seen + 1;
        IF (item.due_at, item.sequence) > (last_due, last_sequence) THEN
          last_due := item.due_at;
          last_sequence := item.sequence;
        END IF;
        IF item.state = 'waiting' AND item.waits_for IS NOT NULL AND ${isOpenBefore(schema, 'item.waits_for')} THEN
          looked := looked + 1;
          -- Nobody ends the row before while this lock is held, and whoever is at it is not waited for.
          PERFORM 1 FROM ${schema}.reports AS r WHERE r.id = item.waits_for AND r.state IS NULL FOR SHARE SKIP LOCKED;
          IF FOUND THEN
            UPDATE ${schema}.queue AS q SET blocked = true, parked = true WHERE q.sequence = item.sequence;
          END IF;
        ELSE
          page := page || item.sequence;
          dues := dues || item.due_at;
        END IF;
      END LOOP;
      UPDATE ${schema}.queue AS q SET state = 'in-flight', fence = least(q.fence + 1, ${LARGEST_COUNT}), attempts = least(q.attempts + 1, ${LARGEST_COUNT}), doubt_before = q.in_doubt, in_doubt = true,
        blocked = false, due_at = now_ms + lease_ms, changed_at = now_ms WHERE q.sequence = ANY (page);
      RETURN QUERY SELECT * FROM unnest(page, dues);
      EXIT WHEN seen < wanted;
      wanted := wanted - cardinality(page);
    END LOOP;
  END $claim$;
`;

/** One turn of a worker, as one statement: all of it or nothing, over any pool. */
const turn = (schema: string): string => `
  CREATE FUNCTION ${schema}.turn(request jsonb) RETURNS text LANGUAGE plpgsql ${BY_INDEX} AS $turn$
  DECLARE
    item record;
    done record;
    now_ms bigint := ${NOW_MS};
    written boolean[] := array_fill(false, ARRAY[jsonb_array_length(request -> 'writes')]);
    wanted integer := (request #>> '{claim,limit}')::integer;
    lease_ms bigint := (request #>> '{claim,leaseMs}')::bigint;
    probe jsonb := request #> '{claim,probe}';
    open_accounts text[];
    open_environments text[];
    open_left_out text[];
    held bigint[];
    places bigint[];
    untried bigint;
    taken bigint[] := '{}';
    dues bigint[] := '{}';
    counted jsonb := '[]';
    claimed json;
  BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
      RAISE EXCEPTION 'the outbox needs read committed' USING ERRCODE = '${ISOLATION}';
    END IF;
    -- In the order of ids, so that two turns with the same rows do not wait for each other in a circle.
    FOR item IN
      SELECT w.value, w.place FROM jsonb_array_elements(request -> 'writes') WITH ORDINALITY AS w(value, place)
      ORDER BY (w.value ->> 'id') COLLATE "C", w.place
    LOOP
      SELECT * INTO done FROM ${schema}.write(item.value ->> 'id', item.value -> 'expected', item.value -> 'change', now_ms);
      CONTINUE WHEN NOT done.written;
      written[item.place] := true;
      counted := counted || jsonb_build_object('account', done.of_account, 'attempts', done.counted,
        'recorded', (item.value #>> '{change,state}' = 'recorded')::integer, 'dismissed', (item.value #>> '{change,state}' = 'dismissed')::integer);
    END LOOP;
    IF wanted > 0 THEN
      now_ms := ${NOW_MS};
      SELECT array_agg(d.account), array_agg(d.environment), array_agg((a.value ->> 'busy')::bigint), array_agg(a.place), array_agg((
          SELECT coalesce(string_agg(w.value ->> 'operation', ' '), '') FROM jsonb_array_elements(coalesce(request #> '{claim,without}', '[]')) AS w(value)
          WHERE w.value ->> 'account' = d.account AND w.value ->> 'environment' = d.environment))
        INTO open_accounts, open_environments, held, places, open_left_out
        FROM jsonb_array_elements(request #> '{claim,accounts}') WITH ORDINALITY AS a(value, place)
        JOIN ${schema}.destinations AS d ON d.account = a.value ->> 'account' AND d.gateway = a.value -> 'gateways' ->> d.environment
        WHERE CASE WHEN probe IS NULL THEN d.reason IS NULL ELSE d.account = probe ->> 'account' AND d.environment = probe ->> 'environment' END;
      -- A time too far ahead is the mark of a clock that jumped.
      UPDATE ${schema}.queue AS q SET due_at = now_ms WHERE q.sequence IN (
        SELECT far.sequence FROM unnest(open_accounts, open_environments) AS e(account, environment) CROSS JOIN LATERAL (
          SELECT f.sequence FROM ${schema}.queue AS f WHERE f.account = e.account AND f.environment = e.environment AND ${queued('f')} AND f.due_at > now_ms + ${LONGEST_WAIT_MS}
          ORDER BY f.due_at DESC LIMIT ${MOST_LOOKED_AT} FOR UPDATE SKIP LOCKED) AS far);
      IF (request #>> '{claim,untriedFirst}')::boolean THEN
        -- The earliest of the latest due rows that was never claimed is due before all others; it was not claimed meanwhile.
        SELECT late.sequence INTO untried FROM unnest(open_accounts, open_environments, open_left_out) AS e(account, environment, left_out) CROSS JOIN LATERAL (
          SELECT q.sequence, q.due_at, q.fence, q.blocked FROM ${schema}.queue AS q WHERE q.account = e.account AND q.environment = e.environment AND ${queued('q')} AND q.due_at <= now_ms AND ${isAllowed(schema, 'e.left_out')}
          ORDER BY q.due_at DESC, q.sequence DESC LIMIT ${MOST_LOOKED_AT}) AS late
          WHERE late.fence = 0 AND NOT late.blocked ORDER BY late.due_at, late.sequence LIMIT 1;
        UPDATE ${schema}.queue AS q SET due_at = ${HEAD_OF_THE_QUEUE} 
          WHERE q.sequence IN (SELECT f.sequence FROM ${schema}.queue AS f WHERE f.sequence = untried AND f.fence = 0 FOR UPDATE SKIP LOCKED);
      END IF;
      -- How many of the next are of which destination. An account that has fewer rows in hand comes first, and among its rows the earliest.
      FOR item IN
        SELECT due.account, due.environment, due.left_out, count(*)::integer AS share FROM (
          SELECT turns.account, turns.environment, turns.left_out FROM (
            SELECT e.account, e.environment, e.left_out, e.place, head.due_at, head.sequence,
              e.held + row_number() OVER (PARTITION BY e.account ORDER BY head.due_at, head.sequence) AS turn
            FROM unnest(open_accounts, open_environments, held, places, open_left_out) AS e(account, environment, held, place, left_out) CROSS JOIN LATERAL (
              SELECT q.due_at, q.sequence FROM ${schema}.queue AS q
              WHERE q.account = e.account AND q.environment = e.environment AND ${queued('q')} AND q.due_at <= now_ms AND ${isAllowed(schema, 'e.left_out')}
              ORDER BY q.due_at, q.sequence LIMIT wanted) AS head) AS turns
          ORDER BY turns.turn, turns.place, turns.due_at, turns.sequence LIMIT wanted) AS due
        GROUP BY due.account, due.environment, due.left_out
      LOOP
        SELECT taken || coalesce(array_agg(c.sequence), '{}'), dues || coalesce(array_agg(c.due_at), '{}') INTO taken, dues
          FROM ${schema}.claim(item.account, item.environment, item.left_out, item.share, lease_ms, now_ms) AS c;
      END LOOP;
      SELECT json_agg(${rowJson(schema)} ORDER BY t.due_at, t.sequence) INTO claimed FROM unnest(taken, dues) AS t(sequence, due_at)
        JOIN ${schema}.reports AS r ON r.sequence = t.sequence JOIN ${schema}.queue AS q ON q.sequence = t.sequence;
      SELECT counted || coalesce(jsonb_agg(jsonb_build_object('account', q.account, 'attempts', 1, 'recorded', 0, 'dismissed', 0)), '[]') INTO counted
        FROM unnest(taken) AS t(sequence) JOIN ${schema}.queue AS q ON q.sequence = t.sequence;
    END IF;
    -- The last lock, so that nobody who waits for it keeps others waiting.
    INSERT INTO ${schema}.tally AS t (account, part, recorded, dismissed, attempts)
      SELECT c.account, pg_backend_pid() % ${TALLY_PARTS}, sum(c.recorded), sum(c.dismissed), sum(c.attempts)
      FROM jsonb_to_recordset(counted) AS c(account text, recorded bigint, dismissed bigint, attempts bigint) GROUP BY c.account ORDER BY c.account
      ON CONFLICT (account, part) DO UPDATE
        SET recorded = least(t.recorded + excluded.recorded, ${LARGEST_NUMBER}), dismissed = least(t.dismissed + excluded.dismissed, ${LARGEST_NUMBER}),
          attempts = least(t.attempts + excluded.attempts, ${LARGEST_NUMBER})
        WHERE excluded.recorded <> 0 OR excluded.dismissed <> 0 OR excluded.attempts <> 0;
    RETURN json_build_object('written', to_json(written), 'claimed', coalesce(claimed, '[]'))::text;
  END $turn$;
`;

/** What there is to do for each destination, of the ends of the index. */
const outlook = (schema: string): string => `
  CREATE FUNCTION ${schema}.outlook(of_accounts json) RETURNS text LANGUAGE plpgsql ${BY_INDEX} AS $outlook$
  DECLARE
    now_ms bigint := ${NOW_MS};
  BEGIN
    RETURN (
      SELECT json_agg(json_build_object('account', p.account, 'environment', p.environment, 'gateway', p.gateway, 'rebound', p.rebound, 'version', p.version, 'reason', p.reason, 'message', p.message, 'since', p.since,
        'strikes', p.strikes, 'until', p.until, 'now', now_ms,
        'first', (SELECT q.due_at FROM ${schema}.queue AS q WHERE q.account = p.account AND q.environment = p.environment AND ${queued('q')} ORDER BY q.due_at LIMIT 1),
        'last', (SELECT q.due_at FROM ${schema}.queue AS q WHERE q.account = p.account AND q.environment = p.environment AND ${queued('q')} ORDER BY q.due_at DESC LIMIT 1)))
      FROM ${schema}.destinations AS p WHERE of_accounts IS NULL OR p.account IN (SELECT json_array_elements_text(of_accounts)))::text;
  END $outlook$;
`;

export const functions = (schema: string): string => [bindFunctions, add, enqueue, write, claim, turn, outlook, append].map((one) => one(schema)).join('');
