import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { operations } from '../../../core/protocol/operations.js';
import type { OutboxStore } from '../../../outbox/store/store.js';
import { sqliteStore } from '../../../outbox/stores/sqlite/store.js';
import { EXIT, Failure, remark, say } from '../../output.js';
import { commandFor, isAddress, library, openOutbox } from '../open.js';
import { type BeginCommand, needed } from '../options.js';
import { intakeOf, readOwner, settingsFor } from '../own-outbox.js';
import { grouped, reports } from '../text.js';
import { checkLines } from './check.js';
import { readMapFile, shapeOf } from './columns.js';
import { enqueueLines, type Progress } from './enqueue-lines.js';
import { lineReaderOf } from './lines.js';
import { createRejected } from './rejected.js';
import { openSource } from './source.js';

export const importFile: BeginCommand = async (place, values, [path = '']) => {
  const { json } = values;
  const operation = needed(values, 'operation');
  const owner = await readOwner(values);
  const { account, environment, gateway } = owner;
  const source = await openSource(path);
  const note = (text: string) => (json ? undefined : remark(text));
  let store: OutboxStore | undefined;
  try {
    const rejected = createRejected(path);
    store = await openStore(place, values.schema);
    const isNew = store === undefined;
    const read = await lineReaderOf(
      source,
      readMapFile(values.map),
      shapeOf(operation, owner.mode),
      values['last-line-complete'] === true,
    );
    const work = { source, read, rejected, operation };
    let settings = store && (await settingsFor(store, owner));
    note(`${path}: ${operation} of account ${account} in ${environment}, for ${gateway}`);
    const isKnown = (await store?.outlook([account]))?.some((one) => one.environment === environment);
    if (isKnown === false)
      note(
        `This outbox has never had reports of account ${account} in ${environment}: if they are meant, start a worker that serves them.`,
      );

    const dryRun = values['dry-run'] === true;
    let progress: Progress = { enqueued: 0, already: 0, quarantined: 0, dismissed: 0 };
    const found = settings && intakeOf(settings);
    const lines = await checkLines(work, async (payload) => {
      // The outbox may have the location of a settled withdrawal. For other reports its work would only take time.
      const kept = found && operations[operation].location === 'field';
      const { report } = await (kept
        ? found.prepare({ operation, payload })
        : owner.internals.freeze(operation, payload, undefined));
      return report;
    });
    rejected.write();
    await source.expectUnchanged();
    const isChecked = dryRun || (rejected.lines > 0 && !values['skip-rejected']);
    if (!isChecked) {
      store ??= await makeStore(place);
      settings ??= await settingsFor(store, owner);
      try {
        for await (const reached of enqueueLines(work, intakeOf(settings), settings)) progress = reached;
      } catch (error) {
        note(`Stopped after ${grouped(progress.enqueued)} reports. To continue, run the same command again.`);
        const isUsage = error instanceof Failure && error.exitCode === EXIT.usage;
        // With that exit code, nothing was changed.
        throw isUsage && progress.enqueued > 0 ? new Failure(error.message, EXIT.failed) : error;
      } finally {
        rejected.write();
      }
    }

    const refused = rejected.lines;
    if (json) {
      const result = { operation, account, environment, dryRun, lines, rejected: refused, problems: rejected.kinds() };
      say(JSON.stringify({ ...result, ...progress }));
    } else {
      rejected.tell(lines);
      if (isChecked) tellChecked(path, { lines, refused, skips: values['skip-rejected'] === true });
      else {
        tellEnqueued(path, { ...progress, refused }, commandFor(place, values.schema));
        if (isNew) remark(`${place} was created. Nothing is sent until a worker runs on it.`);
        else if (progress.enqueued > 0) remark('A running worker of this account sends them; if none runs, start one.');
      }
    }
    return refused === 0 ? EXIT.done : EXIT.failed;
  } finally {
    await store?.close?.();
    await source.close();
  }
};

function tellChecked(
  path: string,
  { lines, refused, skips }: { lines: number; refused: number; skips: boolean },
): void {
  say(`${path}: ${grouped(lines)} lines checked, ${grouped(refused)} rejected. Nothing was enqueued.`);
  if (refused === 0) remark('Run the command without --dry-run to enqueue them.');
  else if (skips) remark('Correct them, or run the command without --dry-run to enqueue only the other lines.');
  else remark('Correct them and run the command again. Or add --skip-rejected to enqueue only the other lines.');
}

function tellEnqueued(
  path: string,
  { enqueued, already, quarantined, dismissed, refused }: Progress & { readonly refused: number },
  command: string,
): void {
  const before = already > 0 ? `, ${grouped(already)} were already in the outbox` : '';
  const rejected = refused > 0 ? `, ${grouped(refused)} lines rejected` : '';
  say(`${path}: ${grouped(enqueued)} reports enqueued${before}${rejected}.`);
  for (const [state, count] of Object.entries({ quarantined, dismissed }))
    if (count > 0)
      remark(
        `Not sent, since the outbox has them ${state}: ${reports(count)}. To see them: ${command} list --state ${state}`,
      );
}

/** Undefined for a file that does not exist yet. */
async function openStore(place: string, schema: string | undefined): Promise<OutboxStore | undefined> {
  if (!isAddress(place) && !/:\/\/|password=/i.test(place) && !statSync(place, { throwIfNoEntry: false })) {
    if (!statSync(dirname(resolve(place)), { throwIfNoEntry: false })?.isDirectory())
      throw new Failure(`there is no folder ${dirname(place)} for a new outbox`);
    return undefined;
  }
  return openOutbox(place, schema);
}

const makeStore = async (file: string): Promise<OutboxStore> => sqliteStore({ file, open: await library() });
