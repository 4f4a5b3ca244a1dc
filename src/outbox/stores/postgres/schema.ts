import { ConfigurationError, refuseOtherNames } from '../../../errors/errors.js';
import { issue } from '../../../schema/issue.js';
import { optionsProblem } from '../../../schema/option-rules.js';
import { LARGEST_COUNT, MOST_WORDS } from '../../rules/state-machine.js';
import { HEAD_OF_THE_QUEUE } from '../claim-order.js';
import { CLASS_COLUMNS } from '../sql/shared-statements.js';
import { claimFunction } from './claim.js';
import type { Run } from './database.js';
import { stepFunction } from './decisions.js';
import { outlookFunction } from './destinations.js';
import { enqueueFunctions } from './enqueue.js';
import { OTHER_VERSION, postgresError } from './failure.js';
import { appendFunction } from './final-rows.js';
import { LACKS_KEY, LARGEST_NUMBER, QUEUED, STATEMENT_MS } from './sql-parts.js';
import { turnFunction, writeFunction } from './turn.js';

/** The version of the tables. Earlier versions were never released. */
const VERSION = 7;

/** PostgreSQL's own schema, and the words that cannot be a name without quotes. */
const RESERVED = new Set(
  `information_schema all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation column concurrently
  constraint create cross current_catalog current_date current_role current_schema current_time current_timestamp current_user default deferrable desc distinct do
  else end except false fetch for foreign freeze from full grant group having ilike in initially inner intersect into is isnull join lateral leading left like limit
  localtime localtimestamp natural not notnull null offset on only or order outer overlaps placing primary references returning right select session_user similar
  some symmetric system_user table tablesample then to trailing true union unique user using variadic verbose when where window with`.split(
    /\s+/,
  ),
);

/** Whether a value can be the name of a schema. The name is the only outside value that is written into statements. */
export const isSchemaName = (schema: unknown): schema is string =>
  typeof schema === 'string' &&
  /^[a-z_][a-z0-9_]{0,47}$/.test(schema) &&
  !schema.startsWith('pg_') &&
  !RESERVED.has(schema);

export const SCHEMA_RULE =
  "a name of small letters, digits and _, such as 'location_sdk', that does not begin with a digit or pg_ and is not a reserved word";

export function checkedSchema(schema: unknown): string {
  if (isSchemaName(schema)) return schema;
  throw new ConfigurationError(
    optionsProblem('postgresStore', [issue(['schema'], 'invalid', `expected ${SCHEMA_RULE}`)]),
  );
}

/**
 * Makes the tables in one statement. Of several instances that start at once, the first one makes them, and the others
 * wait for it. Tables of another version are not changed.
 */
function migration(schema: string): string {
  return `DO $migration$
  DECLARE
    found integer;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('location-sdk ${schema}', 0));
    -- From the catalog itself: to_regclass may answer from what this connection saw before it had the lock.
    IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = '${schema}') THEN CREATE SCHEMA ${schema}; END IF;
    IF NOT EXISTS (SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = '${schema}' AND c.relname = 'meta') THEN
      CREATE TABLE ${schema}.meta (version integer NOT NULL CHECK (version >= 0), store text NOT NULL);
      -- Distinguishes this store from every other one, also from one of the same name in another database.
      INSERT INTO ${schema}.meta (version, store)
        VALUES (${VERSION}, md5(random()::text || random()::text || clock_timestamp()::text || pg_backend_pid()::text));
      ${tables(schema)}${consoleTables(schema)}${functions(schema)}${views(schema)}
    END IF;
    SELECT m.version INTO found FROM ${schema}.meta AS m;
    IF found <> ${VERSION} THEN
      RAISE EXCEPTION 'the tables in schema ${schema} are of version %, and these are of version ${VERSION}. Nothing was changed: use another schema.', found USING ERRCODE = '${OTHER_VERSION}';
    END IF;
  END $migration$`;
}

/**
 * Returns the SQL that creates the tables of the PostgreSQL store. Use it if you run migrations yourself,
 * with a separate role, and make the store with `migrate: false`. You may run it again at any time. The role of the
 * store needs `USAGE` on the schema and its sequences, and `SELECT, INSERT, UPDATE, DELETE` on its tables.
 *
 * @example
 * ```ts
 * await writeFile('migrations/0042-outbox.sql', postgresMigrations());
 * ```
 */
export function postgresMigrations(
  options: {
    /** The schema of the store's tables. Default: `'location_sdk'`. */
    schema?: string;
  } = {},
): string {
  refuseOtherNames('postgresMigrations', ['schema'], options);
  const { schema = 'location_sdk' } = options;
  return `${migration(checkedSchema(schema))};\n`;
}

/**
 * Checks the tables, and makes missing ones if `migrate` is set. Returns the id of the store. Rejects if this package
 * cannot use the tables.
 */
export async function prepareSchema(run: Run, schema: string, migrate: boolean): Promise<string> {
  const [setting] = await run(
    "SELECT current_setting('transaction_isolation') AS isolation, current_setting('server_encoding') AS encoding, to_regclass($1::text)::text AS meta",
    [`${schema}.meta`],
  );
  if (setting?.isolation !== 'read committed') throw postgresError('isolation', schema);
  // With any other encoding, a missing character would fail the same turn again and again.
  if (setting.encoding !== 'UTF8') throw postgresError('encoding', schema, undefined, `; it has ${setting.encoding}`);
  const isMissing = (setting.meta ?? null) === null;
  if (isMissing && !migrate)
    throw postgresError('missing', schema, undefined, '. Run the SQL that postgresMigrations returns');
  if (isMissing) await run(migration(schema));
  const [found] = await run(`SELECT to_json(m)::text AS meta FROM ${schema}.meta AS m`);
  const { version, store } = JSON.parse(found?.meta ?? '{}') as { version: number; store: string };
  if (version === VERSION) return store;
  throw postgresError(
    version > VERSION ? 'newer' : 'older',
    schema,
    undefined,
    `; its version is ${version}, and this package supports ${VERSION}`,
  );
}

/** Constraints that stop other tools from writing values that would fail a statement or hide a row. They allow NULL. */
const isCount = (column: string) => `CHECK (${column} BETWEEN 0 AND ${LARGEST_COUNT})`;
const isTally = (column: string) => `CHECK (abs(${column}::numeric) <= ${LARGEST_NUMBER})`;
const isDue = (column: string) => `CHECK (${column} BETWEEN ${HEAD_OF_THE_QUEUE} AND ${-HEAD_OF_THE_QUEUE})`;
/** A time in the years 1 to 9999, since the view of a dashboard shows it as a timestamp. */
const isTime = (column: string) => `CHECK (${column} BETWEEN -62135596800000 AND 253402300799999)`;

/** The columns of a pause: that of a destination, or the breaker of an operation. */
const PAUSE = 'reason, message, since, strikes, until';
const PAUSE_COLUMNS = `version integer NOT NULL DEFAULT 0 ${isCount('version')},
    reason text,
    message text,
    since bigint NOT NULL DEFAULT 0 ${isTime('since')},
    strikes integer NOT NULL DEFAULT 0 ${isCount('strikes')},
    until bigint NOT NULL DEFAULT 0 ${isTime('until')}`;

/**
 * A trigger that refuses changes that no store makes. It is cheap, since PostgreSQL only compares the names of the
 * columns.
 */
const staysAsItIs = (schema: string, table: string, columns = ''): string => `
  CREATE TRIGGER stays_as_it_is BEFORE UPDATE${columns} ON ${schema}.${table} FOR EACH ROW EXECUTE FUNCTION ${schema}.refuse_change();`;

/** Triggers that protect the identity and the place of each row. */
const identities = (schema: string): string => `
  CREATE FUNCTION ${schema}.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $refuse$
  BEGIN
    RAISE EXCEPTION 'the outbox never changes this column of %', TG_TABLE_NAME USING ERRCODE = 'check_violation';
  END $refuse$;${[
    staysAsItIs(schema, 'reports', ' OF sequence, id, account, environment, operation, reference, waits_for'),
    staysAsItIs(schema, 'queue', ' OF sequence, account, environment, waits_for'),
    staysAsItIs(schema, 'destinations', ' OF account, environment'),
    staysAsItIs(schema, 'breakers', ' OF account, environment, operation'),
    staysAsItIs(schema, 'tally', ' OF account, part'),
    staysAsItIs(schema, 'meta', ' OF store'),
    ...['unlogged', 'receipts', 'settings'].map((table) => staysAsItIs(schema, table)),
  ].join('')}
`;

/** The same as `problemKeyOf` of `state-machine.ts`, for a new version of a row of the queue. */
const CODE =
  "CASE WHEN NEW.problem ->> 'conflict' = 'true' THEN 'conflict' ELSE coalesce(NEW.problem ->> 'code', 'unknown') END";
const MESSAGE = "coalesce(NEW.problem ->> 'message', '')";
const WORDS = `left(substr(${MESSAGE}, CASE WHEN strpos(${MESSAGE}, ': ') > 0 THEN strpos(${MESSAGE}, ': ') + 2 ELSE 1 END), ${MOST_WORDS})`;

/**
 * A trigger writes the group of each quarantined row, so that groups are counted without reading each problem.
 * Generated columns would cost each new row a fifth of its time.
 */
const problemTrigger = (schema: string): string => `
  CREATE FUNCTION ${schema}.note_wrong() RETURNS trigger LANGUAGE plpgsql AS $wrong$
  BEGIN
    NEW.wrong_code := ${CODE};
    NEW.wrong_words := ${WORDS};
    RETURN NEW;
  END $wrong$;
  CREATE TRIGGER note_wrong BEFORE INSERT OR UPDATE ON ${schema}.queue FOR EACH ROW WHEN (NEW.state = 'quarantined') EXECUTE FUNCTION ${schema}.note_wrong();`;

/**
 * `reports` holds the identity and the end of every report. A row is written when it is enqueued and when it ends. The
 * second write is in place: it changes no indexed column, so the indexes grow by one entry for each report and need no
 * cleaning.
 *
 * `queue` holds the rows that are not final. It is small and narrow, and workers search only this table. `blocked` is
 * the last seen state of the row that another one waits for. Only `parked` keeps a row out of the index, and is only
 * set under a lock on that row. `unlogged` holds the final reports that have no line in the receipt log.
 */
const tables = (schema: string): string => `
  CREATE TABLE ${schema}.reports (
    sequence bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    account text NOT NULL,
    environment text NOT NULL,
    operation text NOT NULL,
    reference text NOT NULL,
    waits_for text COLLATE "C",
    fingerprint text NOT NULL,
    enqueued_at bigint NOT NULL DEFAULT ${STATEMENT_MS} ${isTime('enqueued_at')},
    state text CHECK (state IN ('recorded', 'dismissed')),
    fence integer ${isCount('fence')},
    attempts integer ${isCount('attempts')},
    in_doubt boolean,
    doubt_before boolean,
    due_at bigint ${isDue('due_at')},
    changed_at bigint ${isTime('changed_at')},
    outcome text,
    message text,
    request_id text,
    problem jsonb,
    decisions jsonb,
    body text,
    excerpt text
  ) WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
  CREATE TABLE ${schema}.queue (
    sequence bigint PRIMARY KEY,
    account text NOT NULL,
    environment text NOT NULL,
    waits_for text COLLATE "C",
    state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'in-flight', 'quarantined')),
    blocked boolean NOT NULL DEFAULT false,
    parked boolean NOT NULL DEFAULT false CHECK (NOT parked OR blocked AND state = 'waiting' AND waits_for IS NOT NULL),
    fence integer NOT NULL DEFAULT 0 ${isCount('fence')},
    attempts integer NOT NULL DEFAULT 0 ${isCount('attempts')},
    in_doubt boolean NOT NULL DEFAULT false,
    doubt_before boolean NOT NULL DEFAULT false,
    due_at bigint NOT NULL ${isDue('due_at')},
    changed_at bigint NOT NULL ${isTime('changed_at')},
    problem jsonb,
    decisions jsonb,
    wrong_code text,
    wrong_words text
  ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0,
    autovacuum_analyze_scale_factor = 0.05, autovacuum_analyze_threshold = 1000);
  CREATE INDEX queue_due ON ${schema}.queue (account, environment, due_at, sequence) WHERE ${QUEUED};
  CREATE INDEX queue_blocked ON ${schema}.queue (waits_for) WHERE blocked;
  CREATE INDEX queue_quarantined ON ${schema}.queue (sequence) WHERE state = 'quarantined';
  -- It contains only the few rows that wait for a key.
  CREATE INDEX queue_locked ON ${schema}.queue (account) WHERE ${LACKS_KEY};
  CREATE TABLE ${schema}.unlogged (
    ended bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    sequence bigint NOT NULL UNIQUE
  ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
  CREATE TABLE ${schema}.receipts (position bigint PRIMARY KEY, id text NOT NULL, line text NOT NULL);
  CREATE TABLE ${schema}.destinations (
    account text NOT NULL,
    environment text NOT NULL,
    gateway text NOT NULL,
    rebound jsonb NOT NULL DEFAULT '[]',
    ${PAUSE_COLUMNS},
    PRIMARY KEY (account, environment)
  );
  CREATE TABLE ${schema}.breakers (
    account text NOT NULL,
    environment text NOT NULL,
    operation text NOT NULL,
    ${PAUSE_COLUMNS},
    PRIMARY KEY (account, environment, operation)
  );
  CREATE TABLE ${schema}.settings (name text PRIMARY KEY, value text NOT NULL);
  CREATE TABLE ${schema}.tally (
    account text NOT NULL,
    part integer NOT NULL,
    recorded bigint NOT NULL DEFAULT 0 ${isTally('recorded')},
    dismissed bigint NOT NULL DEFAULT 0 ${isTally('dismissed')},
    attempts bigint NOT NULL DEFAULT 0 ${isTally('attempts')},
    PRIMARY KEY (account, part)
  ) WITH (fillfactor = 20, autovacuum_vacuum_threshold = 200);
${identities(schema)}${problemTrigger(schema)}`;

/**
 * The views for dashboards, with a row for each account. Times are SQL timestamps, and the views contain no personal
 * data.
 */
const views = (schema: string): string => `
  CREATE VIEW ${schema}.stats AS
  SELECT known.account, coalesce(open.waiting, 0) AS waiting, coalesce(open.blocked, 0) AS blocked, coalesce(open.in_flight, 0) AS in_flight,
    coalesce(open.quarantined, 0) AS quarantined, coalesce(ended.recorded, 0) AS recorded, coalesce(ended.dismissed, 0) AS dismissed,
    coalesce(ended.attempts, 0) AS attempts,
    to_timestamp(oldest.enqueued_at / 1000.0) AS oldest_open_at,
    greatest(0, extract(epoch FROM clock_timestamp()) - oldest.enqueued_at / 1000.0)::double precision AS oldest_open_seconds,
    (SELECT count(*) FROM ${schema}.unlogged AS u JOIN ${schema}.reports AS r ON r.sequence = u.sequence WHERE r.account = known.account) AS without_receipt
  FROM (SELECT account FROM ${schema}.destinations UNION SELECT account FROM ${schema}.queue) AS known
  LEFT JOIN (
    SELECT account, count(*) FILTER (WHERE state = 'waiting' AND NOT blocked) AS waiting, count(*) FILTER (WHERE state = 'waiting' AND blocked) AS blocked,
      count(*) FILTER (WHERE state = 'in-flight') AS in_flight, count(*) FILTER (WHERE state = 'quarantined') AS quarantined,
      min(sequence) FILTER (WHERE state <> 'quarantined') AS oldest
    FROM ${schema}.queue GROUP BY account
  ) AS open ON open.account = known.account
  LEFT JOIN (
    SELECT account, sum(recorded)::bigint AS recorded, sum(dismissed)::bigint AS dismissed, sum(attempts)::bigint AS attempts
    FROM ${schema}.tally GROUP BY account
  ) AS ended ON ended.account = known.account
  LEFT JOIN ${schema}.reports AS oldest ON oldest.sequence = open.oldest;
  CREATE VIEW ${schema}.paused AS
  SELECT d.account, d.environment, p.operation, d.gateway, p.reason, p.message, p.strikes, to_timestamp(p.since / 1000.0) AS since, to_timestamp(p.until / 1000.0) AS until
  FROM ${schema}.destinations AS d JOIN (
    SELECT account, environment, NULL AS operation, ${PAUSE} FROM ${schema}.destinations
    UNION ALL SELECT account, environment, operation, ${PAUSE} FROM ${schema}.breakers
  ) AS p ON p.account = d.account AND p.environment = d.environment WHERE p.reason IS NOT NULL;
`;

/** The tables of the operator's console: decisions, and counts of recorded reports by time. */
const consoleTables = (schema: string): string => `
  CREATE TABLE ${schema}.decisions (
    place bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    action text NOT NULL,
    who text NOT NULL,
    reason text NOT NULL,
    about text NOT NULL,
    as_of bigint NOT NULL,
    at bigint NOT NULL,
    cursor bigint NOT NULL DEFAULT 0,
    touched bigint NOT NULL DEFAULT 0,
    skipped bigint NOT NULL DEFAULT 0,
    done boolean NOT NULL,
    undone_by text
  );
${staysAsItIs(schema, 'decisions', ' OF place, id, action, who, reason, about, as_of, at')}
  CREATE TABLE ${schema}.decision_steps (decision text NOT NULL, began bigint NOT NULL, sequences json NOT NULL, PRIMARY KEY (decision, began));
  CREATE TABLE ${schema}.paces (
    span text NOT NULL,
    start bigint NOT NULL,
    account text NOT NULL,
    environment text NOT NULL,
    recorded bigint NOT NULL,
    dismissed bigint NOT NULL,
    sum_ms bigint NOT NULL,
    ${CLASS_COLUMNS.map((name) => `${name} bigint NOT NULL`).join(', ')},
    PRIMARY KEY (span, start, account, environment)
  );
  CREATE TABLE ${schema}.paced (one integer PRIMARY KEY CHECK (one = 1), reached bigint NOT NULL);
  INSERT INTO ${schema}.paced (one, reached) VALUES (1, 0);
`;

const functions = (schema: string): string =>
  [writeFunction, outlookFunction, appendFunction, enqueueFunctions, claimFunction, turnFunction, stepFunction]
    .map((one) => one(schema))
    .join('');
