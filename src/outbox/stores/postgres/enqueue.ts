import { isStoreError } from '../../../core/errors/store-error.js';
import { otherGateway } from '../../rules/destination.js';
import { utf8 } from '../../seal/encryption.js';
import type { Enqueued, NewRow } from '../../store/store.js';
import { HEAD_OF_THE_QUEUE } from '../claim-order.js';
import { isStorable, newRow } from '../rows.js';
import type { Run } from './database.js';
import { CONFLICT, LOCK_TIMEOUT, OTHER_GATEWAY, postgresError, UNPREPARED } from './failure.js';
import { BY_IDS, isOpenBefore, onlyColumn, readRow, selectRows } from './sql-parts.js';

const COLUMNS = 'account, environment, waits_for';
const REPORT = `id, operation, reference, fingerprint, excerpt, body, ${COLUMNS}`;
const TYPES = `${REPORT.replaceAll(',', ' text,')} text`;

/** A row as the functions of the database take it. */
const columnsOf = ({
  waitsFor,
  excerpt,
  id,
  account,
  environment,
  operation,
  reference,
  fingerprint,
  body,
  gateway,
}: NewRow) => ({
  ...{ id, account, environment, operation, reference, fingerprint, body, gateway },
  waits_for: waitsFor ?? null,
  excerpt: excerpt ?? null,
});

/**
 * Binds a destination unless it is bound, and returns its gateway. It waits for an open transaction that binds it
 * first.
 */
const bindFunction = (schema: string): string => `
  CREATE FUNCTION ${schema}.bind(of_account text, of_environment text, to_gateway text) RETURNS text LANGUAGE plpgsql AS $bind$
  DECLARE
    bound text;
  BEGIN
    SELECT d.gateway INTO bound FROM ${schema}.destinations AS d WHERE d.account = of_account AND d.environment = of_environment;
    IF NOT FOUND THEN
      INSERT INTO ${schema}.destinations (account, environment, gateway) VALUES (of_account, of_environment, to_gateway) ON CONFLICT DO NOTHING;
      -- Another tool deleted the destination: its breakers are of its earlier binding.
      IF FOUND THEN DELETE FROM ${schema}.breakers AS b WHERE b.account = of_account AND b.environment = of_environment; END IF;
      SELECT d.gateway INTO bound FROM ${schema}.destinations AS d WHERE d.account = of_account AND d.environment = of_environment;
    END IF;
    RETURN bound;
  END $bind$;
`;

/**
 * Adds any number of rows, and notifies the listeners at the commit. Returns the added rows, or the first destination
 * that is bound to another gateway. It numbers the rows in their order, and writes them in the order of ids so that two
 * calls cannot deadlock. It is a function so that PostgreSQL keeps its plans, since planning takes longer than
 * inserting.
 */
const addFunction = (schema: string): string => `
  CREATE FUNCTION ${schema}.add(new_rows json, channel text, patience text) RETURNS json LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $add$
  DECLARE
    item record;
    bound text;
    is_blocked boolean;
    added json;
  BEGIN
    IF patience IS NOT NULL THEN PERFORM set_config('lock_timeout', patience, true); END IF;
    FOR item IN
      SELECT DISTINCT n.account, n.environment, n.gateway FROM json_to_recordset(new_rows) AS n(account text, environment text, gateway text)
      WHERE NOT EXISTS (SELECT 1 FROM ${schema}.destinations AS d WHERE d.account = n.account AND d.environment = n.environment AND d.gateway = n.gateway)
      ORDER BY 1, 2, 3
    LOOP
      bound := ${schema}.bind(item.account, item.environment, item.gateway);
      IF bound <> item.gateway THEN RETURN json_build_object('account', item.account, 'environment', item.environment, 'gateway', item.gateway, 'bound', bound); END IF;
    END LOOP;
    IF json_array_length(new_rows) = 1 THEN
      -- The usual case, in half the time of the statement for many.
      INSERT INTO ${schema}.reports (${REPORT}) SELECT ${REPORT} FROM json_to_record(new_rows -> 0) AS n(${TYPES})
        ON CONFLICT (id) DO NOTHING RETURNING reports.id, reports.sequence, ${COLUMNS}, enqueued_at INTO item;
      IF FOUND THEN
        is_blocked := item.waits_for IS NOT NULL AND ${isOpenBefore(schema, 'item.waits_for')};
        INSERT INTO ${schema}.queue (sequence, ${COLUMNS}, blocked, due_at, changed_at)
          VALUES (item.sequence, item.account, item.environment, item.waits_for, is_blocked, ${HEAD_OF_THE_QUEUE}, item.enqueued_at);
        added := json_build_array(json_build_object('id', item.id, 'sequence', item.sequence, 'enqueuedAt', item.enqueued_at, 'blocked', is_blocked));
      END IF;
    ELSE
      WITH given AS MATERIALIZED (
        SELECT nextval('${schema}.reports_sequence_seq') AS sequence, g.* FROM ROWS FROM (json_to_recordset(new_rows) AS (${TYPES})) WITH ORDINALITY
          AS g(${REPORT}, place)),
      new_reports AS (
        INSERT INTO ${schema}.reports (sequence, ${REPORT}) SELECT sequence, ${REPORT} FROM given ORDER BY id COLLATE "C", place
        ON CONFLICT (id) DO NOTHING RETURNING id, sequence, ${COLUMNS}, enqueued_at),
      queued AS (
        INSERT INTO ${schema}.queue (sequence, ${COLUMNS}, blocked, due_at, changed_at)
        -- Not EXISTS, for which PostgreSQL may read the whole table.
        SELECT r.sequence, ${COLUMNS}, r.waits_for IS NOT NULL AND (r.waits_for IN (SELECT id FROM new_reports)
          OR coalesce((SELECT before.state IS NULL FROM ${schema}.reports AS before WHERE before.id = r.waits_for), false)),
          ${HEAD_OF_THE_QUEUE}, r.enqueued_at FROM new_reports AS r
        RETURNING sequence, blocked)
      SELECT json_agg(json_build_object('id', r.id, 'sequence', r.sequence, 'enqueuedAt', r.enqueued_at, 'blocked', q.blocked)) INTO added
        FROM new_reports AS r JOIN queued AS q ON q.sequence = r.sequence;
    END IF;
    IF added IS NOT NULL AND channel IS NOT NULL THEN PERFORM pg_notify(channel, ''); END IF;
    RETURN json_build_object('added', coalesce(added, '[]'));
  END $add$;
`;

/** The prefix of the value of a prepared report. Other values are refused. */
const MARK = 'outbox1';

/** The errors of the user's statement, with what to do. They never show the value. */
const REFUSALS = {
  missing: [
    UNPREPARED,
    'expected the value of a prepared report, and was given NULL',
    'Await outbox.prepare, and bind its report.value as a parameter.',
  ],
  unprepared: [
    UNPREPARED,
    'expected the value of a prepared report, and was given something else',
    'Bind report.value as a parameter, of the report that outbox.prepare resolved with: neither the payload nor the report itself.',
  ],
  changed: [
    UNPREPARED,
    'the value of the prepared report was changed on the way',
    'Bind it whole, as text, over a connection whose client_encoding is UTF8.',
  ],
  foreign: [
    UNPREPARED,
    'the report was prepared by the outbox of another store, be it one of the same name in another database',
    'Prepare the report with an outbox over this database and this schema.',
  ],
  conflict: [
    CONFLICT,
    'the outbox holds other data under this reference (a new timestamp or location is other data too); compare your records',
    'Prepare a report once, before the part that you repeat. After a change of the encryption key, call report.enqueue: it recognises the same data.',
  ],
} as const;

function refuse(why: keyof typeof REFUSALS): string {
  const [state, message, hint] = REFUSALS[why];
  return `RAISE EXCEPTION 'enqueue: ${message}. Nothing was enqueued.' USING ERRCODE = '${state}', HINT = '${hint}';`;
}

/**
 * The function for the user's own statements. An error fails the statement. The value begins with the number of its
 * bytes, so that a cut or re-encoded one is refused. The parameter has a name, because some libraries replace `$1` in
 * every text.
 */
const enqueueFunction = (schema: string): string => `
  CREATE FUNCTION ${schema}.enqueue(report text) RETURNS boolean LANGUAGE plpgsql AS $enqueue$
  DECLARE
    bytes text := substring(report FROM '^${MARK} ([0-9]{1,9}) ');
    content text := substr(report, length('${MARK}  ' || bytes) + 1);
    new_row json;
    result json;
  BEGIN
    IF report IS NULL THEN ${refuse('missing')} END IF;
    IF bytes IS NULL THEN ${refuse('unprepared')} END IF;
    IF bytes::integer <> octet_length(content) THEN ${refuse('changed')} END IF;
    IF content::json ->> 'store' IS DISTINCT FROM (SELECT m.store FROM ${schema}.meta AS m) THEN ${refuse('foreign')} END IF;
    new_row := content::json -> 'row';
    result := ${schema}.add(json_build_array(new_row), content::json ->> 'channel', NULL);
    IF result ->> 'bound' IS NOT NULL THEN
      RAISE EXCEPTION 'enqueue: reports of account % (%) go to %, and this one is for %. Nothing was enqueued.', result ->> 'account', result ->> 'environment', result ->> 'bound', result ->> 'gateway'
        USING ERRCODE = '${OTHER_GATEWAY}', HINT = 'Name another licence with the option account, or change the gateway with location-sdk outbox … rebind.';
    END IF;
    IF json_array_length(result -> 'added') = 1 THEN RETURN true; END IF;
    IF NOT EXISTS (SELECT 1 FROM ${schema}.reports AS r WHERE r.id = new_row ->> 'id' AND r.fingerprint = new_row ->> 'fingerprint') THEN ${refuse('conflict')} END IF;
    RETURN false;
  END $enqueue$;
`;

export const enqueueFunctions = (schema: string): string =>
  bindFunction(schema) + addFunction(schema) + enqueueFunction(schema);

/**
 * The longest waits for a lock: another transaction may hold the same report. With many rows it is short, since they
 * keep each other waiting.
 */
export const LONGEST_LOCK_MS = { one: '5000', many: '500' };

/** The result of `add`. */
interface Result {
  readonly added?: readonly {
    readonly id: string;
    readonly sequence: number;
    readonly enqueuedAt: number;
    readonly blocked: boolean;
  }[];
  readonly bound: string;
}

export function createEnqueue(
  schema: string,
  store: string,
  channel: string | null,
  longestLockMs: typeof LONGEST_LOCK_MS,
) {
  /** Refuses text that the database would change. */
  const check = (row: NewRow): void => {
    if (Object.values(columnsOf(row)).some((value) => value !== null && !isStorable(value)))
      throw postgresError('text', schema);
  };

  /** Adds rows over `run`. The user's own transaction has its own lock limits, so this sets none. */
  async function enqueue(run: Run, given: readonly NewRow[], isOwn: boolean): Promise<readonly Enqueued[]> {
    given.forEach(check);
    if (given.length === 0) return [];
    const lock = given.length === 1 ? longestLockMs.one : longestLockMs.many;
    const [found] = await run(`SELECT ${schema}.add($1::text::json, $2::text, $3::text)::text AS result`, [
      JSON.stringify(given.map(columnsOf)),
      channel,
      isOwn ? lock : null,
    ]).catch((error) => Promise.reject(withLockAdvice(error, schema)));
    const { added, bound } = JSON.parse(onlyColumn(found) ?? '{}') as Result;
    const refused = added ? undefined : given.find(({ gateway }) => gateway !== bound);
    if (refused) throw otherGateway(refused, bound);
    const rows = new Map(added?.map((one) => [one.id, one]));
    const missing = given.filter(({ id }) => !rows.has(id)).map(({ id }) => id);
    // A separate statement, since the first one cannot see the commits of others in the meantime.
    const before = missing.length === 0 ? [] : await run(selectRows(schema, BY_IDS), [JSON.stringify(missing)]);
    const there = new Map(before.map(readRow).map((row) => [row.id, row]));
    return given.map((one) => {
      const known = there.get(one.id);
      if (known) return { row: known, added: false };
      const { sequence, enqueuedAt, blocked } = rows.get(one.id) ?? unreadable();
      const row = newRow(one, sequence, enqueuedAt, blocked);
      // Of several rows with the same id, the first counts as added.
      there.set(one.id, row);
      return { row, added: true };
    });
  }

  const unreadable = (): never => {
    throw postgresError('other', schema, undefined, ': it holds a report that cannot be read');
  };

  return {
    enqueue,
    /** The value for the `enqueue` function of the database, in the user's own statement. */
    asValue(row: NewRow): string {
      check(row);
      const content = JSON.stringify({ store, channel, row: columnsOf(row) });
      return `${MARK} ${utf8(content).length} ${content}`;
    },
  };
}

/** Adds the advice to an error after a wait for a lock. */
const withLockAdvice = (error: unknown, schema: string): unknown =>
  isStoreError(error) && error.sqlState === LOCK_TIMEOUT
    ? postgresError(
        'busy',
        schema,
        error.sqlState,
        '; an open transaction may hold the same report, or be the first one of its destination: end it, then enqueue again. Nothing was enqueued',
      )
    : error;
