import { HEAD_OF_THE_QUEUE } from '../head-of-queue.js';
import { isOpenBefore } from './row-columns.js';

/** The due time of a changed row: a row that was never claimed is due by any clock. */
export const changedDue = (change: string): string => `CASE WHEN ${change}.fence = 0 THEN ${HEAD_OF_THE_QUEUE} ELSE now_ms + ${change}."delayMs" END`;

/** The assignments of a write: the decided progress, and the time when the row is due. */
const CHANGED = `state = change.state, fence = change.fence, attempts = change.attempts, in_doubt = change."inDoubt", doubt_before = change."doubtBefore",
      due_at = ${changedDue('change')}, changed_at = now_ms, problem = change.problem, decisions = change.decisions`;

/** Changes a row if it has the expected state and fence. A final row leaves the queue, and the rows that wait for it are unblocked. */
export const write = (schema: string): string => writeFunction(schema, 'CREATE', { members: '', columns: '' });

/**
 * The same with the id of the request. It replaces the first version. Older instances call it through `turn` without an id, and its
 * arguments and result stay the same.
 */
export const writeWithRequestId = (schema: string): string =>
  writeFunction(schema, 'CREATE OR REPLACE', { members: '"requestId" text, ', columns: ', request_id = change."requestId"' });

const writeFunction = (schema: string, create: string, { members, columns }: { readonly members: string; readonly columns: string }): string => `
  ${create} FUNCTION ${schema}.write(wanted text, expected jsonb, new_values jsonb, now_ms bigint, OUT written boolean, OUT counted bigint, OUT of_account text)
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
      "delayMs" bigint, outcome text, message text, ${members}problem jsonb, decisions jsonb, "keepBody" boolean);
    written := true;
    counted := change.attempts - queued.attempts;
    of_account := queued.account;
    IF change.state IN ('recorded', 'dismissed') THEN
      DELETE FROM ${schema}.queue AS q WHERE q.sequence = report.sequence;
      UPDATE ${schema}.reports AS r SET ${CHANGED}, outcome = change.outcome, message = change.message${columns}, body = CASE WHEN change."keepBody" THEN r.body END
        WHERE r.sequence = report.sequence;
      INSERT INTO ${schema}.unlogged (sequence) VALUES (report.sequence);
      -- After the report is written: a claim parks a row under a lock on the report, so its change is visible from here on.
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
