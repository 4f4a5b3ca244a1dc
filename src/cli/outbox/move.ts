import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { MovedRows } from '../../outbox/stores/moved-rows.js';
import { type Run, runWithin } from '../../outbox/stores/postgres/database.js';
import { PostgresStoreError } from '../../outbox/stores/postgres/failure.js';
import { type ImportResult, importRows } from '../../outbox/stores/postgres/import-rows.js';
import { prepareSchema } from '../../outbox/stores/postgres/schema.js';
import { type ExportedFile, openExport } from '../../outbox/stores/sqlite/export-rows.js';
import { SqliteStoreError } from '../../outbox/stores/sqlite/failure.js';
import { EXIT, Failure, printable, say } from '../output.js';
import { ensureDatabase, library } from './open.js';
import type { OutboxValues } from './options.js';
import { startProgress } from './progress.js';
import { clientOf, connectClient, DEFAULT_SCHEMA, isAddress, type PgClient, readSchema } from './server.js';

/** Where a file goes. */
export interface MoveTarget {
  readonly client: PgClient;
  readonly schema: string;
  /** What is noted in the file: neither user nor password. */
  readonly place: string;
}

/** Moves everything that a file holds to PostgreSQL, in one transaction; the file is then marked, and no store opens it any more. */
export async function move(file: string, { to = process.env.DATABASE_URL, schema: given = DEFAULT_SCHEMA, json }: OutboxValues): Promise<number> {
  if (to === undefined) throw new Failure('move needs the address of the database: --to postgres://…, or the variable DATABASE_URL');
  if (isAddress(file)) throw new Failure('move takes a file: what is in PostgreSQL stays there');
  ensureDatabase(file);
  const target = await targetOf(to, readSchema(given));
  const { client, schema } = target;
  try {
    const taken = openExport((await library())(resolve(file)), file);
    let arrival: ImportResult;
    try {
      arrival = await carry(file, taken, target);
      taken.markMoved(target.place);
    } finally {
      taken.close();
    }
    if (json) say(JSON.stringify({ moved: arrival === 'moved', schema }));
    else say(`${arrival === 'moved' ? 'Moved' : 'It had been moved before'}: ${file} to schema ${schema}. The file is kept, and no store opens it any more.`);
    return EXIT.done;
  } catch (error) {
    if (error instanceof SqliteStoreError || error instanceof PostgresStoreError) throw new Failure(error.message, EXIT.failed);
    throw error;
  } finally {
    await client.end().catch(() => {});
  }
}

/** The place of an address; not connected yet. */
export async function targetOf(to: string, schema: string): Promise<MoveTarget> {
  const client = await clientOf(to);
  return { client, schema, place: `${client.host}:${client.port}/${client.database ?? ''}, schema ${schema}` };
}

/** Sends statements to it, within a transaction or not. */
export const runOn = ({ client, schema }: MoveTarget): Run =>
  runWithin({ query: (text: string, values: (string | null)[]) => client.query(text, values) }, schema);

/** Brings everything there, or finds it there. */
async function carry(file: string, taken: ExportedFile, target: MoveTarget): Promise<ImportResult> {
  const { client, schema, place } = target;
  const { bound } = taken;
  if (bound && bound.to !== place) throw new Failure(boundElsewhere(file, bound), EXIT.failed);
  await connectClient(client, schema);
  const run = runOn(target);
  // Not a store, which would make a secret of its own, and be other data.
  await prepareSchema(run, schema, bound?.arrived !== true);
  const progress = startProgress('Moving reports');
  try {
    await run('BEGIN');
    const arrival = await importRows(run, schema, taken.content, originOf(taken.content), progress.count);
    if (arrival === 'moved' && bound?.arrived !== true) await commit(run, file, taken, place);
    else await run('ROLLBACK');
    if (arrival === 'other' || (arrival === 'moved' && bound?.arrived)) throw new Failure(notThere(file, schema, bound), EXIT.failed);
    return arrival;
  } finally {
    progress.end();
  }
}

/**
 * The file says where it goes before the commit: whatever becomes of this process or of the commit's answer, no store opens it
 * again, and it goes nowhere else.
 */
async function commit(run: Run, file: string, taken: ExportedFile, place: string): Promise<void> {
  taken.bind(place);
  try {
    await run('COMMIT');
  } catch (error) {
    const refused = error instanceof PostgresStoreError && error.code !== 'connection' && error.sqlState !== undefined;
    if (refused && !taken.bound) taken.unbind();
    if (refused) throw error;
    throw new Failure(`the connection broke during the commit, and nobody knows whether ${file} arrived: say the same move again`, EXIT.failed);
  }
}

type Bound = NonNullable<ExportedFile['bound']>;

const boundElsewhere = (file: string, { to, arrived }: Bound): string =>
  arrived
    ? `${file} was moved to ${printable(to)}: its reports are there, and must not be sent from elsewhere too. Nothing was done`
    : `a move of ${file} to ${printable(to)} has begun, and may have arrived: only that move may go on, or be given up (--abandon). Nothing was done`;

function notThere(file: string, schema: string, bound: Bound | undefined): string {
  if (bound?.arrived) return `${file} was moved to ${printable(bound.to)} before, but that does not hold it any more: look for its backup. Nothing was done`;
  const instead = bound ? 'rename that schema, as this file may go to no other name' : 'move to one that is empty, with --schema';
  return `schema ${schema} holds other data, be it only the secret that an instance keeps at its first start; ${instead}. The file is left as it is`;
}

/** Tells what is in a file from anything else: whatever may change has a part in it. */
export function originOf(held: MovedRows): string {
  const hash = createHash('sha256');
  for (const rows of held.rows())
    for (const { id, state, fence, changedAt, fingerprint } of rows) hash.update(JSON.stringify([id, state, fence, changedAt, fingerprint]));
  for (const lines of held.receipts()) for (const { line } of lines) hash.update(line);
  return hash.digest('hex');
}
