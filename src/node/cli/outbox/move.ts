import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { MovedRows } from '../../../outbox/stores/moved-rows.js';
import { type Arrival, arrive } from '../../../outbox/stores/postgres/arrive.js';
import { type Run, runWithin } from '../../../outbox/stores/postgres/database.js';
import { PostgresStoreError } from '../../../outbox/stores/postgres/failure.js';
import { checkedSchema, prepareSchema } from '../../../outbox/stores/postgres/schema.js';
import { SqliteStoreError } from '../../../outbox/stores/sqlite/failure.js';
import { type LeftFile, takeFile } from '../../../outbox/stores/sqlite/leave.js';
import { EXIT, Failure, say } from '../output.js';
import type { OutboxValues } from './command.js';
import { ensureDatabase, library } from './open.js';
import { startProgress } from './progress.js';

/** What is used of a client of `pg`. */
interface Client {
  connect(): Promise<unknown>;
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
  on(event: 'error', listener: () => void): unknown;
  end(): Promise<void>;
}

/** Moves everything that a file holds to PostgreSQL, in one transaction; the file is then marked, and no store opens it any more. */
export async function move(file: string, { to = process.env.DATABASE_URL, schema = 'location_sdk', json }: OutboxValues): Promise<number> {
  if (to === undefined) throw new Failure('move needs the address of the database: --to postgres://…, or the variable DATABASE_URL');
  ensureDatabase(file);
  const client = await clientOf(to);
  try {
    const taken = takeFile((await library())(resolve(file)), file);
    let arrival: Arrival;
    try {
      await client.connect();
      const database = { query: (text: string, values: (string | null)[]) => client.query(text, values) };
      const run = runWithin(database, checkedSchema(schema));
      // Not a store, which would make a secret of its own, and be other data.
      await prepareSchema(run, schema, true);
      arrival = await within(run, schema, taken);
      if (arrival === 'other')
        throw new Failure(`schema ${schema} holds other data; move to one that is empty, with --schema. The file is left as it is`, EXIT.failed);
    } catch (error) {
      taken.keep();
      throw error;
    }
    taken.leave();
    if (json) say(JSON.stringify({ moved: arrival === 'moved', schema }));
    else say(`${arrival === 'moved' ? 'Moved' : 'It had been moved before'}: ${file} to schema ${schema}. The file is kept, and no store opens it any more.`);
    return EXIT.done;
  } catch (error) {
    if (error instanceof SqliteStoreError || error instanceof PostgresStoreError) throw new Failure(error.message, EXIT.failed);
    throw error instanceof Failure || !isConnectionError(error) ? error : new Failure(`the database cannot be reached (${error.code})`, EXIT.failed);
  } finally {
    await client.end().catch(() => {});
  }
}

const isConnectionError = (error: unknown): error is { code: string } => typeof (error as { code?: unknown } | null)?.code === 'string';

async function clientOf(address: string): Promise<Client> {
  let Constructor: new (options: object) => Client;
  try {
    Constructor = ((await import(/* webpackIgnore: true */ /* @vite-ignore */ 'pg')).default as unknown as { Client: typeof Constructor }).Client;
  } catch {
    throw new Failure('move needs the package pg: npm install pg beside location-sdk');
  }
  const client = new Constructor({ connectionString: address, application_name: 'location-sdk outbox move' });
  // Said by what is asked of it next.
  client.on('error', () => {});
  return client;
}

/** All of it, or nothing. */
async function within(run: Run, schema: string, { held }: LeftFile): Promise<Arrival> {
  const progress = startProgress('Moving reports');
  try {
    await run('BEGIN');
    const arrival = await arrive(run, schema, held, originOf(held), progress.count);
    await run(arrival === 'moved' ? 'COMMIT' : 'ROLLBACK');
    return arrival;
  } finally {
    progress.end();
  }
}

/** Tells what is in a file from anything else: whatever may change has a part in it. */
function originOf(held: MovedRows): string {
  const hash = createHash('sha256');
  for (const rows of held.rows())
    for (const { id, state, fence, changedAt, fingerprint } of rows) hash.update(JSON.stringify([id, state, fence, changedAt, fingerprint]));
  for (const lines of held.receipts()) for (const { line } of lines) hash.update(line);
  return hash.digest('hex');
}
