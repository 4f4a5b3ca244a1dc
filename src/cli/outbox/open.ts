import { accessSync, constants, statSync } from 'node:fs';
import type { Client } from 'pg';
import { hasCode } from '../../core/errors/errors.js';
import { isStoreError } from '../../core/errors/store-error.js';
import { quoted } from '../../core/platform/messages.js';
import { OperatorRefusal } from '../../operator/context.js';
import type { OutboxStore } from '../../outbox/store/store.js';
import { asPostgresError, postgresError, serverOf } from '../../outbox/stores/postgres/failure.js';
import { DEFAULT_SCHEMA } from '../../outbox/stores/postgres/schema/name.js';
import { openPostgresStore } from '../../outbox/stores/postgres/store.js';
import type { OpenDatabase } from '../../outbox/stores/sqlite/database.js';
import { isNoDatabase } from '../../outbox/stores/sqlite/failure.js';
import { findLibrary } from '../../outbox/stores/sqlite/open.js';
import { holdsOutbox } from '../../outbox/stores/sqlite/schema.js';
import { sqliteStore } from '../../outbox/stores/sqlite/store.js';
import { codeOf, EXIT, Failure } from '../output.js';

const BUSY_MS = 5_000;
const CONNECT_MS = 10_000;
/** The page of the console asks for several things at once. */
const MOST_CONNECTIONS = 4;
/** Failures that may pass, by themselves or after a person frees space. */
const MAY_PASS: readonly string[] = ['busy', 'full', 'io', 'connection', 'timeout', 'conflict'];

export const isAddress = (word: string): boolean => /^postgres(ql)?:/i.test(word);

export const openOutbox = (place: string, schema = DEFAULT_SCHEMA): Promise<OutboxStore> =>
  isAddress(place) ? openOutboxServer(place, schema) : openOutboxFile(place);

/** The beginning of commands to copy. In place of an address: its variable, or a placeholder. */
export function commandFor(place: string, schema = DEFAULT_SCHEMA): string {
  if (!isAddress(place)) return `npx location-sdk outbox ${quoted(place)}`;
  const name = place === process.env.DATABASE_URL ? '"$DATABASE_URL"' : "'postgres://…'";
  return `npx location-sdk outbox ${name}${schema === DEFAULT_SCHEMA ? '' : ` --schema ${schema}`}`;
}

/** Throws a `Failure` with the message of a store's error, a wrong option or a refusal, and any other error as it is. */
export function failAsStore(error: unknown, isOpening = false): never {
  if (hasCode(error, 'configuration')) throw new Failure(error.message);
  if (error instanceof OperatorRefusal) throw new Failure(error.message.replace(/\.$/, ''), EXIT.failed);
  if (!isStoreError(error)) throw error;
  if (error.cause instanceof Failure) throw error.cause;
  throw new Failure(error.message, isOpening && !MAY_PASS.includes(error.code) ? EXIT.usage : EXIT.failed);
}

/** Creates no file, and does not change a file that is not an outbox. */
async function openOutboxFile(file: string): Promise<OutboxStore> {
  ensureDatabase(file);
  const open = await library();
  const openKnown: OpenDatabase = (path) => {
    const database = open(path);
    try {
      // The store asks an empty database in memory for the version of SQLite if this process has the file open already.
      if (path === ':memory:' || holdsOutbox(database)) return database;
    } catch (error) {
      if (isNoDatabase(error)) throw new Failure(noDatabase(file));
      throw error;
    }
    database.close();
    throw new Failure(`${file} is a SQLite database without an outbox in it; it was not changed`);
  };
  try {
    return await sqliteStore({ file, open: openKnown, busyTimeoutMs: BUSY_MS });
  } catch (error) {
    return failAsStore(error, true);
  }
}

export const library = (): Promise<OpenDatabase> =>
  findLibrary().catch((error: Error) => {
    throw new Failure(error.message);
  });

const noDatabase = (file: string): string => `${file} is not a SQLite database; it was not changed`;

/** Checks the file first, since SQLite would create a missing one. */
export function ensureDatabase(file: string): void {
  if (/:\/\/|password=/i.test(file))
    throw new Failure('the first word must be the path of a file, or an address that begins with postgres://');
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) throw new Failure(`there is no file ${file}; give the file of the outbox's sqliteStore`);
  if (!found.isFile()) throw new Failure(`${file} is not a regular file; give the file of the outbox's sqliteStore`);
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw new Failure(`${file} cannot be read (${codeOf(error)})`);
  }
  // SQLite treats an empty file as a new database.
  if (found.size === 0) throw new Failure(noDatabase(file));
}

export type PgClient = Client;

const settingsOf = (address: string) => ({
  connectionString: address,
  application_name: 'location-sdk outbox',
  connectionTimeoutMillis: CONNECT_MS,
});

async function openLibrary(address: string) {
  if (!isAddress(address)) throw new Failure('the address of the database must begin with postgres://');
  const pg = await import(/* webpackIgnore: true */ /* @vite-ignore */ 'pg').catch(() => {
    throw new Failure('an outbox in PostgreSQL needs the package pg: npm install pg beside location-sdk');
  });
  return pg.default;
}

/** A client that is not connected yet. The address may contain a password, so no message repeats it. */
export async function clientOf(address: string): Promise<Client> {
  const pg = await openLibrary(address);
  let client: Client;
  try {
    client = new pg.Client(settingsOf(address));
  } catch {
    throw new Failure(
      'the address of the database cannot be read: special characters in a user or a password must be written as %XX',
    );
  }
  // The next query reports the error.
  client.on('error', () => {});
  return client;
}

export async function connectClient(client: Client, schema: string): Promise<void> {
  try {
    await client.connect();
  } catch (error) {
    const server = serverOf(client);
    const known = asPostgresError(schema, error, server);
    throw known.code === 'other' ? postgresError('connection', schema, known.sqlState, '', server) : known;
  }
}

/** Over a pool, which replaces a broken connection: the console goes on after a restart of the database. */
async function openOutboxServer(address: string, schema: string): Promise<OutboxStore> {
  const client = await clientOf(address);
  const { Pool } = await openLibrary(address);
  const pool = new Pool({ ...settingsOf(address), max: MOST_CONNECTIONS });
  // The next query opens another connection.
  pool.on('error', () => {});
  try {
    // It fails with the name of the server.
    await connectClient(client, schema);
    // A secret would be other data for a move into an empty schema.
    const store = await openPostgresStore({ database: pool, schema, migrate: false }, { isReader: true });
    return {
      ...store,
      close: async () => {
        await store.close?.();
        await pool.end();
      },
    };
  } catch (error) {
    await pool.end();
    return failAsStore(error, true);
  } finally {
    await client.end().catch(() => {});
  }
}
