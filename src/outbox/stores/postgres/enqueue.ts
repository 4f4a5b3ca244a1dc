import { otherGateway } from '../../rules/destination.js';
import type { Row } from '../../rules/state-machine.js';
import { utf8 } from '../../seal/encryption.js';
import type { Enqueued, NewRow } from '../../store/store.js';
import { HEAD_OF_THE_QUEUE } from '../claim-order.js';
import { isStorable, newRow } from '../rows.js';
import type { Columns, PostgresValue, Run } from './database.js';
import {
  CONFLICT,
  LOCK_TIMEOUT,
  OTHER_GATEWAY,
  OtherGatewayError,
  PostgresStoreError,
  postgresError,
  UNPREPARED,
} from './failure.js';
import { isOpenBefore, readRow, selectRows } from './sql-parts.js';

/** The columns of a new row, in their order. */
export const COLUMNS = [
  'id',
  'account',
  'environment',
  'operation',
  'reference',
  'waits_for',
  'fingerprint',
  'excerpt',
  'body',
] as const;

const VARIABLES = `new_sequence bigint;
    now_ms bigint;
    is_blocked boolean := false;`;

/**
 * Adds a row from the SQL of each column, and notifies the listeners at the commit. Runs `otherwise` if the id exists.
 */
function addRow(
  schema: string,
  sqlOf: (column: (typeof COLUMNS)[number] | 'gateway') => string,
  otherwise: string,
): string {
  const [account, environment, gateway, waitsFor] = [
    sqlOf('account'),
    sqlOf('environment'),
    sqlOf('gateway'),
    sqlOf('waits_for'),
  ];
  return `
    PERFORM ${schema}.bind(${account}, ${environment}, ${gateway});
    INSERT INTO ${schema}.reports (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map((column) => sqlOf(column)).join(', ')})
      ON CONFLICT (id) DO NOTHING RETURNING reports.sequence, reports.enqueued_at INTO new_sequence, now_ms;
    IF NOT FOUND THEN ${otherwise} END IF;
    IF ${waitsFor} IS NOT NULL THEN is_blocked := ${isOpenBefore(schema, waitsFor)}; END IF;
    INSERT INTO ${schema}.queue (sequence, account, environment, waits_for, blocked, due_at, changed_at)
      VALUES (new_sequence, ${account}, ${environment}, ${waitsFor}, is_blocked, ${HEAD_OF_THE_QUEUE}, now_ms);
    IF channel IS NOT NULL THEN PERFORM pg_notify(channel, ''); END IF;`;
}

const parameter = (column: string): string => `new_${column}`;

/**
 * Adds a row. Returns NULL if the id exists. It is a function so that PostgreSQL keeps its plans, since planning takes
 * longer than inserting. It has only named parameters, because some libraries replace `$1` in every text.
 */
export const addFunction = (schema: string): string => `
  CREATE FUNCTION ${schema}.add(${COLUMNS.map(parameter).join(' text, ')} text, new_gateway text, channel text, patience text) RETURNS text LANGUAGE plpgsql AS $add$
  DECLARE
    ${VARIABLES}
  BEGIN
    IF patience IS NOT NULL THEN PERFORM set_config('lock_timeout', patience, true); END IF;${addRow(schema, parameter, 'RETURN NULL;')}
    RETURN json_build_object('id', new_id, 'sequence', new_sequence, 'enqueuedAt', now_ms, 'blocked', is_blocked);
  END $add$;
`;

/** The prefix of the value of a prepared report. Other values are refused. */
const MARK = 'outbox1 ';
/** The separator of its parts. No part contains it. */
export const SEPARATOR = '\u001f';
/**
 * Its parts, in their order. The first is the number of bytes that follow, so that a cut or re-encoded value is
 * refused.
 */
const PARTS = ['bytes', 'store', 'channel', 'gateway', ...COLUMNS] as const;

const partOf = (name: (typeof PARTS)[number]): string => `part[${PARTS.indexOf(name) + 1}]`;

/**
 * Makes the value of a prepared report from the values of its columns. It is text, which every library binds unchanged.
 */
function preparedValue(
  store: string,
  channel: string | null,
  gateway: string,
  values: readonly (string | null)[],
): string {
  const rest = [store, channel, gateway, ...values].map((value) => value ?? '').join(SEPARATOR);
  return MARK + utf8(rest).length + SEPARATOR + rest;
}

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

/** The function for the user's own statements. An error fails the statement. */
export const enqueueFunction = (schema: string): string => `
  CREATE FUNCTION ${schema}.enqueue(report text) RETURNS boolean LANGUAGE plpgsql AS $enqueue$
  DECLARE
    part text[] := string_to_array(substr(report, ${MARK.length + 1}), chr(${SEPARATOR.charCodeAt(0)}));
    channel text := nullif(${partOf('channel')}, '');
    new_waits_for text := nullif(${partOf('waits_for')}, '');
    new_excerpt text := nullif(${partOf('excerpt')}, '');
    ${VARIABLES}
  BEGIN
    IF report IS NULL THEN ${refuse('missing')} END IF;
    IF NOT starts_with(report, '${MARK}') OR pg_catalog.cardinality(part) <> ${PARTS.length} THEN ${refuse('unprepared')} END IF;
    IF ${partOf('bytes')} <> (octet_length(report) - octet_length(${partOf('bytes')}) - ${MARK.length + SEPARATOR.length})::text THEN
      ${refuse('changed')}
    END IF;
    IF ${partOf('store')} IS DISTINCT FROM (SELECT m.store FROM ${schema}.meta AS m) THEN ${refuse('foreign')} END IF;${addRow(
      schema,
      (column) => (column === 'waits_for' || column === 'excerpt' ? parameter(column) : partOf(column)),
      `
      PERFORM 1 FROM ${schema}.reports AS r WHERE r.id = ${partOf('id')} AND r.fingerprint = ${partOf('fingerprint')};
      IF FOUND THEN RETURN false; END IF;
      ${refuse('conflict')}
    `,
    )}
    RETURN true;
  END $enqueue$;
`;

/**
 * Announces the gateway of a destination that is not bound yet, with an advisory lock that transactions with the same
 * gateway share. Returns false if an open transaction has announced another gateway. It never waits. The next statement
 * sees the binding of a transaction that has committed in the meantime.
 */
const isAlone = (schema: string): string => `
  CREATE FUNCTION ${schema}.is_alone(of_account text, of_environment text, to_gateway text) RETURNS boolean LANGUAGE plpgsql AS $is_alone$
  DECLARE
    destination integer := hashtext('location-sdk ${schema}.' || of_account || ':' || of_environment);
    address integer := hashtext(to_gateway);
    said record;
  BEGIN
    SELECT coalesce(bool_or(l.pid = pg_backend_pid() AND l.objid = address::bigint & 4294967295), false) AS mine, coalesce(bool_or(l.objid <> address::bigint & 4294967295), false) AS others
      INTO said FROM pg_locks AS l WHERE ${announced};
    -- No other transaction had announced a gateway before this one; later ones are refused.
    IF said.mine THEN RETURN true; END IF;
    IF said.others THEN RETURN false; END IF;
    PERFORM pg_advisory_xact_lock_shared(destination, address);
    -- Two transactions that announce one at the same moment both see each other.
    RETURN NOT EXISTS (SELECT 1 FROM pg_locks AS l WHERE ${announced} AND l.objid <> address::bigint & 4294967295);
  END $is_alone$;
`;

const announced = `l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 AND l.classid = destination::bigint & 4294967295
        AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())`;

/**
 * Binds a destination that is not bound yet. Returns false if an open transaction has announced another gateway. It
 * does not wait for the first open transaction.
 */
const tryBind = (schema: string): string => `
  CREATE FUNCTION ${schema}.try_bind(of_account text, of_environment text, to_gateway text) RETURNS boolean LANGUAGE plpgsql AS $try_bind$
  BEGIN
    IF NOT ${schema}.is_alone(of_account, of_environment, to_gateway) THEN RETURN false; END IF;
    IF pg_try_advisory_xact_lock(hashtextextended('location-sdk ${schema}.' || of_account || ':' || of_environment, 0)) THEN
      INSERT INTO ${schema}.destinations (account, environment, gateway) VALUES (of_account, of_environment, to_gateway) ON CONFLICT DO NOTHING;
      -- Another tool deleted the destination: its breakers are of its earlier binding.
      IF FOUND THEN DELETE FROM ${schema}.breakers AS b WHERE b.account = of_account AND b.environment = of_environment; END IF;
    END IF;
    RETURN true;
  END $try_bind$;
`;

const HINT =
  "HINT = 'Name another licence with the option account, or change the gateway with location-sdk outbox … rebind.'";

/**
 * Binds a destination unless it is bound. A different gateway fails the statement. Each inner statement sees the latest
 * commits, so that several instances that start at once all see the same gateway.
 */
const bind = (schema: string): string => `
  CREATE FUNCTION ${schema}.bind(of_account text, of_environment text, to_gateway text) RETURNS boolean LANGUAGE plpgsql AS $bind$
  DECLARE
    bound text;
  BEGIN
    SELECT d.gateway INTO bound FROM ${schema}.destinations AS d WHERE d.account = of_account AND d.environment = of_environment;
    IF NOT FOUND THEN
      IF NOT ${schema}.try_bind(of_account, of_environment, to_gateway) THEN
        RAISE EXCEPTION 'enqueue: an open transaction sends reports of account % (%) to another gateway than %. Nothing was enqueued.', of_account, of_environment, to_gateway
          USING ERRCODE = '${OTHER_GATEWAY}', ${HINT};
      END IF;
      SELECT d.gateway INTO bound FROM ${schema}.destinations AS d WHERE d.account = of_account AND d.environment = of_environment;
    END IF;
    IF bound <> to_gateway THEN
      RAISE EXCEPTION 'enqueue: reports of account % (%) go to %, and this one is for %. Nothing was enqueued.', of_account, of_environment, bound, to_gateway
        USING ERRCODE = '${OTHER_GATEWAY}', ${HINT};
    END IF;
    RETURN true;
  END $bind$;
`;

/**
 * The same in the store's own transactions. A lock runs them one after the other, so that they do not refuse each
 * other.
 */
const bindAlone = (schema: string): string => `
  CREATE FUNCTION ${schema}.bind_alone(of_account text, of_environment text, to_gateway text) RETURNS boolean LANGUAGE plpgsql AS $bind_alone$
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('location-sdk ${schema}.destinations', 0));
    RETURN ${schema}.try_bind(of_account, of_environment, to_gateway);
  END $bind_alone$;
`;

export const bindFunctions = (schema: string): string =>
  [isAlone, tryBind, bind, bindAlone].map((one) => one(schema)).join('');

/** The values of a report's columns, in their order. */
const valuesOf = ({
  id,
  account,
  environment,
  operation,
  reference,
  waitsFor,
  fingerprint,
  excerpt,
  body,
}: NewRow): PostgresValue[] => [
  id,
  account,
  environment,
  operation,
  reference,
  waitsFor ?? null,
  fingerprint,
  excerpt ?? null,
  body,
];

const LIST = COLUMNS.join(', ');

/**
 * The longest waits for a lock: another transaction may hold the same report. With many rows it is short, since they
 * keep each other waiting.
 */
export const LONGEST_LOCK_MS = { one: '5000', many: '500' };

interface Added {
  readonly id: string;
  readonly sequence: number;
  readonly enqueuedAt: number;
  readonly blocked: boolean;
}

/**
 * Adds any number of rows. It numbers them in their order, and writes them in the order of ids so that two calls cannot
 * deadlock.
 */
const addMany = (schema: string): string => `
  WITH patience AS MATERIALIZED (SELECT CASE WHEN $3::text IS NOT NULL THEN set_config('lock_timeout', $3::text, true) END AS set),
  given AS MATERIALIZED (
    SELECT nextval('${schema}.reports_sequence_seq') AS sequence, g.* FROM patience CROSS JOIN ROWS FROM (json_to_recordset($1::text::json)
      AS (id text, account text, environment text, operation text, reference text, waits_for text, fingerprint text, body text, excerpt text, gateway text)) WITH ORDINALITY
      AS g(id, account, environment, operation, reference, waits_for, fingerprint, body, excerpt, gateway, place)),
  bound AS MATERIALIZED (SELECT count(${schema}.bind(d.account, d.environment, d.gateway)) AS number FROM (SELECT DISTINCT account, environment, gateway FROM given) AS d),
  added AS (
    INSERT INTO ${schema}.reports (sequence, ${LIST}) SELECT g.sequence, ${LIST} FROM given AS g CROSS JOIN bound ORDER BY g.id COLLATE "C", g.place
    ON CONFLICT (id) DO NOTHING RETURNING id, sequence, account, environment, waits_for, enqueued_at),
  queued AS (
    INSERT INTO ${schema}.queue (sequence, account, environment, waits_for, blocked, due_at, changed_at)
    SELECT a.sequence, a.account, a.environment, a.waits_for, a.waits_for IS NOT NULL AND (a.waits_for IN (SELECT id FROM added) OR ${isOpenBefore(schema, 'a.waits_for')}),
      ${HEAD_OF_THE_QUEUE}, a.enqueued_at FROM added AS a
    RETURNING sequence, blocked),
  told AS MATERIALIZED (SELECT pg_notify($2::text, '') WHERE $2::text IS NOT NULL AND EXISTS (SELECT 1 FROM queued))
  SELECT json_build_object('id', a.id, 'sequence', a.sequence, 'enqueuedAt', a.enqueued_at, 'blocked', q.blocked)::text AS added
  FROM added AS a JOIN queued AS q ON q.sequence = a.sequence LEFT JOIN told ON true`;

const addOne = (schema: string): string =>
  `SELECT ${schema}.add($1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text, $9::text, $10::text, $11::text, $12::text) AS added`;

/** Reads the rows that existed before. */
const getMany = (schema: string): string =>
  selectRows(schema, 'WHERE r.id IN (SELECT json_array_elements_text($1::text::json))');

export function createEnqueue(
  schema: string,
  store: string,
  channel: string | null,
  longestLockMs: typeof LONGEST_LOCK_MS,
) {
  const [one, many, get] = [addOne(schema), addMany(schema), getMany(schema)];

  /** Refuses text that the database would change. */
  const check = (row: NewRow): void => {
    if ([...valuesOf(row), row.gateway].some((value) => value !== null && !isStorable(value)))
      throw postgresError('text', schema);
  };

  /** Adds rows over `run`. The user's own transaction has its own lock limits, so this sets none. */
  async function enqueue(run: Run, given: readonly NewRow[], isOwn: boolean): Promise<readonly Enqueued[]> {
    given.forEach(check);
    const [only] = given;
    if (!only) return [];
    const { text, values, lock } =
      given.length === 1
        ? { text: one, values: [...valuesOf(only), only.gateway, channel], lock: longestLockMs.one }
        : { text: many, values: [JSON.stringify(given.map(columnsOf)), channel], lock: longestLockMs.many };
    const found = await run(text, [...values, isOwn ? lock : null]).catch((error) =>
      Promise.reject(refusalOf(error, given, schema)),
    );
    const added = new Map(found.flatMap(readAdded).map((row) => [row.id, row]));
    const missing = given.filter(({ id }) => !added.has(id)).map(({ id }) => id);
    // A separate statement, since the first one cannot see the commits of others in the meantime.
    const there = missing.length === 0 ? [] : (await run(get, [JSON.stringify(missing)])).map(readRow);
    const rows = new Map(there.map((row) => [row.id, row]));
    return given.map((row) => enqueuedOf(row, added, rows, schema));
  }

  return {
    enqueue,
    /** The value for the `enqueue` function of the database, in the user's own statement. */
    asValue: (row: NewRow): string => {
      check(row);
      const values = valuesOf(row);
      if ([...values, row.gateway].some((value) => value?.includes(SEPARATOR))) throw postgresError('text', schema);
      return preparedValue(store, channel, row.gateway, values);
    },
  };
}

/** The error of the first row whose gateway differs from the bound one. */
function refusalOf(error: unknown, given: readonly NewRow[], schema: string): unknown {
  if (!(error instanceof OtherGatewayError)) return heldError(error, schema);
  const refused = given.find(({ gateway }) => gateway !== error.bound);
  return refused ? otherGateway(refused, error.bound) : error;
}

/** Adds the advice to an error after a wait for a lock. */
const heldError = (error: unknown, schema: string): unknown =>
  error instanceof PostgresStoreError && error.sqlState === LOCK_TIMEOUT
    ? postgresError(
        'busy',
        schema,
        error.sqlState,
        '; an open transaction may hold the same report: end it, then enqueue again. Nothing was enqueued',
      )
    : error;

/** Reads an added row. Empty if the row existed before. */
const readAdded = ({ added }: Columns): Added[] => (typeof added === 'string' ? [JSON.parse(added) as Added] : []);

const columnsOf = ({
  id,
  account,
  environment,
  operation,
  reference,
  waitsFor,
  fingerprint,
  body,
  excerpt,
  gateway,
}: NewRow) => ({
  id,
  account,
  environment,
  operation,
  reference,
  waits_for: waitsFor ?? null,
  fingerprint,
  body,
  excerpt: excerpt ?? null,
  gateway,
});

/** The result of one row. Of several rows with the same id, the first counts as added. */
function enqueuedOf(
  given: NewRow,
  added: ReadonlyMap<string, Added>,
  rows: Map<string, Row>,
  schema: string,
): Enqueued {
  const there = rows.get(given.id);
  if (there) return { row: there, added: false };
  const one = added.get(given.id);
  if (!one) throw postgresError('other', schema, undefined, ': it holds a report that cannot be read');
  const row = newRow(given, one.sequence, one.enqueuedAt, one.blocked);
  rows.set(given.id, row);
  return { row, added: true };
}
