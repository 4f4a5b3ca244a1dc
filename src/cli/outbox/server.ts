import type { OutboxStore } from '../../outbox/store.js';
import { asPostgresError, PostgresStoreError, postgresError } from '../../outbox/stores/postgres/failure.js';
import { checkedSchema } from '../../outbox/stores/postgres/schema.js';
import { postgresStore } from '../../outbox/stores/postgres/store.js';
import { EXIT, Failure } from '../output.js';

/** The members of a client of `pg` that are used. */
export interface PgClient {
  readonly host: string;
  readonly port: number;
  readonly database: string | undefined;
  connect(): Promise<unknown>;
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
  on(event: 'error', listener: () => void): unknown;
  end(): Promise<void>;
}

export const DEFAULT_SCHEMA = 'location_sdk';
const CONNECT_MS = 10_000;
/** Failures that may pass, by themselves or after a person frees space. */
const MAY_PASS: readonly string[] = ['connection', 'timeout', 'conflict', 'busy', 'full'];

export const isAddress = (word: string): boolean => /^postgres(ql)?:/i.test(word);

/** Returns the given schema. Throws a `Failure` for an invalid name. */
export function readSchema(schema: string): string {
  try {
    return checkedSchema(schema);
  } catch (error) {
    throw new Failure((error as Error).message);
  }
}

/** A client that is not connected yet. The address may contain a password, so no message repeats it. */
export async function clientOf(address: string): Promise<PgClient> {
  if (!isAddress(address)) throw new Failure('the address of the database must begin with postgres://');
  let Constructor: new (options: object) => PgClient;
  try {
    Constructor = ((await import(/* webpackIgnore: true */ /* @vite-ignore */ 'pg')).default as unknown as { Client: typeof Constructor }).Client;
  } catch {
    throw new Failure('an outbox in PostgreSQL needs the package pg: npm install pg beside location-sdk');
  }
  let client: PgClient;
  try {
    client = new Constructor({ connectionString: address, application_name: 'location-sdk outbox', connectionTimeoutMillis: CONNECT_MS });
  } catch {
    throw new Failure('the address of the database cannot be read: special characters in a user or a password must be written as %XX');
  }
  // The next query reports the error.
  client.on('error', () => {});
  return client;
}

export async function connectClient(client: PgClient, schema: string): Promise<void> {
  try {
    await client.connect();
  } catch (error) {
    const known = asPostgresError(schema, error);
    throw known.code === 'other' ? postgresError('connection', schema, known.sqlState) : known;
  }
}

/** The beginning of commands to copy: with the variable that contains the address, or with a placeholder. */
export function serverCommand(address: string, schema: string): string {
  const name = address === process.env.DATABASE_URL ? '"$DATABASE_URL"' : "'postgres://…'";
  return `location-sdk outbox ${name}${schema === DEFAULT_SCHEMA ? '' : ` --schema ${schema}`}`;
}

/** The database and the schema of an address, without user and password. */
export function databaseOf(address: string, schema: string): string {
  const { host, pathname } = URL.canParse(address) ? new URL(address) : { host: '', pathname: '' };
  return `postgres://${host}${pathname}, schema ${schema}`;
}

/** Opens an outbox in PostgreSQL. Creates none. */
export async function openOutboxServer(address: string, schema: string): Promise<OutboxStore> {
  const client = await clientOf(address);
  const end = () => client.end().catch(() => {});
  try {
    await connectClient(client, schema);
    const store = await postgresStore({ database: { query: (text, values) => client.query(text, values) }, schema, migrate: false });
    return {
      ...store,
      close: async () => {
        await store.close?.();
        await end();
      },
    };
  } catch (error) {
    await end();
    if (!(error instanceof PostgresStoreError)) throw error;
    throw new Failure(error.message, MAY_PASS.includes(error.code) ? EXIT.failed : EXIT.usage);
  }
}
