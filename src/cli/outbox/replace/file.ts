import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { canonical } from '../../../core/platform/as-record.js';
import type { FileRequest } from '../../../operator/decide-file.js';
import type { NamedFile } from '../../../operator/decision-log.js';
import { DECIDED_TOGETHER, type Planned } from '../../../outbox/decisions/decide-rows.js';
import { planCorrection } from '../../../outbox/decisions/replacement.js';
import { decisionsFor, isRefusedData } from '../../../outbox/rules/decisions.js';
import { DEFAULT_ACCOUNT, type DestinationOperation } from '../../../outbox/rules/destination.js';
import type { KeptDecision } from '../../../outbox/store/operator-store.js';
import { type OutboxStore, scanRows } from '../../../outbox/store/store.js';
import { EXIT, remark, say } from '../../output.js';
import { createReferences } from '../import/check.js';
import { readMapFile, shapeOf } from '../import/columns.js';
import { type ImportLine, lineReaderOf } from '../import/lines.js';
import { createRejected } from '../import/rejected.js';
import { openSource } from '../import/source.js';
import { needed, type RunCommand } from '../options.js';
import { intakeOf, readOwner, settingsFor } from '../own-outbox.js';
import { newDecision } from '../person.js';
import { startProgress } from '../progress.js';
import { grouped, quarantinedNote } from '../text.js';
import { type CorrectedFile, checkCorrections, idOf, inOrder, isAnyLeft, isSettlement } from './lines.js';
import { createTallies } from './tally.js';

/** Replaces the data of the reports in a file, with the reader, the checks and the rejected file of an import. */
export const replaceFile: RunCommand = async ({ store, operator, command }, values) => {
  const { json, account = DEFAULT_ACCOUNT, 'dry-run': dryRun = false, operation: only } = values;
  const path = needed(values, 'from');
  const environment = needed(values, 'environment');
  const owner = await readOwner(values);
  const source = await openSource(path);
  try {
    const about = { file: await source.sha256(), account, environment, ...(only && { operation: only }) };
    const rejected = createRejected(path);
    const shape = shapeOf(only, owner.mode);
    const read = await lineReaderOf(source, readMapFile(values.map), shape, values['last-line-complete'] === true);
    const settings = await settingsFor(store, owner);
    // With other columns, the same file is other data.
    const named = { ...about, ...(values.map !== undefined && { map: readFileSync(values.map, 'utf8') }) };
    let begun = await decisionAbout(store, named);
    const isOwn = (one: string) => begun.isOwn(one);
    const corrector = { intake: intakeOf(settings), seal: settings.seal, isOwn };
    const tallies = createTallies();
    const file: CorrectedFile = { store, place: { account, environment }, source, read, rejected, corrector, tallies };

    if (only) tallies.of(only);
    const isNew = createReferences();
    const lines = await checkCorrections(file, owner, isNew);
    // A report whose settlement's line is rejected is rejected, too.
    if (rejected.lines > 0) for await (const _ of inOrder(file));
    for (const operation of tallies.named())
      tallies.of(operation).notInFile = await countRefused(store, { account, environment, operation }, isNew);
    rejected.write();
    await source.expectUnchanged();

    // The other rejected lines are of reports that cannot be replaced.
    const wrong = rejected.lines - tallies.total('inDoubt', 'recorded', 'notReplaceable', 'missing', 'unsettled');
    const isChecked = dryRun || (wrong > 0 && !values['skip-rejected']);
    let quarantined = 0;
    // Another process may have begun it since, with a reason of its own.
    if (!isChecked) begun = await decisionAbout(store, named);
    let decision: string | undefined;
    let isLeft = !isChecked && (begun.kept !== undefined || tallies.total('differing') > 0);
    while (isLeft) {
      decision = begun.id;
      const { who, reason } = begun.kept ?? newDecision(needed(values, 'reason'));
      const request = { action: 'replaced', who, reason, decision, about, operations: tallies.named() } as const;
      const commits = commitsOf(file, lines);
      quarantined += await operator.decideFile({ ...request, ...commits }).finally(() => rejected.write());
      begun = await decisionAbout(store, named);
      // Another process has ended the decision, and may have rejected lines that this one takes.
      isLeft = !commits.isWhole() && (await isAnyLeft(file));
    }

    const replaced = tallies.total('replaced');
    if (json) {
      const numbers = { lines, rejected: rejected.lines, wrong, quarantined };
      const found = only ? tallies.numbers()[0] : { operations: tallies.numbers() };
      const made = replaced > 0 ? decision : undefined;
      say(JSON.stringify({ ...about, ...numbers, ...found, dryRun, decision: made, problems: rejected.kinds() }));
    } else {
      rejected.tell(lines);
      tallies.tell(isChecked);
      const checked = `${path}: ${grouped(lines)} lines checked, ${grouped(rejected.lines)} rejected. Nothing was changed.`;
      say(isChecked || replaced === 0 ? checked : `${path}: ${grouped(replaced)} reports replaced.`);
      for (const step of nextSteps(file, { isChecked, wrong, replaced })) remark(step);
      if (quarantined > 0) remark(quarantinedNote(quarantined, command));
    }
    return rejected.lines === 0 ? EXIT.done : EXIT.failed;
  } finally {
    await source.close();
  }
};

/** The next steps of a person, in plain words. */
function nextSteps(
  { tallies }: CorrectedFile,
  { isChecked, wrong, replaced }: { isChecked: boolean; wrong: number; replaced: number },
): readonly string[] {
  if (!isChecked) return replaced > 0 ? ['A running worker sends them; if none runs, start one.'] : [];
  if (wrong > 0)
    return ['Correct the lines and run the command again. Or add --skip-rejected to replace only the others.'];
  if (tallies.total('differing') === 0) return [];
  const alone =
    'If their settlements are wrong, too, add them to the file, without --operation: each line names its own.';
  return [
    ...(tallies.named().some(isSettlement) ? [] : [alone]),
    'Run the command without --dry-run to replace those.',
  ];
}

/** The commits of the lines of a file, in their order. */
function commitsOf(file: CorrectedFile, lines: number): Pick<FileRequest, 'next' | 'tell'> & { isWhole(): boolean } {
  const { store, place, source, rejected, corrector, tallies } = file;
  const all = inOrder(file);
  const showProgress = startProgress('Replacing', lines);
  /** The line of each report of the current commit. */
  const lineOf = new Map<string, ImportLine>();
  let page: ImportLine[] = [];
  let done = 0;
  let isEnd = false;
  /** Whether this process has made the latest commit. */
  let isMade = true;

  return {
    /** Whether this process has seen each line to its end. */
    isWhole: () => isEnd && (isMade || page.length === 0),
    async next(from, decision) {
      await source.expectUnchanged();
      // A commit of another process may be that of other lines, so this page is tried again.
      if (isMade) page = [];
      while (isMade && page.length < DECIDED_TOGETHER && !isEnd) {
        const { value = [], done: isOver = false } = await all.next();
        isEnd = isOver;
        done += value.length;
        page.push(...value);
      }
      isMade = false;
      lineOf.clear();
      const rows = await store.get(page.map((line) => idOf(place, line)));
      const planned: Planned[] = [];
      for (const [index, row] of rows.entries()) {
        const line = page[index];
        const found = line && row && (await planCorrection(corrector, row, line.payload, decision));
        if (!found || found.isSame) continue;
        lineOf.set(row.id, line);
        planned.push({ row, change: found.change });
      }
      showProgress(done, done);
      return { planned, to: from + page.length, done: isEnd && page.length === 0 };
    },
    tell(results) {
      isMade = true;
      for (const { row } of results)
        if (row?.decisions.at(-1)?.action === 'replaced') tallies.of(row.operation).replaced += 1;
      for (const { id, why } of results) {
        const line = lineOf.get(id);
        if (why === undefined) continue;
        if (line) rejected.add(line, [{ field: '', reason: why }]);
        else remark(`The settlement ${id} is not reopened: ${why}.`);
      }
    },
  };
}

/**
 * The decision about a file: one that was interrupted, or a new one. Its id follows from the file and the columns of
 * `--map`, so that a second run finds it. `isOwn`: whether a decision is one of the same data.
 */
async function decisionAbout(store: OutboxStore, about: NamedFile & { readonly map?: string }) {
  const ids: string[] = [];
  for (;;) {
    const id = createHash('sha256')
      .update(canonical({ ...about, number: ids.length }))
      .digest('hex')
      .slice(0, 32);
    ids.push(id);
    const kept: KeptDecision | undefined = await store.operator?.decision(id);
    if (!kept?.done) return { id, kept, isOwn: (one: string) => ids.includes(one) };
  }
}

/** Counts the refused reports of an operation that are not in a file. */
async function countRefused(
  store: OutboxStore,
  scope: DestinationOperation,
  isNew: (report: string) => boolean,
): Promise<number> {
  let count = 0;
  for (const state of ['quarantined', 'waiting'] as const)
    for await (const row of scanRows(store, { ...scope, state })) {
      const isRefused = state === 'waiting' ? isRefusedData(row) : decisionsFor(row).replaced === undefined;
      if (isRefused && isNew(scope.operation + row.reference)) count += 1;
    }
  return count;
}
