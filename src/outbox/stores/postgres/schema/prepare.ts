import type { Run } from '../database.js';
import { refuseShape } from '../driver.js';
import { asPostgresError, grantsFor, INSUFFICIENT, postgresCodeOf, postgresError, unusable } from '../failure.js';
import { madeNames, migration, VERSION } from './migration.js';
import { DEFAULT_SCHEMA } from './name.js';

const OLDEST_SERVER = 130_000;

/** The state of a schema, as the catalog has it for the role of the connection. */
interface FoundSchema {
  readonly isolation: string;
  readonly encoding: string;
  readonly server: string;
  readonly number: number;
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
  const missing = madeNames().filter((name) => !tables.includes(name) && !functions.includes(name));
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
  const [row] = await run(`SELECT to_json(m)::text AS meta FROM schema.meta AS m`).catch((error) => {
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
