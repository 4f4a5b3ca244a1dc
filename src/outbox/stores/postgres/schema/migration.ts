import { ConfigurationError, refuseOtherNames } from '../../../../core/errors/errors.js';
import { issue } from '../../../../core/schema/issue.js';
import { optionsProblem } from '../../../../core/schema/option-rules.js';
import { LARGEST_COUNT, LONGEST_WAIT_MS, MOST_WORDS } from '../../../rules/state-machine.js';
import { HEAD_OF_THE_QUEUE } from '../../claim-order.js';
import { OTHER_VERSION } from '../failure.js';
import { NOW_MS, ROW_JSON, STATEMENT_MS } from '../sql-parts.js';
import append from './append.sql?raw';
import claimDue from './claim-due.sql?raw';
import decide from './decide.sql?raw';
import enqueue from './enqueue.sql?raw';
import { DEFAULT_SCHEMA, inSchema, isSchemaName, SCHEMA_RULE } from './name.js';
import operatorTables from './operator-tables.sql?raw';
import outlook from './outlook.sql?raw';
import pauseColumns from './pause-columns.sql?raw';
import tables from './tables.sql?raw';
import turn from './turn.sql?raw';
import views from './views.sql?raw';
import write from './write.sql?raw';

/** The version of the tables. Earlier versions were never released. */
export const VERSION = 12;

/** Everything of a schema but the table `meta`. */
function contents(): string {
  const values: Readonly<Record<string, string | number>> = {
    HEAD_OF_THE_QUEUE: `(${HEAD_OF_THE_QUEUE})`,
    LARGEST_COUNT,
    LARGEST_NUMBER: Number.MAX_SAFE_INTEGER,
    LONGEST_WAIT_MS,
    MOST_WORDS,
    NOW_MS,
    ROW_JSON,
    STATEMENT_MS,
  };
  const whole = tables.replaceAll('PAUSE_COLUMNS', pauseColumns);
  return [whole, operatorTables, write, outlook, append, enqueue, claimDue, turn, decide, views]
    .join('\n')
    .replace(/\b[A-Z]+(?:_[A-Z]+)+\b/g, (name) => `${values[name] ?? name}`);
}

export const madeNames = (): string[] =>
  [...contents().matchAll(/CREATE (?:TABLE|FUNCTION) \w+\.(\w+)/g)].map(([, name = '']) => name);

/**
 * Makes the tables in one statement. Of several instances that start at once, the first one makes them, and the others
 * wait for it. Tables of another version are not changed.
 */
export const migration = (schema: string): string =>
  inSchema(
    schema,
    `DO $migration$
DECLARE
  found integer;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('location-sdk ${schema}', 0));
  -- From the catalog itself: to_regclass may answer from what this connection saw before it had the lock.
  IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = '${schema}') THEN CREATE SCHEMA ${schema}; END IF;
  IF NOT EXISTS (SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = '${schema}' AND c.relname = 'meta') THEN
    CREATE TABLE schema.meta (version integer NOT NULL CHECK (version >= 0), store text NOT NULL);
    -- Distinguishes this store from every other one, also from one of the same name in another database.
    INSERT INTO schema.meta (version, store) VALUES (${VERSION}, gen_random_uuid()::text);

${contents()}
  END IF;
  SELECT m.version INTO found FROM schema.meta AS m;
  IF found <> ${VERSION} THEN
    RAISE EXCEPTION 'the tables in schema ${schema} are of version %, and these are of version ${VERSION}. Nothing was changed: use another schema.', found USING ERRCODE = '${OTHER_VERSION}';
  END IF;
END $migration$`,
  );

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
  if (isSchemaName(schema)) return `${migration(schema)};\n`;
  throw new ConfigurationError(
    optionsProblem('postgresStore', [issue(['schema'], 'invalid', `expected ${SCHEMA_RULE}`)]),
  );
}
