import { createHash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isFinal } from '../../outbox/state-machine.js';
import type { MovedRows } from '../../outbox/stores/moved-rows.js';
import { type Run, runWithin } from '../../outbox/stores/postgres/database.js';
import { PostgresStoreError } from '../../outbox/stores/postgres/failure.js';
import { type ImportResult, importRows, type RefusedRow } from '../../outbox/stores/postgres/import-rows.js';
import { prepareSchema } from '../../outbox/stores/postgres/schema.js';
import { type ExportedFile, openExport } from '../../outbox/stores/sqlite/export-rows.js';
import { asSqliteError, SqliteStoreError } from '../../outbox/stores/sqlite/failure.js';
import { importFile } from '../../outbox/stores/sqlite/import-rows.js';
import type { OpenDatabase } from '../../outbox/stores/sqlite/open.js';
import { EXIT, Failure, printable, remark, say } from '../output.js';
import { ensureDatabase, library } from './open.js';
import type { OutboxValues } from './options.js';
import { quoted } from './printable.js';
import { startProgress } from './progress.js';
import { clientOf, connectClient, DEFAULT_SCHEMA, isAddress, type PgClient, readSchema } from './server.js';

/** The target of a move. */
export interface MoveTarget {
  readonly client: PgClient;
  readonly schema: string;
  /** The name of the target in the file, without user and password. */
  readonly place: string;
}

/** Moves all data of a file to PostgreSQL or to a new file, in one transaction. Then marks the file, so that no store opens it any more. */
export async function move(file: string, values: OutboxValues): Promise<number> {
  const { to = process.env.DATABASE_URL, schema: given = DEFAULT_SCHEMA, json } = values;
  if (to === undefined) throw new Failure('move needs its target: --to postgres://…, --to <new file>, or the variable DATABASE_URL');
  if (isAddress(file)) throw new Failure('move takes a file: an outbox in PostgreSQL cannot be moved');
  ensureDatabase(file);
  if (!isAddress(to)) return moveToFile(file, to, json);
  const target = await targetOf(to, readSchema(given));
  const { client, schema } = target;
  try {
    const taken = openExport((await library())(resolve(file)), file);
    const refused: RefusedRow[] = [];
    let arrival: ImportResult;
    try {
      arrival = await carry(file, taken, target, { refused, mayStay: values['skip-rejected'] === true });
      taken.markMoved(target.place);
    } finally {
      taken.close();
    }
    tell(file, `schema ${schema}`, arrival === 'moved', { unread: taken.unread(), isMarked: taken.isMarked(), refused }, json ? { schema } : undefined);
    return EXIT.done;
  } catch (error) {
    if (error instanceof SqliteStoreError || error instanceof PostgresStoreError) throw new Failure(error.message, EXIT.failed);
    throw error;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Moves all data of a file to a new one. The new file gets its name once it is complete. */
async function moveToFile(file: string, to: string, json: boolean | undefined): Promise<number> {
  // A wrong address may contain a password, so no message repeats it.
  if (/:\/\/|password=|:[^/]*@/i.test(to)) throw new Failure('the address of the database must begin with postgres://; a new file has a path without : and @');
  const place = resolve(to);
  if (!existsSync(dirname(place))) throw new Failure(`there is no folder ${dirname(place)} for the new file. Nothing was done`);
  const open = await library();
  try {
    const taken = openExport(open(resolve(file)), file);
    let isMoved = false;
    try {
      const { bound } = taken;
      if (bound && bound.to !== place) throw new Failure(boundElsewhere(file, bound), EXIT.failed);
      if (bound?.arrived && !existsSync(place)) throw new Failure(`${file} was moved to ${printable(place)}, which is gone. Nothing was done`, EXIT.failed);
      if (!bound && existsSync(place)) throw new Failure(`${to} exists: name a new file. Nothing was done`);
      isMoved = !existsSync(place);
      if (isMoved) await writeFile(open, place, taken);
      taken.markMoved(place);
    } finally {
      taken.close();
    }
    tell(file, to, isMoved, { unread: taken.unread(), isMarked: taken.isMarked(), refused: [] }, json ? { file: place } : undefined);
    return EXIT.done;
  } catch (error) {
    if (error instanceof SqliteStoreError) throw new Failure(error.message, EXIT.failed);
    throw error;
  }
}

/** Writes the new file under another name, marks the old one, and then gives the new one its name. */
async function writeFile(open: OpenDatabase, place: string, taken: ExportedFile): Promise<void> {
  const part = `${place}.part`;
  const remove = () => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(part + suffix, { force: true });
  };
  const progress = startProgress('Moving reports');
  remove();
  try {
    await importFile(open, part, taken.content, progress.count);
  } catch (error) {
    remove();
    throw asSqliteError(part, error);
  } finally {
    progress.end();
  }
  taken.bind(place);
  renameSync(part, place);
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(place), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

const KEPT = 'The file is kept, and no store opens it any more.';
const UNMARKED = 'The damaged file could not be marked as moved: keep it in another place, so that no outbox uses it again after a repair.';

/** The parts of a file that did not move. */
interface Rest {
  /** Everything that a damaged file did not give. */
  readonly unread: readonly string[];
  readonly isMarked: boolean;
  /** The final reports that the target refused. */
  readonly refused: readonly RefusedRow[];
}

/** Prints the result of a move, and everything that did not move. */
function tell(file: string, to: string, isMoved: boolean, { unread, isMarked, refused }: Rest, json: object | undefined): void {
  const left = refused.map(({ row }) => row.sequence);
  if (json) {
    say(JSON.stringify({ moved: isMoved, ...json, ...(left.length > 0 && { left }), ...(unread.length > 0 && { unread }) }));
    return;
  }
  say(`${isMoved ? 'Moved' : 'Already moved'}: ${file} to ${to}. ${isMarked ? KEPT : UNMARKED}`);
  if (left.length > 0) remark(`These reports stay in the file, and their receipts are in the moved log: ${named(refused)}.`);
  if (unread.length === 0) return;
  say(`The file is damaged, and this could not be read (${unread.length}). Compare these reports with your books and the gateway:`);
  for (const one of unread) say(`  ${one}`);
}

/** The target of an address. It is not connected yet. */
export async function targetOf(to: string, schema: string): Promise<MoveTarget> {
  const client = await clientOf(to);
  return { client, schema, place: `${client.host}:${client.port}/${client.database ?? ''}, schema ${schema}` };
}

/** Runs statements in the target, with or without a transaction. */
export const runOn = ({ client, schema }: MoveTarget): Run =>
  runWithin({ query: (text: string, values: (string | null)[]) => client.query(text, values) }, schema);

/** The reports that the target refuses, and whether final ones may stay in the file. */
interface Leftover {
  readonly refused: RefusedRow[];
  readonly mayStay: boolean;
}

/** Copies all data to the target, or finds that it is there already. */
async function carry(file: string, taken: ExportedFile, target: MoveTarget, { refused, mayStay }: Leftover): Promise<ImportResult> {
  const { client, schema, place } = target;
  const { bound } = taken;
  if (bound && bound.to !== place) throw new Failure(boundElsewhere(file, bound), EXIT.failed);
  await connectClient(client, schema);
  const run = runOn(target);
  // This does not open a store, since a store would write its own secret, which is other data.
  await prepareSchema(run, schema, bound?.arrived !== true);
  const progress = startProgress('Moving reports');
  try {
    await run('BEGIN');
    const arrival = await importRows(run, schema, taken.content, originOf(taken.content), progress.count, (one) => refused.push(one));
    const problem = refusalOf(file, refused, taken.content.unlogged, mayStay);
    if (problem !== undefined) throw new Failure(problem, EXIT.failed);
    if (arrival === 'moved' && bound?.arrived !== true) await commit(run, file, taken, place);
    else await run('ROLLBACK');
    if (arrival === 'other' || (arrival === 'moved' && bound?.arrived)) throw new Failure(notThere(file, schema, bound), EXIT.failed);
    return arrival;
  } finally {
    progress.end();
  }
}

/**
 * Writes the target into the file before the commit. If the process dies or the answer is lost, no store opens the file again,
 * and it can move to no other place.
 */
async function commit(run: Run, file: string, taken: ExportedFile, place: string): Promise<void> {
  taken.bind(place);
  try {
    await run('COMMIT');
  } catch (error) {
    const refused = error instanceof PostgresStoreError && error.code !== 'connection' && error.sqlState !== undefined;
    if (refused && !taken.bound) taken.unbind();
    if (refused) throw error;
    throw new Failure(`the connection broke during the commit, so it is unknown whether ${file} arrived: run the same move again`, EXIT.failed);
  }
}

const MOST_NAMED = 10;
const LONGEST_NAME = 100;

/** The reports by number, name, state and error. A long name is cut: the number finds the report. */
function named(refused: readonly RefusedRow[]): string {
  const names = refused.slice(0, MOST_NAMED).map(({ row: { sequence, id, state }, error }) => {
    const name = printable(id.length > LONGEST_NAME ? `${id.slice(0, LONGEST_NAME)}…` : id);
    return `number ${sequence}, ${name} (${state}${error instanceof PostgresStoreError && error.sqlState ? `, ${error.sqlState}` : ''})`;
  });
  return `${names.join('; ')}${refused.length > MOST_NAMED ? `; and ${refused.length - MOST_NAMED} more` : ''}`;
}

/** The reason why refused reports stop the move. A report that is not final would never be sent from the file. */
function refusalOf(file: string, refused: readonly RefusedRow[], unlogged: readonly number[], mayStay: boolean): string | undefined {
  if (refused.length === 0) return undefined;
  const open = refused.filter(({ row }) => !isFinal(row.state) || unlogged.includes(row.sequence));
  if (open.length === 0 && mayStay) return undefined;
  const told = open.length > 0 ? open : refused;
  const [first] = told.map(({ row }) => `list --state ${row.blocked ? 'blocked' : row.state} --after ${row.sequence - 1} --limit 1`);
  const begin = `PostgreSQL refuses these reports of ${file}: ${named(told)}. Nothing was moved, and the file is unchanged.`;
  const show = `To see the first one: location-sdk outbox ${quoted(file)} ${first}.`;
  const next =
    open.length > 0
      ? 'They still have to be sent, or to get their receipt: start a worker on the file until they are recorded, or dismiss them (resolve --as dismissed). Then move again with --skip-rejected, which leaves them in the file'
      : 'They are final: move again with --skip-rejected, which leaves them in the file; their receipts are moved';
  return `${begin} ${show} ${next}`;
}

type Bound = NonNullable<ExportedFile['bound']>;

const boundElsewhere = (file: string, { to, arrived }: Bound): string =>
  arrived
    ? `${file} was moved to ${printable(to)}: its reports are there, and must not be sent from a second place. Nothing was done`
    : `a move of ${file} to ${printable(to)} has begun, and may have arrived: finish that move, or abandon it (--abandon). Nothing was done`;

function notThere(file: string, schema: string, bound: Bound | undefined): string {
  if (bound?.arrived)
    return `${file} was moved to ${printable(bound.to)}, but its data is no longer there: look for a backup of that database. Nothing was done`;
  const instead = bound ? 'rename that schema, since this file can move to no other name' : 'move to an empty schema, with --schema';
  return `schema ${schema} holds other data, such as the secret that an instance keeps at its first start; ${instead}. The file was not changed`;
}

/** A hash of the data in a file. It includes everything that may change. */
export function originOf(held: MovedRows): string {
  const hash = createHash('sha256');
  for (const rows of held.rows())
    for (const { id, state, fence, changedAt, fingerprint } of rows) hash.update(JSON.stringify([id, state, fence, changedAt, fingerprint]));
  for (const lines of held.receipts()) for (const { line } of lines) hash.update(line);
  return hash.digest('hex');
}
