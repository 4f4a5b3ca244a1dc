import { asRecord } from '../../../platform/as-record.js';

/**
 * What is wrong: `'connection'`, the server cannot be reached, or the connection broke, so that nobody knows what became
 * of the statement; `'timeout'`, no answer came within `timeoutMs`, and nobody knows either; `'conflict'`, the statement was taken back because of another one (a deadlock, a serialization
 * failure); `'busy'`, it waited too long for a lock, or was cancelled; `'full'`, a disk or a limit of the server is;
 * `'read-only'`, the server is a standby, or the session may not write; `'newer'`, a newer version of this package made
 * the tables; `'older'`, one made them that this package cannot read; `'missing'`, the tables are not there; `'privileges'`, the role may not do this; `'aborted'`, the
 * transaction had failed before; `'isolation'`, the isolation level is too high; `'no-transaction'`, what was to be part of your transaction came over a connection that has none open; `'encoding'`, the database's encoding is not
 * UTF8; `'text'`, there is text that PostgreSQL cannot hold; `'no-notifications'`, `LISTEN` was
 * accepted and no notification arrives; `'closed'`, the store is; `'other'`.
 */
export type PostgresStoreErrorCode =
  | 'connection'
  | 'timeout'
  | 'conflict'
  | 'busy'
  | 'full'
  | 'read-only'
  | 'newer'
  | 'older'
  | 'missing'
  | 'privileges'
  | 'aborted'
  | 'isolation'
  | 'no-transaction'
  | 'encoding'
  | 'text'
  | 'no-notifications'
  | 'closed'
  | 'other';

/**
 * What the PostgreSQL store rejects with. Whatever was asked for is then not done; only after `'connection'` and
 * `'timeout'` it is unknown: enqueue the same again, which is then the same report. Within your own transaction, that transaction has failed, as after any error. The library's own error is not
 * kept, since it may hold the values of a row; its SQLSTATE is.
 *
 * @example
 * ```ts
 * outbox.on('error', ({ cause }) => {
 *   if (cause instanceof PostgresStoreError && cause.code === 'full') alarm('the disk of the database is full');
 * });
 * ```
 */
export class PostgresStoreError extends Error {
  /** The name of its class. */
  override readonly name = 'PostgresStoreError';
  /** A stable name of what is wrong. */
  readonly code: PostgresStoreErrorCode;
  /** PostgreSQL's own code, such as `40001`, or the system's, such as `ECONNREFUSED`, where there is one. */
  readonly sqlState: string | undefined;

  constructor(code: PostgresStoreErrorCode, message: string, sqlState?: string) {
    super(message);
    this.code = code;
    this.sqlState = sqlState;
  }
}

/** Raised by the store's own functions, where the isolation level is too high. */
export const ISOLATION = 'LS001';
/** Raised by the migration, where the tables are newer. */
export const NEWER = 'LS002';
/** Raised by the migration, where the tables are older than any that this package knows. */
export const OLDER = 'LS006';

/** Raised in a statement of the user's: other data under the same reference. */
export const CONFLICT = 'LS003';
/** Raised in a statement of the user's: not the value of a prepared report. */
export const UNPREPARED = 'LS004';

/** Raised where reports of a destination go to another gateway. */
export const OTHER_GATEWAY = 'LS005';

/** A lock was waited for as long as `lock_timeout` says. */
export const LOCK_TIMEOUT = '55P03';

/** SQLSTATEs, whole or their class, the most exact first. */
const STATES: readonly (readonly [start: string, code: PostgresStoreErrorCode])[] = [
  [ISOLATION, 'isolation'],
  [NEWER, 'newer'],
  [OLDER, 'older'],
  ['40', 'conflict'],
  ['25006', 'read-only'],
  ['25P02', 'aborted'],
  ['42501', 'privileges'],
  ['3F000', 'missing'],
  ['42P01', 'missing'],
  ['42883', 'missing'],
  [LOCK_TIMEOUT, 'busy'],
  ['57014', 'busy'],
  ['25P03', 'connection'],
  ['53', 'full'],
  ['08', 'connection'],
  ['57P', 'connection'],
  ['28', 'connection'],
  ['3D000', 'connection'],
  ['22021', 'text'],
  ['22P05', 'text'],
];

const SENTENCES: Readonly<Record<PostgresStoreErrorCode, string>> = {
  connection: 'cannot be reached, or the connection broke; look at the server, and at the address and password of the connection',
  timeout:
    'gave no answer in time, so that nobody knows whether it was done. What was to be enqueued may be there: enqueue the same again, and it is the same report. What a worker was to take is taken again when its lease is over',
  conflict: 'took the statement back because of another one, again and again; look for what locks the tables of the outbox',
  busy: 'did not answer in time; look for a long transaction that holds a lock, and at statement_timeout and lock_timeout',
  full: 'has no room left: a disk or the number of connections is at its limit. Make room; reports are accepted again then',
  'read-only': 'cannot be written; connect to the primary server, with a session that may write',
  newer: 'was made by a newer version of this package; use that version',
  older:
    'was made by an older version of this package, which this one cannot read; it is left as it is. Let that version record its reports, and use another schema',
  missing: 'has no tables of the outbox; run the migrations with a role that may create them',
  privileges:
    'does not allow this to the role of the connection. As the owner of the tables, run: GRANT USAGE ON SCHEMA :schema TO your_role; GRANT USAGE ON ALL SEQUENCES IN SCHEMA :schema TO your_role; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA :schema TO your_role; To make the tables, run what postgresMigrations returns with a role that has CREATE on the database, and pass migrate: false',
  aborted: 'takes nothing more in this transaction: a statement before this one failed. Roll it back',
  isolation: "must be used with the isolation level 'read committed'; set default_transaction_isolation for the connections of the outbox",
  'no-transaction':
    'was given a connection that has no transaction open. Nothing was enqueued: await BEGIN first, and await every report before COMMIT or ROLLBACK',
  encoding: "must have the encoding UTF8, for names and messages in any script; create another one with ENCODING 'UTF8' and TEMPLATE template0",
  text: 'cannot hold a NUL character, half a surrogate pair, or a character that its encoding does not have',
  'no-notifications':
    'accepted LISTEN, but notifications do not arrive: a pooler in transaction mode, such as PgBouncer, is between, or the listening connection is that of another database. Reports are found by polling (pollMs). Give listen a client that connects to the server itself, or leave listen out',
  closed: 'is closed',
  other: 'did not do what the outbox needs',
};

/** How deep libraries wrap the error of the one below. */
const MOST_WRAPPED = 4;

/**
 * The code of a library's error, or of the one that it wraps: SQLSTATE, or the system's. Nothing else of it is fit to be
 * shown. Prisma has the database's in `meta`, and deeper with a driver adapter.
 */
function stateOf(error: unknown): string | undefined {
  let wrapped = asRecord(error);
  for (let depth = 0; depth < MOST_WRAPPED; depth += 1) {
    const meta = asRecord(wrapped.meta);
    const codes = [meta.code, asRecord(asRecord(meta.driverAdapterError).cause).originalCode, wrapped.code];
    const state = codes.find((code) => typeof code === 'string' && /^[A-Z0-9_]{5,40}$/.test(code) && !/^P[1-9]\d{3}$/.test(code));
    if (typeof state === 'string') return state;
    wrapped = asRecord(wrapped.cause);
  }
  return undefined;
}

/** What a library's error means. */
export function postgresCodeOf(error: unknown): PostgresStoreErrorCode {
  if (error instanceof PostgresStoreError) return error.code;
  const state = stateOf(error);
  if (state !== undefined && /^[0-9A-Z]{5}$/.test(state) && state !== 'EPIPE') return STATES.find(([start]) => state.startsWith(start))?.[1] ?? 'other';
  // A broken connection has a code of the system, one of the library's own, or none at all.
  return state !== undefined || /connect|reach|terminat|timeout|socket|pool/i.test(String(asRecord(error).message)) ? 'connection' : 'other';
}

/** The store's own error for a library's. */
export function asPostgresError(place: string, error: unknown): PostgresStoreError {
  if (error instanceof PostgresStoreError) return error;
  const state = stateOf(error);
  return state === OTHER_GATEWAY ? new OtherGatewayError(place, boundIn(error)) : postgresError(postgresCodeOf(error), place, state);
}

/** The one refusal that says where reports go: its address is read from the words of `bind`, since libraries pass those on. */
export class OtherGatewayError extends PostgresStoreError {
  constructor(
    place: string,
    readonly bound: string,
  ) {
    super('other', `The reports of this destination in schema ${place} go to ${bound}.`, OTHER_GATEWAY);
  }
}

function boundIn(error: unknown): string {
  let wrapped = asRecord(error);
  for (let depth = 0; depth < MOST_WRAPPED; depth += 1) {
    const [, bound] = /enqueue: reports of account \S+ \(\w+\) go to (\S+), and/.exec(String(wrapped.message)) ?? [];
    if (bound !== undefined) return bound;
    wrapped = asRecord(wrapped.cause);
  }
  return 'another gateway';
}

/** An error in the words of its code. */
export function postgresError(code: PostgresStoreErrorCode, place: string, sqlState?: string, more = ''): PostgresStoreError {
  const state = sqlState === undefined ? '' : ` (${sqlState})`;
  return new PostgresStoreError(code, `The outbox's database (schema ${place}) ${SENTENCES[code].replaceAll(':schema', place)}${more}${state}.`, sqlState);
}

/** Raised and caught within a function, where another transaction was faster. */
export const OVERTAKEN = 'LS009';
