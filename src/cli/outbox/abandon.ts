import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { MovedRows } from '../../outbox/stores/moved-rows.js';
import { PostgresStoreError } from '../../outbox/stores/postgres/failure.js';
import { importRows } from '../../outbox/stores/postgres/import-rows.js';
import { type ExportedFile, openExport } from '../../outbox/stores/sqlite/export-rows.js';
import { SqliteStoreError } from '../../outbox/stores/sqlite/failure.js';
import { EXIT, Failure, printable, say } from '../output.js';
import { type MoveTarget, originOf, runOn, targetOf } from './move.js';
import { ensureDatabase, library } from './open.js';
import type { OutboxValues } from './options.js';
import { connectClient, DEFAULT_SCHEMA, isAddress, readSchema } from './server.js';

/**
 * Releases a file whose move has begun with an unknown result. It first looks for the data in the target of the move. Only if
 * the target is gone for ever, a person may confirm that by naming it. A file that arrived is never released, since two
 * outboxes with the same reports would send them twice.
 */
export async function abandon(file: string, { to, schema = DEFAULT_SCHEMA, gone, json }: OutboxValues): Promise<number> {
  if (isAddress(file)) throw new Failure('move --abandon takes the file whose move has begun');
  if (gone !== undefined && to !== undefined) throw new Failure('--gone goes without --to: give --to if the database still answers');
  const address = gone === undefined ? (to ?? process.env.DATABASE_URL) : undefined;
  if (gone === undefined && address === undefined)
    throw new Failure(
      'move --abandon needs the target of the move: --to postgres://…, or DATABASE_URL. If that database is gone for ever, name it with --gone',
    );
  const target = address === undefined ? undefined : await targetOf(address, readSchema(schema));
  ensureDatabase(file);
  try {
    const taken = openExport((await library())(resolve(file)), file);
    try {
      const place = placeOf(file, taken, target?.place ?? gone);
      if (target) await ensureAbsent(file, taken, target);
      else if (existsSync(place)) throw new Failure(`${place} exists: run the same move again, without --abandon. Nothing was done`, EXIT.failed);
      taken.abandon(place);
    } finally {
      taken.close();
    }
    if (json) say(JSON.stringify({ abandoned: true }));
    else say(`Abandoned: ${file} is as it was before its move, and stores open it again.`);
    return EXIT.done;
  } catch (error) {
    if (error instanceof SqliteStoreError || error instanceof PostgresStoreError) throw new Failure(error.message, EXIT.failed);
    throw error;
  } finally {
    await target?.client.end().catch(() => {});
  }
}

/** The target of the move. Throws if it is not the named one. */
function placeOf(file: string, { bound }: ExportedFile, named: string | undefined): string {
  if (!bound) throw new Failure(`no move of ${file} has begun, or it was abandoned: there is nothing to do`, EXIT.failed);
  const to = printable(bound.to);
  if (bound.arrived)
    throw new Failure(`${file} was moved to ${to}: its reports are there, and must not be sent from a second place. Nothing was done`, EXIT.failed);
  if (bound.to !== named) throw new Failure(`the move of ${file} goes to ${to}, not to the place that you named. Nothing was done`, EXIT.failed);
  return bound.to;
}

const NOTHING: MovedRows = { rows: () => [], receipts: () => [], unlogged: [], settings: [], decisions: [], steps: [], destinations: [] };

/** Throws if the file may have arrived. Waits for the locks of a move that may still commit. */
async function ensureAbsent(file: string, taken: ExportedFile, target: MoveTarget): Promise<void> {
  const { client, schema } = target;
  await connectClient(client, schema);
  const run = runOn(target);
  const [found] = await run('SELECT to_regclass($1::text)::text AS reports, pg_is_in_recovery()::text AS standby', [`${schema}.reports`]);
  if (found?.standby !== 'false')
    throw new Failure('that server is a standby, which may not have the latest data: give the primary. Nothing was done', EXIT.failed);
  if (found.reports === null) return;
  await run('BEGIN');
  // A move without rows, which is rolled back, finds out what the schema holds.
  const arrival = await importRows(run, schema, NOTHING, originOf(taken.content), () => {});
  await run('ROLLBACK');
  if (arrival === 'there')
    throw new Failure(`${file} has arrived in schema ${schema}: run the same move again, without --abandon. Nothing was done`, EXIT.failed);
  if (arrival === 'other')
    throw new Failure(`schema ${schema} holds other data, and a part of it may be from ${file}: rename that schema first. Nothing was done`, EXIT.failed);
}
