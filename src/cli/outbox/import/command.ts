import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { createOutboxEvents } from '../../../outbox/events.js';
import { createEntrance } from '../../../outbox/intake/enqueue.js';
import type { OutboxSettings } from '../../../outbox/settings-shape.js';
import type { OutboxStore } from '../../../outbox/store.js';
import { PostgresStoreError } from '../../../outbox/stores/postgres/failure.js';
import { SqliteStoreError } from '../../../outbox/stores/sqlite/failure.js';
import { EXIT, Failure, printable, remark, say } from '../../output.js';
import type { OutboxValues } from '../options.js';
import { quoted } from '../printable.js';
import { DEFAULT_SCHEMA, databaseOf, isAddress, readSchema, serverCommand } from '../server.js';
import { type Checked, checkLines } from './check.js';
import { enqueueLines, type Progress } from './enqueue-lines.js';
import { hearInterruption } from './interruption.js';
import { linesOf } from './lines.js';
import { readMapFile } from './map-file.js';
import { createRejected, expectWritable, type Rejected, rejectedFileOf } from './rejected.js';
import { shapeOf } from './shape.js';
import { openSource, type Source } from './source.js';
import { expectSameImport, noteBegun, noteEnded, stateFileOf } from './state-file.js';
import { enter, type Importer, makeStore, openStore, readImporter } from './target.js';

type Operation = NonNullable<OutboxValues['operation']>;

/** Enqueues the reports of a file. Every line is checked before the first is enqueued. */
export async function importFile(place: string, values: OutboxValues, [path = '']: readonly string[]): Promise<number> {
  const { operation } = values;
  if (operation === undefined) throw new Failure('import needs --operation: the operation of its lines, such as reportSettledBet');
  const schema = readSchema(values.schema ?? DEFAULT_SCHEMA);
  const importer = await readImporter(values);
  const source = await openSource(path);
  const rejected = createRejected(rejectedFileOf(path));
  const interruption = hearInterruption();
  try {
    expectWritable(rejected.file);
    const store = await openStore(place, schema);
    try {
      return await importInto(store, { place, schema, path, operation, values, importer, source, rejected, signal: interruption.signal });
    } finally {
      await store?.close?.();
    }
  } catch (error) {
    if (error instanceof SqliteStoreError || error instanceof PostgresStoreError) throw new Failure(error.message, EXIT.failed);
    throw error;
  } finally {
    interruption.end();
    rejected.close();
    await source.close();
  }
}

interface Work {
  readonly place: string;
  readonly schema: string;
  readonly path: string;
  readonly operation: Operation;
  readonly values: OutboxValues;
  readonly importer: Importer;
  readonly source: Source;
  readonly rejected: Rejected;
  readonly signal: AbortSignal;
}

async function importInto(store: OutboxStore | undefined, work: Work): Promise<number> {
  const { path, operation, values, importer, source, rejected, signal } = work;
  const shape = shapeOf(operation, importer.mode);
  const map = readMapFile(values.map);
  const read = linesOf(source, map, shape);
  const settings = store && (await enter(store, importer));
  const { account, environment, gateway } = importer;
  if (!values.json) remark(`${path}: ${operation} of account ${account} in ${environment}, for ${gateway}`);

  const holding = settings && (await isEmpty(settings, account)) ? undefined : settings;
  const checked = await checkLines({ size: source.size, read, shape, importer, rejected, signal, holding });
  if (signal.aborted) throw new Failure('stopped during the check of the lines. Nothing was enqueued', EXIT.failed);
  rejected.end();
  await source.expectUnchanged();
  if (source.endsOpen() && !values.json) remark('The last line does not end with a line break: check that the file is complete.');
  const state = stateFileOf(path, operation);
  const begun = {
    checksum: source.checksum(),
    into: targetOf(work),
    map: createHash('sha256')
      .update(JSON.stringify([...map]))
      .digest('hex'),
  };
  if (expectSameImport(state, path, begun) && !values.json) remark('An import of this file was interrupted. This run continues it.');
  if (values['dry-run']) return tellChecked(work, checked);
  if (rejected.lines > 0 && !values['skip-rejected']) return tellChecked(work, checked);

  const made = settings ? undefined : await makeStore(work.place);
  try {
    const into = settings ?? (made && (await enter(made, importer)));
    if (!into) throw new Error('There is no outbox.');
    const progress: Progress = { enqueued: 0, already: 0, line: 0 };
    noteBegun(state, begun);
    const [own] = into.accounts;
    if (!own) throw new Error('The outbox has no account.');
    try {
      const entrance = createEntrance(into, own, createOutboxEvents());
      await enqueueLines({ source, read, shape, entrance, settings: into, rejected, conflicts: checked.conflicts, rate: values.rate, signal }, progress);
    } catch (error) {
      tellHowToGoOn(work, progress);
      throw error;
    }
    rejected.end();
    if (signal.aborted) {
      tellHowToGoOn(work, progress);
      return EXIT.failed;
    }
    noteEnded(state);
    return tellDone(work, checked, progress, made !== undefined);
  } finally {
    await made?.close?.();
  }
}

/** The outbox that the reports go to, in words. It is kept in a file, so it holds no user and no password of a database. */
function targetOf({ place, schema, importer: { account, environment } }: Work): string {
  return `the account ${account}, ${environment}, ${isAddress(place) ? databaseOf(place, schema) : resolve(place)}`;
}

async function isEmpty({ store }: OutboxSettings, account: string): Promise<boolean> {
  const { states } = await store.counts([account]);
  return Object.values(states).every((count) => count === 0);
}

const whole = (count: number): string => count.toLocaleString('en');

function tellRejected({ rejected, values }: Work, checked: Checked): void {
  if (values.json || rejected.lines === 0) return;
  remark(`\n${whole(rejected.lines)} of ${whole(checked.lines)} lines are wrong; ${rejected.file} lists them:`);
  for (const [kind, count] of rejected.kinds().slice(0, 10)) remark(`  ${whole(count)} × ${printable(kind)}`);
}

/** Prints the result of a run that enqueued nothing. */
function tellChecked(work: Work, checked: Checked): number {
  const { rejected, values, path } = work;
  const { lines, already, repeated } = checked;
  const isRight = rejected.lines === 0;
  tellRejected(work, checked);
  if (values.json) say(JSON.stringify({ ...resultOf(work, checked), enqueued: 0 }));
  else {
    say(
      `${path}: ${whole(lines)} lines checked, ${whole(rejected.lines)} wrong${already > 0 ? `, ${whole(already)} already in the outbox` : ''}${repeated > 0 ? `, ${whole(repeated)} repeat an earlier line` : ''}. Nothing was enqueued.`,
    );
    if (!isRight) remark('Correct them and run the command again. Or add --skip-rejected to enqueue only the other lines.');
    else remark('Run the command without --dry-run to enqueue them.');
  }
  return isRight ? EXIT.done : EXIT.failed;
}

const resultOf = ({ rejected, values, operation, importer: { account, environment } }: Work, { lines, already, repeated }: Checked) => ({
  operation,
  account,
  environment,
  dryRun: values['dry-run'] === true,
  lines,
  rejected: rejected.lines,
  already,
  repeated,
});

function tellDone(work: Work, checked: Checked, { enqueued, already }: Progress, isNew: boolean): number {
  const { rejected, values, path } = work;
  tellRejected(work, checked);
  if (values.json) say(JSON.stringify({ ...resultOf(work, checked), already, enqueued }));
  else {
    say(
      `${path}: ${whole(enqueued)} reports enqueued${already > 0 ? `, ${whole(already)} were already in the outbox` : ''}${rejected.lines > 0 ? `, ${whole(rejected.lines)} lines refused` : ''}.`,
    );
    if (isNew) remark(`${work.place} was created. Nothing is sent until a worker runs on it.`);
    else remark('The workers of this outbox send them.');
  }
  return rejected.lines === 0 ? EXIT.done : EXIT.failed;
}

function tellHowToGoOn({ place, schema, path, values }: Work, { enqueued, already, line }: Progress): void {
  const command = isAddress(place) ? serverCommand(place, schema) : `location-sdk outbox ${quoted(place)}`;
  remark(`Stopped after line ${whole(line)}: ${whole(enqueued)} reports were enqueued now, ${whole(already)} before.`);
  remark(`To continue, run the same command again: ${command} import ${quoted(path)} --operation ${values.operation} …\nNo report is enqueued twice.`);
}
