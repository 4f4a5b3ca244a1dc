import { type Change, LONGEST_WAIT_MS } from '../../rules/state-machine.js';
import type { Turn, TurnResult } from '../../store/store.js';
import { HEAD_OF_THE_QUEUE } from '../claim-order.js';
import { isStorable } from '../rows.js';
import { idsAfter } from '../sql/shared-statements.js';
import type { Run } from './database.js';
import { ISOLATION } from './failure.js';
import {
  BY_INDEX,
  isAllowed,
  isOpenBefore,
  LARGEST_NUMBER,
  MOST_LOOKED_AT,
  NOW_MS,
  openRowJson,
  queued,
  rowOf,
  TALLY_PARTS,
  toPostgresJson,
} from './sql-parts.js';

const whole = (change: Change): Change => ({ ...change, delayMs: Math.round(change.delayMs) });

/** Makes the writes, then the claim, in one statement. */
export async function takeTurn(run: Run, schema: string, { writes, claim }: Turn): Promise<TurnResult> {
  const request = {
    // An unstorable id becomes empty and matches no row. A repaired id could match another row.
    writes: writes.map(({ id, expected: { state, fence }, change }) => ({
      id: isStorable(id) ? id : '',
      expected: { state, fence },
      change: whole(change),
    })),
    claim: claim && { ...claim, leaseMs: Math.round(claim.leaseMs) },
  };
  const [found] = await run(`SELECT ${schema}.turn($1::text::jsonb) AS result`, [toPostgresJson(request)]);
  const { written, claimed } = JSON.parse(found?.result ?? '{}') as { written: boolean[]; claimed: unknown[] };
  return { written, claimed: claimed.map(rowOf) };
}

/** One turn of a worker as one statement, so that it is atomic over any pool. */
export const turnFunction = (schema: string): string => `
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
    promised integer;
    untried_first boolean := coalesce((request #>> '{claim,untriedFirst}')::boolean, false);
    taken bigint[] := '{}';
    dues bigint[] := '{}';
    counted jsonb := '[]';
    claimed json;
  BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
      RAISE EXCEPTION 'the outbox needs read committed' USING ERRCODE = '${ISOLATION}';
    END IF;
    -- In the order of ids, so that two turns with the same rows cause no deadlock.
    FOR item IN
      SELECT w.value, w.place FROM jsonb_array_elements(request -> 'writes') WITH ORDINALITY AS w(value, place)
      ORDER BY (w.value ->> 'id') COLLATE "C", w.place
    LOOP
      SELECT * INTO done FROM ${schema}.write(item.value ->> 'id', item.value -> 'expected', item.value -> 'change', now_ms);
      CONTINUE WHEN NOT done.written;
      written[item.place] := true;
      counted := counted || jsonb_build_object('account', done.of_account, 'attempts', done.counted,
        'recorded', (item.value #>> '{change,state}' = 'recorded')::integer,
        'dismissed', (item.value #>> '{change,state}' = 'dismissed')::integer - (item.value #>> '{expected,state}' = 'dismissed')::integer);
    END LOOP;
    IF wanted > 0 THEN
      now_ms := ${NOW_MS};
      SELECT array_agg(d.account), array_agg(d.environment), array_agg((a.value ->> 'busy')::bigint), array_agg(a.place), array_agg((
          SELECT coalesce(string_agg(w.value ->> 'operation', ' '), '') FROM jsonb_array_elements(coalesce(request #> '{claim,without}', '[]')) AS w(value)
          WHERE w.value ->> 'account' = d.account AND w.value ->> 'environment' = d.environment))
        INTO open_accounts, open_environments, held, places, open_left_out
        FROM jsonb_array_elements(request #> '{claim,accounts}') WITH ORDINALITY AS a(value, place)
        JOIN ${schema}.destinations AS d ON d.account = a.value ->> 'account' AND d.gateway = a.value -> 'gateways' ->> d.environment
        WHERE CASE WHEN probe IS NULL THEN d.reason IS NULL ELSE d.account = probe ->> 'account' AND d.environment = probe ->> 'environment'
          AND (probe ->> 'operation' IS NULL OR d.reason IS NULL) END;
      -- A time too far ahead shows that the clock jumped.
      UPDATE ${schema}.queue AS q SET due_at = now_ms WHERE q.sequence IN (
        SELECT far.sequence FROM unnest(open_accounts, open_environments) AS e(account, environment) CROSS JOIN LATERAL (
          SELECT f.sequence FROM ${schema}.queue AS f WHERE f.account = e.account AND f.environment = e.environment AND ${queued('f')} AND f.due_at > now_ms + ${LONGEST_WAIT_MS}
          ORDER BY f.due_at DESC LIMIT ${MOST_LOOKED_AT} FOR UPDATE SKIP LOCKED) AS far);
      -- The number of the next rows of each destination: of those that were never claimed, and of the others. The account with the
      -- fewest rows in flight comes first, and then the row that is due for longest. A time in the future shows that the clock jumped.
      FOR pass IN 1..2 LOOP
        promised := cardinality(taken);
        FOR item IN
          SELECT due.account, due.environment, due.left_out, due.first_due, due.until, count(*)::integer AS share FROM (
            SELECT turns.account, turns.environment, turns.left_out, turns.first_due, turns.until FROM (
              SELECT e.account, e.environment, e.left_out, e.place, span.first_due, span.until, head.since, head.sequence,
                e.held + row_number() OVER (PARTITION BY e.account ORDER BY head.since, head.sequence) AS turn
              FROM unnest(open_accounts, open_environments, held, places, open_left_out) AS e(account, environment, held, place, left_out)
              CROSS JOIN (VALUES (${HEAD_OF_THE_QUEUE}, ${HEAD_OF_THE_QUEUE}), (${HEAD_OF_THE_QUEUE + 1}, now_ms)) AS span(first_due, until) CROSS JOIN LATERAL (
                SELECT CASE WHEN q.due_at > ${HEAD_OF_THE_QUEUE} THEN q.due_at WHEN untried_first OR q.changed_at > now_ms THEN ${HEAD_OF_THE_QUEUE} ELSE q.changed_at END AS since, q.sequence
                FROM ${schema}.queue AS q
                WHERE q.account = e.account AND q.environment = e.environment AND ${queued('q')} AND q.due_at BETWEEN span.first_due AND span.until AND ${isAllowed(schema, 'e.left_out')}
                ORDER BY q.due_at, q.sequence LIMIT wanted - cardinality(taken)) AS head) AS turns
            ORDER BY turns.turn, turns.place, turns.since, turns.sequence LIMIT wanted - cardinality(taken)) AS due
          GROUP BY due.account, due.environment, due.left_out, due.first_due, due.until
        LOOP
          promised := promised + item.share;
          SELECT taken || coalesce(array_agg(c.sequence), '{}'), dues || coalesce(array_agg(c.due_at), '{}') INTO taken, dues
            FROM ${schema}.claim_due(item.account, item.environment, item.left_out, item.first_due, item.until, item.share, lease_ms, now_ms) AS c;
        END LOOP;
        -- Rows that wait for others are parked now, and the second pass takes those behind them.
        EXIT WHEN cardinality(taken) >= promised;
      END LOOP;
      SELECT json_agg(${openRowJson(schema)} ORDER BY t.due_at, t.sequence) INTO claimed FROM unnest(taken, dues) AS t(sequence, due_at)
        JOIN ${schema}.reports AS r ON r.sequence = t.sequence JOIN ${schema}.queue AS q ON q.sequence = t.sequence;
      SELECT counted || coalesce(jsonb_agg(jsonb_build_object('account', q.account, 'attempts', 1, 'recorded', 0, 'dismissed', 0)), '[]') INTO counted
        FROM unnest(taken) AS t(sequence) JOIN ${schema}.queue AS q ON q.sequence = t.sequence;
    END IF;
    -- The last lock: a transaction that waits for it holds up no other lock.
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

/** The due time of a changed row: a row that was never claimed is due by any clock. */
export const changedDue = (change: string): string =>
  `CASE WHEN ${change}.fence = 0 THEN ${HEAD_OF_THE_QUEUE} ELSE now_ms + ${change}."delayMs" END`;

/** The assignments of a write: the decided progress, and the time when the row is due. */
const CHANGED = `state = change.state, fence = change.fence, attempts = change.attempts, in_doubt = change."inDoubt", doubt_before = change."doubtBefore",
      due_at = ${changedDue('change')}, changed_at = now_ms, problem = change.problem, decisions = change.decisions`;

/**
 * Changes a row if it has the expected state and fence. A final row leaves the queue, and the rows that wait for it are
 * unblocked. A dismissed row that has its line in the log can come back to the queue. The rows that wait for it are
 * parked by the next claim.
 */
export const writeFunction = (schema: string): string => `
  CREATE FUNCTION ${schema}.write(wanted text, expected jsonb, new_values jsonb, now_ms bigint, OUT written boolean, OUT counted bigint, OUT of_account text)
  LANGUAGE plpgsql AS $write$
  DECLARE
    report record;
    queued record;
    change record;
    was_final boolean := expected ->> 'state' IN ('recorded', 'dismissed');
  BEGIN
    written := false;
    counted := 0;
    SELECT r.sequence, r.account, r.environment, r.reference, r.outcome, r.message, r.body IS NOT NULL AS has_body INTO report FROM ${schema}.reports AS r WHERE r.id = wanted;
    IF NOT FOUND THEN RETURN; END IF;
    IF was_final THEN
      SELECT r.attempts, r.account INTO queued FROM ${schema}.reports AS r
        WHERE r.sequence = report.sequence AND r.state = expected ->> 'state' AND r.fence = (expected ->> 'fence')::integer FOR UPDATE;
      IF NOT FOUND OR EXISTS (SELECT 1 FROM ${schema}.unlogged AS u WHERE u.sequence = report.sequence) THEN RETURN; END IF;
      -- The same as mustStay. A claim of that row holds a lock on this one until it is committed, and is seen here.
      IF EXISTS (SELECT 1 FROM ${schema}.reports AS a JOIN ${schema}.queue AS q ON q.sequence = a.sequence
        WHERE a.id IN (${idsAfter('report')}) AND a.waits_for = wanted AND q.state = 'in-flight') THEN RETURN; END IF;
    ELSE
      SELECT q.attempts, q.account INTO queued FROM ${schema}.queue AS q
        WHERE q.sequence = report.sequence AND q.state = expected ->> 'state' AND q.fence = (expected ->> 'fence')::integer FOR UPDATE;
      IF NOT FOUND THEN RETURN; END IF;
    END IF;
    SELECT * INTO change FROM jsonb_to_record(new_values) AS c(state text, fence integer, attempts integer, "inDoubt" boolean, "doubtBefore" boolean,
      "delayMs" bigint, outcome text, message text, "requestId" text, problem jsonb, decisions jsonb, "keepBody" boolean, replacement jsonb);
    written := true;
    counted := change.attempts - queued.attempts;
    of_account := queued.account;
    IF change.state IN ('recorded', 'dismissed') THEN
      DELETE FROM ${schema}.queue AS q WHERE q.sequence = report.sequence;
      UPDATE ${schema}.reports AS r SET ${CHANGED}, outcome = change.outcome, message = change.message, request_id = change."requestId", body = CASE WHEN change."keepBody" THEN r.body END
        WHERE r.sequence = report.sequence;
      INSERT INTO ${schema}.unlogged (sequence) VALUES (report.sequence);
      -- After the report is written: a claim parks a row under a lock on the report, so its change is visible from here on.
      UPDATE ${schema}.queue AS q SET blocked = false, parked = false WHERE q.waits_for = wanted AND q.blocked;
    ELSIF was_final THEN
      INSERT INTO ${schema}.queue (sequence, account, environment, waits_for, state, fence, attempts, in_doubt, doubt_before, due_at, changed_at, problem, decisions)
        SELECT r.sequence, r.account, r.environment, r.waits_for, change.state, change.fence, change.attempts, change."inDoubt", change."doubtBefore",
          ${changedDue('change')}, now_ms, change.problem, change.decisions FROM ${schema}.reports AS r WHERE r.sequence = report.sequence;
      UPDATE ${schema}.reports AS r SET state = NULL, fence = NULL, attempts = NULL, in_doubt = NULL, doubt_before = NULL, due_at = NULL, changed_at = NULL,
        problem = NULL, decisions = NULL WHERE r.sequence = report.sequence;
    ELSE
      UPDATE ${schema}.queue AS q SET ${CHANGED}, parked = false,
        blocked = change.state = 'waiting' AND q.waits_for IS NOT NULL AND ${isOpenBefore(schema, 'q.waits_for')} WHERE q.sequence = report.sequence;
      IF report.outcome IS DISTINCT FROM change.outcome OR report.message IS DISTINCT FROM change.message OR report.has_body AND NOT change."keepBody" THEN
        UPDATE ${schema}.reports AS r SET outcome = change.outcome, message = change.message, body = CASE WHEN change."keepBody" THEN r.body END
          WHERE r.sequence = report.sequence;
      END IF;
    END IF;
    IF change.replacement IS NOT NULL THEN
      UPDATE ${schema}.reports AS r SET body = change.replacement ->> 'body', fingerprint = change.replacement ->> 'fingerprint', excerpt = change.replacement ->> 'excerpt' WHERE r.sequence = report.sequence;
    END IF;
  END $write$;
`;
