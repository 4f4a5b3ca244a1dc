import { ConfigurationError, refuseOtherNames } from '../../../core/errors/errors.js';
import { issue } from '../../../core/schema/issue.js';
import { optionsProblem } from '../../../core/schema/option-rules.js';
import { LARGEST_COUNT, MOST_WORDS } from '../../rules/state-machine.js';
import { HEAD_OF_THE_QUEUE } from '../claim-order.js';
import { CLASS_COLUMNS } from '../sql/shared-statements.js';
import { claimFunction } from './claim.js';
import type { Run } from './database.js';
import { stepFunction } from './decisions.js';
import { outlookFunction } from './destinations.js';
import { refuseShape } from './driver.js';
import { enqueueFunctions } from './enqueue.js';
import {
  asPostgresError,
  grantsFor,
  INSUFFICIENT,
  OTHER_VERSION,
  postgresCodeOf,
  postgresError,
  unusable,
} from './failure.js';
import { appendFunction } from './final-rows.js';
import { LACKS_KEY, LARGEST_NUMBER, QUEUED, STATEMENT_MS } from './sql-parts.js';
import { turnFunction, writeFunction } from './turn.js';

/** The oldest version of the server. */
const OLDEST_SERVER = 130_000;

export const DEFAULT_SCHEMA = 'location_sdk';

/** The version of the tables. Earlier versions were never released. */
const VERSION = 8;

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
        VALUES (${VERSION}, gen_random_uuid()::text);
      ${contents(schema)}
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
 * store needs the rights that `location-sdk outbox <url> migrate` prints, which makes the same tables.
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
  const { schema = DEFAULT_SCHEMA } = options;
  return `${migration(checkedSchema(schema))};\n`;
}

/** The state of a schema, as the catalog has it for the role of the connection. */
interface FoundSchema {
  readonly isolation: string;
  readonly encoding: string;
  readonly server: string;
  readonly number: number;
  /** As statements name it. */
  readonly role: string;
  readonly tables: readonly string[];
  readonly functions: readonly string[];
  /** The schema that the functions write to. */
  readonly functionsSchema: string | null;
  /** Whether the role lacks a right that it needs. A role that may write no table needs no more than to read. */
  readonly lacksRights: boolean;
  /** The tables whose rows row-level security may hide. A policy that allows a role everything hides none. */
  readonly hiddenTables: readonly string[];
}

const FIND_SCHEMA = `SELECT json_build_object('isolation', current_setting('transaction_isolation'), 'encoding', current_setting('server_encoding'),
  'server', current_setting('server_version'), 'number', current_setting('server_version_num')::integer,
  'role', quote_ident(current_user), 'tables', coalesce(t.names, '[]'), 'functions', coalesce(f.names, '[]'), 'functionsSchema', f.target,
  'lacksRights', NOT has_schema_privilege(n.oid, 'USAGE') OR t.unread OR t.writes AND (t.unwritten OR s.unused) OR f.denied, 'hiddenTables', coalesce(t.hidden, '[]'))::text AS found
FROM (VALUES ($1::text)) AS given(name) LEFT JOIN pg_namespace AS n ON n.nspname = given.name
LEFT JOIN LATERAL (SELECT json_agg(c.relname) AS names, json_agg(c.relname ORDER BY c.relname) FILTER (WHERE row_security_active(c.oid) AND (
    SELECT (bool_and(p.permissive = 'PERMISSIVE') AND bool_or(p.cmd = 'ALL' AND p.qual = 'true' AND coalesce(p.with_check, 'true') = 'true')) IS NOT TRUE
      FROM pg_policies AS p WHERE p.schemaname = n.nspname AND p.tablename = c.relname AND EXISTS (
        SELECT FROM unnest(p.roles) AS r(name) WHERE CASE r.name WHEN 'public' THEN true ELSE pg_has_role(r.name, 'USAGE') END))) AS hidden,
  bool_or(NOT has_table_privilege(c.oid, 'SELECT')) AS unread, bool_or(has_table_privilege(c.oid, 'INSERT')) AS writes,
  NOT bool_and(has_table_privilege(c.oid, 'INSERT') AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE')) AS unwritten
  FROM pg_class AS c WHERE c.relnamespace = n.oid AND c.relkind = 'r') AS t ON true
LEFT JOIN LATERAL (SELECT bool_or(NOT has_sequence_privilege(c.oid, 'USAGE')) AS unused FROM pg_class AS c WHERE c.relnamespace = n.oid AND c.relkind = 'S') AS s ON true
LEFT JOIN LATERAL (SELECT json_agg(p.proname) AS names, bool_or(NOT has_function_privilege(p.oid, 'EXECUTE')) AS denied,
  max(substring(p.prosrc FROM '([a-z0-9_]+)\\.destinations')) FILTER (WHERE p.proname = 'bind') AS target
  FROM pg_proc AS p WHERE p.pronamespace = n.oid) AS f ON true`;

/** The error of a schema that cannot be used as it is, with the statement that mends it. */
function unusableReason(schema: string, found: FoundSchema) {
  const { role, functionsSchema, lacksRights, hiddenTables, tables, functions } = found;
  const refuse = (code: 'missing' | 'privileges', why: string) => unusable(code, schema, `${why} Nothing was enqueued`);
  if (lacksRights)
    return refuse(
      'privileges',
      `does not give the role ${role} every right that it needs. As the owner of the schema, run: ${grantsFor(schema, role).join(' ')}`,
    );
  if (functionsSchema !== null && functionsSchema !== schema)
    return refuse(
      'missing',
      `was renamed after a restore, and its functions write to ${functionsSchema}. Run: ALTER SCHEMA ${schema} RENAME TO ${functionsSchema}; and open it under that name.`,
    );
  const made = [...contents(schema).matchAll(/CREATE (?:TABLE|FUNCTION) \w+\.(\w+)/g)].map(([, name = '']) => name);
  const missing = made.filter((name) => !tables.includes(name) && !functions.includes(name));
  if (missing.length > 0)
    return refuse(
      'missing',
      `is incomplete: it lacks ${missing.join(', ')}. Restore the whole schema, as pg_restore --schema=${schema} does.`,
    );
  const statements = hiddenTables.map((table) => `ALTER TABLE ${schema}.${table} DISABLE ROW LEVEL SECURITY;`);
  return statements.length > 0
    ? refuse(
        'privileges',
        `hides rows from the role ${role}, since row-level security is on. As the owner of the tables, run: ${statements.join(' ')}`,
      )
    : undefined;
}

/** Reads the catalog for a schema. Rejects if this package cannot use the server or the library that sends to it. */
async function findSchema(run: Run, schema: string): Promise<FoundSchema> {
  const [row] = await run(FIND_SCHEMA, [schema]).catch((error) => {
    const failure = asPostgresError(schema, error);
    // A statement that arrived without its value is refused with 42P02, or as wrong SQL.
    const isShape = failure.code === 'other' && /^(?:42|undefined)/.test(`${failure.sqlState}`);
    throw isShape ? refuseShape('cannot send a statement with the placeholder $1') : error;
  });
  if (typeof row?.found !== 'string') throw refuseShape('returns rows in another shape');
  const found = JSON.parse(row.found) as FoundSchema;
  if (found.number < OLDEST_SERVER) throw postgresError('version', schema, undefined, `; it is ${found.server}`);
  if (found.isolation !== 'read committed') throw postgresError('isolation', schema);
  // With any other encoding, a missing character would fail the same turn again and again.
  if (found.encoding !== 'UTF8') throw postgresError('encoding', schema, undefined, `; it has ${found.encoding}`);
  return found;
}

/** Makes the tables if `migrate` is set. Rejects with the command for a role that may do so. */
async function makeTables(run: Run, schema: string, role: string, migrate: boolean): Promise<void> {
  const command = `npx location-sdk outbox "$DATABASE_URL" migrate${schema === DEFAULT_SCHEMA ? '' : ` --schema ${schema}`}`;
  if (!migrate) throw postgresError('missing', schema, undefined, `: ${command}`);
  await run(migration(schema)).catch((error) => {
    if (postgresCodeOf(error) !== 'privileges') throw error;
    throw unusable(
      'privileges',
      schema,
      `has no tables of the outbox, and the role ${role} may not make them. As the owner of the database, run: ${command}`,
      INSUFFICIENT,
    );
  });
}

/**
 * Checks the tables, and makes missing ones if `migrate` is set. Returns the id of the store, and whether it is new.
 * Rejects if this package cannot use the tables.
 */
export async function prepareSchema(run: Run, schema: string, migrate: boolean) {
  const found = await findSchema(run, schema);
  const isNew = !found.tables.includes('meta');
  if (isNew) await makeTables(run, schema, found.role, migrate);
  const problem = isNew ? undefined : unusableReason(schema, found);
  const [row] = await run(`SELECT to_json(m)::text AS meta FROM ${schema}.meta AS m`).catch((error) => {
    throw problem ?? error;
  });
  const { version, store } = JSON.parse(row?.meta ?? '{}') as { version?: number; store: string };
  // Row-level security may hide the version.
  if (version !== VERSION && (version !== undefined || !problem))
    throw postgresError(
      Number(version) > VERSION ? 'newer' : 'older',
      schema,
      undefined,
      `; its version is ${version}, and this package supports ${VERSION}`,
    );
  if (problem) throw problem;
  return { store, isNew };
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
const CODE = "coalesce(NEW.problem ->> 'code', 'unknown')";
const MESSAGE = "coalesce(NEW.problem ->> 'message', '')";
const WORDS = `left(substr(${MESSAGE}, CASE WHEN strpos(${MESSAGE}, ': ') > 0 THEN strpos(${MESSAGE}, ': ') + 2 ELSE 1 END), ${MOST_WORDS})`;

/**
 * A trigger writes the group of each quarantined row, so that groups are counted without reading each problem.
 * Generated columns would cost each new row a fifth of its time.
 */
const problemTrigger = (schema: string): string => `
  CREATE FUNCTION ${schema}.note_wrong() RETURNS trigger LANGUAGE plpgsql AS $wrong$
  BEGIN
    NEW.problem_code := ${CODE};
    NEW.problem_words := ${WORDS};
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
    problem_code text,
    problem_words text
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
  CREATE TABLE ${schema}.throughput (
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
  CREATE TABLE ${schema}.throughput_end (one integer PRIMARY KEY CHECK (one = 1), reached bigint NOT NULL);
  INSERT INTO ${schema}.throughput_end (one, reached) VALUES (1, 0);
`;

/** Everything of the schema but the table `meta`. */
const contents = (schema: string): string => tables(schema) + consoleTables(schema) + functions(schema) + views(schema);

const functions = (schema: string): string =>
  [writeFunction, outlookFunction, appendFunction, enqueueFunctions, claimFunction, turnFunction, stepFunction]
    .map((one) => one(schema))
    .join('');
