import { ConfigurationError } from '../../../core/errors/errors.js';
import { isStoreError, StoreError, type StoreErrorCode } from '../../../core/errors/store-error.js';
import { asRecord, memberOf } from '../../../core/platform/as-record.js';

/** Raised by `turn` of the database if the isolation level is too high. */
const ISOLATION = 'LS001';
/** Raised by the migration if the tables are of another version. `enqueue` of the database raises `LS003` to `LS005`. */
export const OTHER_VERSION = 'LS002';

export const INSUFFICIENT = '42501';

export const LOCK_TIMEOUT = '55P03';

/** SQLSTATEs, or the begin of one, with the most exact first. */
const STATES: readonly (readonly [start: string, code: Code])[] = [
  [ISOLATION, 'isolation'],
  ['40', 'conflict'],
  ['25006', 'read-only'],
  ['25P01', 'no-transaction'],
  ['25P02', 'aborted'],
  [INSUFFICIENT, 'privileges'],
  ['3F000', 'missing'],
  ['42P01', 'missing'],
  ['42883', 'missing'],
  [LOCK_TIMEOUT, 'busy'],
  ['57014', 'busy'],
  ['25P04', 'busy'],
  ['25P03', 'connection'],
  ['53', 'full'],
  ['08', 'connection'],
  ['57P', 'connection'],
  ['28', 'connection'],
  ['3D000', 'connection'],
  ['22021', 'text'],
  ['22P05', 'text'],
];

/** The SQLSTATEs of values, constraints, limits and triggers, and errors without one. */
const OF_ROWS = /^(?:$|2[123]|54|P0)/;

/** The statements that give a role of the store its rights. The owner of the schema runs them. */
export const grantsFor = (schema: string, role = 'your_role'): string[] => [
  `GRANT USAGE ON SCHEMA ${schema} TO ${role};`,
  `GRANT USAGE, UPDATE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role};`,
  `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role};`,
  `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} TO ${role};`,
];

const SENTENCES = {
  connection:
    'cannot be reached, or the connection broke; look at the server, and at the address and password of the connection',
  timeout:
    'gave no answer in time, so the result of the statement is unknown. A report may have been enqueued: enqueue the same again, which is safe. A row that a worker has claimed is claimed again after its lease',
  conflict:
    'rolled the statement back several times because of another one; look for sessions that lock the tables of the outbox',
  busy: 'did not answer in time; look for a long transaction that holds a lock, and at statement_timeout and lock_timeout',
  full: 'has no room left: a disk or the number of connections is at its limit. Make room; reports are accepted again then',
  'read-only': 'cannot be written; connect to the primary server, with a session that may write',
  newer: 'was made by a newer version of this package; use that version',
  older:
    'was made by an older version of this package, which this one cannot read; it is unchanged. Let that version record its reports, and use another schema',
  missing: 'has no tables of the outbox; make them with a role that may create them',
  privileges: 'does not allow this to the role of the connection. As the owner of the schema, run: :grants',
  aborted: 'refuses further statements in this transaction: an earlier statement failed. Roll it back',
  isolation:
    "must be used with the isolation level 'read committed'; set default_transaction_isolation for the connections of the outbox",
  'no-transaction':
    'was given a connection without an open transaction. Nothing was enqueued: await BEGIN first, and await every report before COMMIT or ROLLBACK',
  encoding:
    "must have the encoding UTF8, for names and messages in any script; create another one with ENCODING 'UTF8' and TEMPLATE template0",
  version: 'needs PostgreSQL 13 or newer: upgrade the server. Nothing was enqueued',
  text: 'cannot store a NUL character, half a surrogate pair, or a character that its encoding does not have',
  'no-notifications':
    'accepted LISTEN, but notifications do not arrive: the client connects through a pooler in transaction mode, such as PgBouncer, or to another database. Reports are found by polling (pollMs). Give listen a client that connects to the server itself, or leave listen out',
  closed: 'is closed',
  other: 'failed',
} as const satisfies Partial<Record<StoreErrorCode, string>>;

type Code = keyof typeof SENTENCES;

/** An error without an SQLSTATE is not the database's. */
const IN_LIBRARY =
  ' in the library that sends the statements, since the error has no SQLSTATE: pass the object of the library itself';

/** The parts of a connection that a message may show: never a password. */
interface ServerName {
  /** Host and port, such as `db.internal:5432`. */
  readonly address: string | undefined;
  readonly database: string | undefined;
}

const HOST = /^[\w./:[\]-]{1,255}$/;
const WORD = /^[\w.-]{1,63}$/;

/** The server of a pool or client of `pg`. Undefined parts are those of its defaults, or of another library. */
export function serverOf(connection: object): ServerName {
  try {
    const named = asRecord(connection);
    const given = asRecord(memberOf(connection as { options?: unknown }, 'options'));
    const { connectionString, host = named.host, port = named.port ?? 5432, database = named.database } = given;
    const read = typeof connectionString === 'string' ? partsOf(connectionString) : { host, port, database };
    const isNamed = typeof read.host === 'string' && HOST.test(read.host) && /^\d{1,5}$/.test(String(read.port));
    return {
      address: isNamed ? `${read.host}:${read.port}` : undefined,
      database: typeof read.database === 'string' && WORD.test(read.database) ? read.database : undefined,
    };
  } catch {
    return UNNAMED;
  }
}

const UNNAMED: ServerName = { address: undefined, database: undefined };

/** The parts of an address. None if a special character of its password could be taken for the end of it. */
function partsOf(address: string): { readonly host?: string; readonly port?: string; readonly database?: string } {
  const { hostname, port, pathname, username, hash } = new URL(address);
  const signs = address.split('@').length - 1;
  if (hash !== '' || signs > 1 || (signs === 1) !== (username !== '')) return {};
  return { host: hostname, port: port || '5432', database: pathname.slice(1) };
}

function connectionSentence(sqlState: string | undefined, { address, database }: ServerName): string {
  const server = address === undefined ? 'the server' : `the server ${address}`;
  const name = database === undefined ? '' : ` ${database}`;
  if (sqlState === '3D000')
    return `does not exist: ${server} was reached, and has no database${name}. Create it, or correct its name in the connection. Nothing was enqueued`;
  if (sqlState?.startsWith('28'))
    return `refused the login: ${server} was reached${name && ` for the database${name}`}, and the role of the connection does not exist there, has another password, or is not allowed by pg_hba.conf. Correct the user and the password. Nothing was enqueued`;
  if (address === undefined) return SENTENCES.connection;
  return SENTENCES.connection.replace('reached', `reached at ${address}${name && ` (database${name})`}`);
}

const MOST_WRAPPED = 4;

/**
 * The code of a library's error or its cause: the SQLSTATE, or the code of the system. The rest of the error may
 * contain personal data. Prisma has the database's code in `meta`, and deeper with a driver adapter.
 */
function stateOf(error: unknown): string | undefined {
  let wrapped = asRecord(error);
  for (let depth = 0; depth < MOST_WRAPPED; depth += 1) {
    const meta = asRecord(wrapped.meta);
    const codes = [meta.code, asRecord(asRecord(meta.driverAdapterError).cause).originalCode, wrapped.code];
    const state = codes.find(
      (code) => typeof code === 'string' && /^[A-Z0-9_]{5,40}$/.test(code) && !/^P[1-9]\d{3}$/.test(code),
    );
    if (typeof state === 'string') return state;
    wrapped = asRecord(wrapped.cause);
  }
  return undefined;
}

export const postgresCodeOf = (error: unknown): StoreErrorCode =>
  isStoreError(error) ? error.code : libraryCodeOf(error);

function libraryCodeOf(error: unknown): Code {
  const state = stateOf(error);
  if (state !== undefined && /^[0-9A-Z]{5}$/.test(state) && state !== 'EPIPE')
    return STATES.find(([start]) => state.startsWith(start))?.[1] ?? 'other';
  // A broken connection has a code of the system, a code of the library, or none.
  return state !== undefined || /connect|reach|terminat|timeout|socket|pool/i.test(String(asRecord(error).message))
    ? 'connection'
    : 'other';
}

/** The store's own error for a library's. `server`: what a failed connection names. */
export function asPostgresError(schema: string, error: unknown, server?: ServerName) {
  if (isStoreError(error) || error instanceof ConfigurationError) return error;
  const [code, state] = [libraryCodeOf(error), stateOf(error)];
  return postgresError(code, schema, state, code === 'other' && state === undefined ? IN_LIBRARY : '', server);
}

export function postgresError(code: Code, schema: string, sqlState?: string, more = '', server = UNNAMED): StoreError {
  const sentence =
    code === 'connection'
      ? connectionSentence(sqlState, server)
      : SENTENCES[code].replace(':grants', grantsFor(schema).join(' '));
  return unusable(code, schema, `${sentence}${more}${sqlState === undefined ? '' : ` (${sqlState})`}`, sqlState);
}

/** The error for a database that needs what `sentence` says. */
export const unusable = (code: Code, schema: string, sentence: string, sqlState?: string) =>
  new StoreError(code, `The outbox's database (schema ${schema}) ${sentence}.`, {
    sqlState,
    ...(!OF_ROWS.test(sqlState ?? '') && { concerns: 'store' }),
  });
