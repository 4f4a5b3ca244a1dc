import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { isStoreError } from '../../core/errors/store-error.js';
import { cut, printable } from '../../core/platform/messages.js';
import type { MovedRows } from '../../outbox/stores/moved-rows.js';
import { type Run, runWithin } from '../../outbox/stores/postgres/database.js';
import { importRows, type RefusedRow } from '../../outbox/stores/postgres/import-rows.js';
import { DEFAULT_SCHEMA } from '../../outbox/stores/postgres/schema/name.js';
import { prepareSchema } from '../../outbox/stores/postgres/schema/prepare.js';
import { type ExportedFile, openExport } from '../../outbox/stores/sqlite/export-rows.js';
import { EXIT, Failure, say } from '../output.js';
import { clientOf, connectClient, ensureDatabase, isAddress, library, type PgClient } from './open.js';
import type { BeginCommand } from './options.js';

/** In one transaction. Then marks the file, so that no store opens it any more. */
export const move: BeginCommand = async (file, { to = process.env.DATABASE_URL, schema = DEFAULT_SCHEMA, json }) => {
  if (to === undefined) throw new Failure('move needs its target: --to postgres://…, or the variable DATABASE_URL');
  if (isAddress(file)) throw new Failure('move takes a file: an outbox in PostgreSQL cannot be moved');
  ensureDatabase(file);
  const client = await clientOf(to);
  // Its name in the file, without user and password.
  const place = `${client.host}:${client.port}/${client.database ?? ''}, schema ${schema}`;
  try {
    const taken = openExport((await library())(resolve(file)), file);
    let isMoved = false;
    try {
      if (taken.bound && taken.bound.to !== place) throw new Failure(boundElsewhere(file, taken.bound), EXIT.failed);
      isMoved = await carry(file, taken, client, schema, place);
      taken.markMoved(place);
    } finally {
      taken.close();
    }
    if (json) say(JSON.stringify({ moved: isMoved, schema }));
    else
      say(
        `${isMoved ? 'Moved' : 'Already moved'}: ${file} to schema ${schema}. The file is kept, and no store opens it any more.`,
      );
    return EXIT.done;
  } finally {
    await client.end().catch(() => {});
  }
};

/** Copies all data, or finds that it is there already. Returns whether it copied them. */
async function carry(
  file: string,
  taken: ExportedFile,
  client: PgClient,
  schema: string,
  place: string,
): Promise<boolean> {
  const { bound } = taken;
  await connectClient(client, schema);
  const run = runWithin(client, schema);
  // This does not open a store, since a store would write its own secret, which is other data.
  await prepareSchema(run, schema, bound?.arrived !== true);
  await run('BEGIN');
  const { arrival, refused } = await importRows(run, taken.content, originOf(taken.content));
  if (refused.length > 0) throw new Failure(refusalOf(file, refused), EXIT.failed);
  const isMoved = arrival === 'moved' && bound?.arrived !== true;
  if (isMoved) await commit(run, file, taken, place);
  else await run('ROLLBACK');
  if (!isMoved && arrival !== 'there') throw new Failure(notThere(file, schema, bound), EXIT.failed);
  return isMoved;
}

/**
 * Writes the target into the file before the commit. If the process dies or the answer is lost, no store opens the file
 * again, and it can move to no other place.
 */
async function commit(run: Run, file: string, taken: ExportedFile, place: string): Promise<void> {
  taken.bind(place);
  try {
    await run('COMMIT');
  } catch (error) {
    const refused = isStoreError(error) && error.code !== 'connection' && error.sqlState !== undefined;
    if (refused && !taken.bound) taken.unbind();
    if (refused) throw error;
    throw new Failure(
      `the connection broke during the commit, so it is unknown whether ${file} arrived: run the same move again`,
      EXIT.failed,
    );
  }
}

const MOST_NAMED = 10;
const LONGEST_NAME = 100;

function refusalOf(file: string, refused: readonly RefusedRow[]): string {
  const names = refused.slice(0, MOST_NAMED).map(({ row: { sequence, id, state }, error }) => {
    const name = printable(cut(id, LONGEST_NAME));
    return `number ${sequence}, ${name} (${state}${isStoreError(error) && error.sqlState ? `, ${error.sqlState}` : ''})`;
  });
  const more = refused.length > MOST_NAMED ? `; and ${refused.length - MOST_NAMED} more` : '';
  return `PostgreSQL refuses these reports of ${file}: ${names.join('; ')}${more}. Nothing was moved, and the file is unchanged. Let a worker on the file record them, or dismiss them. Then delete them from the file with prune, and move again`;
}

type Bound = NonNullable<ExportedFile['bound']>;

const boundElsewhere = (file: string, { to, arrived }: Bound): string =>
  arrived
    ? `${file} was moved to ${printable(to)}: its reports are there, and must not be sent from a second place. Nothing was done`
    : `a move of ${file} to ${printable(to)} has begun, and may have arrived: finish that move. Nothing was done`;

function notThere(file: string, schema: string, bound: Bound | undefined): string {
  if (bound?.arrived)
    return `${file} was moved to ${printable(bound.to)}, but its data is no longer there: look for a backup of that database. Nothing was done`;
  const instead = bound
    ? 'rename that schema, since this file can move to no other name'
    : 'move to an empty schema, with --schema';
  return `schema ${schema} holds other data, such as the secret that an instance keeps at its first start; ${instead}. The file was not changed`;
}

/** A hash of all data that may change. */
function originOf(held: MovedRows): string {
  const hash = createHash('sha256');
  for (const rows of held.rows())
    for (const { id, state, fence, changedAt, fingerprint } of rows)
      hash.update(JSON.stringify([id, state, fence, changedAt, fingerprint]));
  for (const lines of held.receipts()) for (const { line } of lines) hash.update(line);
  return hash.digest('hex');
}
