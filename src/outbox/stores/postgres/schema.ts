import { ConfigurationError } from '../../../errors/errors.js';
import { issue } from '../../../schema/issue.js';
import { optionsProblem } from '../../../schema/option-table.js';
import { consoleTables } from './console/tables.js';
import type { Run } from './database.js';
import { NEWER, OLDER, postgresCodeOf, postgresError } from './failure.js';
import { functions } from './functions.js';
import { isOpenBefore } from './row-columns.js';
import { tables, views } from './tables.js';
import { writeWithRequestId } from './write-function.js';

/** The version that the first of the migrations makes. Tables of an older one were never released, and are left as they are. */
const OLDEST = 2;
/** Each makes of the tables of the version before it those of its own; never changed once released. */
const MIGRATIONS: readonly ((schema: string) => string)[] = [
  (schema) => tables(schema) + functions(schema) + views(schema),
  (schema) => `ALTER TABLE ${schema}.reports ADD COLUMN IF NOT EXISTS request_id text;${writeWithRequestId(schema)}`,
  consoleTables,
];
const NEWEST = OLDEST + MIGRATIONS.length - 1;

/** PostgreSQL's own schema, and its words that are no name without quotes. */
const RESERVED = new Set(
  `information_schema all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation column concurrently
  constraint create cross current_catalog current_date current_role current_schema current_time current_timestamp current_user default deferrable desc distinct do
  else end except false fetch for foreign freeze from full grant group having ilike in initially inner intersect into is isnull join lateral leading left like limit
  localtime localtimestamp natural not notnull null offset on only or order outer overlaps placing primary references returning right select session_user similar
  some symmetric system_user table tablesample then to trailing true union unique user using variadic verbose when where window with`.split(/\s+/),
);

/** The name of a schema is the only thing that stands in a statement and comes from outside. */
export const isSchemaName = (schema: unknown): schema is string =>
  typeof schema === 'string' && /^[a-z_][a-z0-9_]{0,47}$/.test(schema) && !schema.startsWith('pg_') && !RESERVED.has(schema);

export const SCHEMA_RULE =
  "a name of small letters, digits and _ that begins with no digit and not with pg_, and that is no reserved word, such as 'location_sdk'";

export function checkedSchema(schema: unknown): string {
  if (isSchemaName(schema)) return schema;
  throw new ConfigurationError(optionsProblem('postgresStore', [issue(['schema'], 'invalid', `expected ${SCHEMA_RULE}`)]));
}

/**
 * Brings the tables to the newest version, as one statement. Of several instances that start at once the first one does
 * it, and the others find it done. Tables of a newer version are left alone.
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
      -- Tells this store from every other one, also of the same name in another database.
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
 * The SQL that makes or updates the tables of the PostgreSQL store, for those who run migrations by themselves, with a
 * role of its own; the store is then made with `migrate: false`. It may be run again at any time. The role that the
 * store uses needs `USAGE` on the schema and its sequences, and `SELECT, INSERT, UPDATE, DELETE` on its tables.
 *
 * @example
 * ```ts
 * await writeFile('migrations/0042-outbox.sql', postgresMigrations());
 * ```
 */
export function postgresMigrations({
  schema = 'location_sdk',
}: {
  /** The schema of the store's tables. Default: `'location_sdk'`. */
  schema?: string;
} = {}): string {
  return `${migration(checkedSchema(schema))};\n`;
}

/** The version of the tables; 0 where there are none. */
async function readVersion(run: Run, schema: string): Promise<number> {
  const [found] = await run('SELECT to_regclass($1::text)::text AS meta', [`${schema}.meta`]);
  if (found?.meta === null || found?.meta === undefined) return 0;
  const [meta] = await run(`SELECT version::text AS version FROM ${schema}.meta`);
  return Number(meta?.version);
}

/** Looks at the tables and brings them to the newest version where that is asked for; gives the id of the store. Rejects where they are not fit for this package. */
export async function prepareSchema(run: Run, schema: string, migrate: boolean): Promise<string> {
  const [setting] = await run("SELECT current_setting('transaction_isolation') AS isolation, current_setting('server_encoding') AS encoding");
  if (setting?.isolation !== 'read committed') throw postgresError('isolation', schema);
  // In any other one, a character that it lacks would show only later, and fail the same turn again and again.
  if (setting.encoding !== 'UTF8') throw postgresError('encoding', schema, undefined, `; it has ${setting.encoding}`);
  const version = await readVersion(run, schema);
  if (version > NEWEST) throw postgresError('newer', schema, undefined, `; its version is ${version}, this one knows ${NEWEST}`);
  if (version > 0 && version < OLDEST) throw postgresError('older', schema, undefined, `; its version is ${version}, this one knows ${OLDEST}`);
  if (version === NEWEST) return readStore(run, schema);
  if (!migrate)
    throw postgresError('missing', schema, undefined, `; its version is ${version}, expected ${NEWEST}. The SQL is what postgresMigrations returns`);
  await run(migration(schema));
  return readStore(run, schema);
}

/**
 * Lets go of rows that are kept out of the queue for another one, and that one is not open: no write will. A claim looks
 * again at what a row waits for.
 */
async function unpark(run: Run, schema: string): Promise<void> {
  try {
    await run(
      `UPDATE ${schema}.queue AS q SET blocked = false, parked = false WHERE q.blocked AND q.parked AND NOT ${isOpenBefore(schema, 'q.waits_for')} RETURNING 'unparked' AS unparked`,
    );
  } catch (error) {
    // A role that only reads sends nothing.
    if (!['read-only', 'privileges'].includes(postgresCodeOf(error))) throw error;
  }
}

async function readStore(run: Run, schema: string): Promise<string> {
  await unpark(run, schema);
  const [meta] = await run(`SELECT store FROM ${schema}.meta`);
  return meta?.store ?? '';
}
