import { ConfigurationError } from '../../../errors/errors.js';
import { issue } from '../../../schema/issue.js';
import { namesProblem, optionsProblem } from '../../../schema/option-rules.js';
import { consoleTables } from './console/tables.js';
import type { Run } from './database.js';
import { NEWER, OLDER, postgresCodeOf, postgresError } from './failure.js';
import { functions, queueFunctions } from './functions.js';
import { isOpenBefore } from './row-columns.js';
import { tables, views } from './tables.js';
import { writeWithRequestId } from './write-function.js';

/** The version after the first migration. Older tables were never released, and are not changed. */
const OLDEST = 2;
/** Each migration brings the tables from the previous version to its own. A released migration is never changed. */
const MIGRATIONS: readonly ((schema: string) => string)[] = [
  (schema) => tables(schema) + functions(schema) + views(schema),
  (schema) => `ALTER TABLE ${schema}.reports ADD COLUMN IF NOT EXISTS request_id text;${writeWithRequestId(schema)}`,
  consoleTables,
  queueFunctions,
];
const NEWEST = OLDEST + MIGRATIONS.length - 1;

/** PostgreSQL's own schema, and the words that cannot be a name without quotes. */
const RESERVED = new Set(
  `information_schema all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation column concurrently
  constraint create cross current_catalog current_date current_role current_schema current_time current_timestamp current_user default deferrable desc distinct do
  else end except false fetch for foreign freeze from full grant group having ilike in initially inner intersect into is isnull join lateral leading left like limit
  localtime localtimestamp natural not notnull null offset on only or order outer overlaps placing primary references returning right select session_user similar
  some symmetric system_user table tablesample then to trailing true union unique user using variadic verbose when where window with`.split(/\s+/),
);

/** Whether a value can be the name of a schema. The name is the only outside value that is written into statements. */
export const isSchemaName = (schema: unknown): schema is string =>
  typeof schema === 'string' && /^[a-z_][a-z0-9_]{0,47}$/.test(schema) && !schema.startsWith('pg_') && !RESERVED.has(schema);

export const SCHEMA_RULE = "a name of small letters, digits and _, such as 'location_sdk', that does not begin with a digit or pg_ and is not a reserved word";

export function checkedSchema(schema: unknown): string {
  if (isSchemaName(schema)) return schema;
  throw new ConfigurationError(optionsProblem('postgresStore', [issue(['schema'], 'invalid', `expected ${SCHEMA_RULE}`)]));
}

/**
 * Migrates the tables to the newest version in one statement. Of several instances that start at once, the first one migrates, and
 * the others wait for it. Tables of a newer version are not changed.
 */
function migration(schema: string): string {
  const steps = MIGRATIONS.map((step, index) => `IF version < ${OLDEST + index} THEN ${step(schema)} END IF;`);
  return `DO $migration$
  DECLARE
    version integer := 0;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('location-sdk ${schema}', 0));
    -- From the catalog itself: to_regclass may answer from what this connection saw before it had the lock.
    IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = '${schema}') THEN CREATE SCHEMA ${schema}; END IF;
    IF NOT EXISTS (SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = '${schema}' AND c.relname = 'meta') THEN
      CREATE TABLE ${schema}.meta (version integer NOT NULL CHECK (version >= 0), store text NOT NULL);
      -- Distinguishes this store from every other one, also from one of the same name in another database.
      INSERT INTO ${schema}.meta (version, store) VALUES (0, md5(random()::text || random()::text || clock_timestamp()::text || pg_backend_pid()::text));
    END IF;
    SELECT m.version INTO version FROM ${schema}.meta AS m;
    IF version > ${NEWEST} THEN RAISE EXCEPTION 'the tables are of a newer version' USING ERRCODE = '${NEWER}'; END IF;
    IF version BETWEEN 1 AND ${OLDEST - 1} THEN RAISE EXCEPTION 'the tables are of an older version' USING ERRCODE = '${OLDER}'; END IF;
    ${steps.join('\n')}
    UPDATE ${schema}.meta AS m SET version = ${NEWEST} WHERE m.version < ${NEWEST};
  END $migration$`;
}

/**
 * Returns the SQL that creates or updates the tables of the PostgreSQL store. Use it if you run migrations yourself, with a
 * separate role, and make the store with `migrate: false`. You may run it again at any time. The role of the store needs `USAGE`
 * on the schema and its sequences, and `SELECT, INSERT, UPDATE, DELETE` on its tables.
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
  const problem = namesProblem('postgresMigrations', ['schema'], options);
  if (problem !== undefined) throw new ConfigurationError(problem);
  const { schema = 'location_sdk' } = options;
  return `${migration(checkedSchema(schema))};\n`;
}

/** The version of the tables, or 0 if there are none. */
async function readVersion(run: Run, schema: string): Promise<number> {
  const [found] = await run('SELECT to_regclass($1::text)::text AS meta', [`${schema}.meta`]);
  if (found?.meta === null || found?.meta === undefined) return 0;
  const [meta] = await run(`SELECT version::text AS version FROM ${schema}.meta`);
  return Number(meta?.version);
}

/** Checks the tables, and migrates them if `migrate` is set. Returns the id of the store. Rejects if this package cannot use the tables. */
export async function prepareSchema(run: Run, schema: string, migrate: boolean): Promise<string> {
  const [setting] = await run("SELECT current_setting('transaction_isolation') AS isolation, current_setting('server_encoding') AS encoding");
  if (setting?.isolation !== 'read committed') throw postgresError('isolation', schema);
  // With any other encoding, a missing character would fail the same turn again and again.
  if (setting.encoding !== 'UTF8') throw postgresError('encoding', schema, undefined, `; it has ${setting.encoding}`);
  const version = await readVersion(run, schema);
  if (version > NEWEST) throw postgresError('newer', schema, undefined, `; its version is ${version}, and this package supports ${OLDEST} to ${NEWEST}`);
  if (version > 0 && version < OLDEST)
    throw postgresError('older', schema, undefined, `; its version is ${version}, and this package supports ${OLDEST} to ${NEWEST}`);
  if (version === NEWEST) return readStore(run, schema);
  if (!migrate)
    throw postgresError('missing', schema, undefined, `; its version is ${version}, expected ${NEWEST}. Run the SQL that postgresMigrations returns`);
  await run(migration(schema));
  return readStore(run, schema);
}

/**
 * Unblocks rows that wait for a row that is not open, for example after damage. No write would do that. A claim checks again whether
 * a row must wait.
 */
async function unpark(run: Run, schema: string): Promise<void> {
  try {
    await run(
      `UPDATE ${schema}.queue AS q SET blocked = false, parked = false WHERE q.blocked AND q.parked AND NOT ${isOpenBefore(schema, 'q.waits_for')} RETURNING 'unparked' AS unparked`,
    );
  } catch (error) {
    // A role that may only read has no worker, and needs no repair.
    if (!['read-only', 'privileges'].includes(postgresCodeOf(error))) throw error;
  }
}

async function readStore(run: Run, schema: string): Promise<string> {
  await unpark(run, schema);
  const [meta] = await run(`SELECT store FROM ${schema}.meta`);
  return meta?.store ?? '';
}
