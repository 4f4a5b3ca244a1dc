import { createHash } from 'node:crypto';
import { canonical } from '../../core/platform/as-record.js';
import { operations } from '../../core/protocol/operations.js';
import type { CorrectRequest } from '../../operator/correct.js';
import type { CorrectedFile } from '../../operator/decision-log.js';
import type { DecidedReport, Planned } from '../../outbox/decisions/decide-rows.js';
import { CORRECTED_TOGETHER, planCorrection } from '../../outbox/decisions/replacement.js';
import { isDistinctReference, rowId } from '../../outbox/intake/enqueue.js';
import { decisionsFor, isChange, isRefusedData } from '../../outbox/rules/decisions.js';
import { DEFAULT_ACCOUNT } from '../../outbox/rules/destination.js';
import type { Row } from '../../outbox/rules/state-machine.js';
import type { KeptDecision } from '../../outbox/store/operator-store.js';
import { type OutboxStore, scanRows } from '../../outbox/store/store.js';
import { EXIT, remark, say } from '../output.js';
import { checkLines, createReferences } from './import/check.js';
import { differingFields, readMapFile, shapeOf } from './import/columns.js';
import { type ImportLine, lineReaderOf } from './import/lines.js';
import { createRejected } from './import/rejected.js';
import { openSource } from './import/source.js';
import { needed, type RunCommand } from './options.js';
import { intakeOf, readOwner, settingsFor } from './own-outbox.js';
import { newDecision } from './person.js';
import { startProgress } from './progress.js';
import { grouped, quarantinedNote } from './text.js';

const MISSING = 'the outbox does not have this report';

/** Replaces the data of the reports in a file, with the reader, the checks and the rejected file of an import. */
export const replaceFile: RunCommand = async ({ store, operator, command }, values) => {
  const { json, account = DEFAULT_ACCOUNT, 'dry-run': dryRun = false } = values;
  const path = needed(values, 'from');
  const operation = needed(values, 'operation');
  const environment = needed(values, 'environment');
  const owner = await readOwner(values);
  const shape = shapeOf(operation, owner.mode);
  const source = await openSource(path);
  try {
    const about = { file: await source.sha256(), account, environment, operation };
    const rejected = createRejected(path, shape.reference);
    const read = await lineReaderOf(source, readMapFile(values.map), shape, values['last-line-complete'] === true);
    const settings = await settingsFor(store, owner);
    const { seal } = settings;
    const { id: decision, isOwn, kept } = await decisionAbout(store, about);
    const corrector = { intake: intakeOf(settings), seal, isOwn };
    const counts = { differing: 0, same: 0, inDoubt: 0, recorded: 0, notReplaceable: 0, missing: 0 };
    const fields = new Map<string, number>();
    const isNew = createReferences();
    /** The line of each report of the current commit. */
    const lineOf = new Map<string, ImportLine>();

    const idOf = (reference: unknown): string | undefined =>
      typeof reference === 'string' && isDistinctReference(reference)
        ? rowId({ account, environment }, operation, reference)
        : undefined;
    const rowsOf = async (lines: readonly Pick<ImportLine, 'payload'>[]) =>
      store.get(lines.map(({ payload }) => idOf(payload?.[shape.reference]) ?? ''));

    const lines = await checkLines(
      { source, read, shape, rejected },
      async (payload) => {
        const reference = payload[shape.reference];
        // Its name is wrong, and the check of the report says how.
        if (idOf(reference) === undefined) return (await owner.internals.freeze(operation, payload, {})).report;
        const [row] = await rowsOf([{ payload }]);
        const found = row && (await planCorrection(corrector, row, payload, { action: 'replaced', reason: '', at: 0 }));
        const change = found?.change ?? { why: MISSING };
        const names = found?.report && isChange(change) ? await differences(row, found.report.body) : [];
        return {
          reference: String(reference),
          isStored: row !== undefined,
          judge() {
            for (const name of names) fields.set(name, (fields.get(name) ?? 0) + 1);
            if (found?.isSame) counts.same += 1;
            else if (isChange(change)) counts.differing += 1;
            else {
              const { state = 'missing', inDoubt } = row ?? {};
              const isNamed = state === 'missing' || state === 'recorded';
              counts[isNamed ? state : inDoubt ? 'inDoubt' : 'notReplaceable'] += 1;
              return change.why;
            }
            return undefined;
          },
        };
      },
      isNew,
    );
    const notInFile = await countRefused(store, about, isNew);
    rejected.write();
    await source.expectUnchanged();

    // The other rejected lines are of reports that cannot be replaced.
    const wrong = rejected.lines - counts.inDoubt - counts.recorded - counts.notReplaceable - counts.missing;
    const isChecked = dryRun || (wrong > 0 && !values['skip-rejected']);
    let [replaced, quarantined] = [0, 0];
    if (!isChecked && (kept || counts.differing > 0)) {
      const { who, reason } = kept ?? newDecision(needed(values, 'reason'));
      quarantined = await operator
        .correct({
          who,
          reason,
          decision,
          about,
          next: pagesOf(),
          tell(results) {
            replaced += results.filter(({ row }) => row?.operation === operation).length;
            refuse(results);
          },
        })
        .finally(() => rejected.write());
    }
    const differing = [...fields].sort(([, a], [, b]) => b - a).map(([field, reports]) => ({ field, reports }));
    if (json) {
      const made = replaced > 0 ? decision : undefined;
      const numbers = { lines, rejected: rejected.lines, wrong, ...counts, notInFile, replaced, quarantined };
      const found = { fields: differing, problems: rejected.kinds() };
      say(JSON.stringify({ ...about, ...numbers, dryRun, decision: made, ...found }));
    } else {
      rejected.tell(lines);
      tellResult();
    }
    return rejected.lines === 0 ? EXIT.done : EXIT.failed;

    /** The names of the fields that differ. None if the stored data was deleted, or is sealed with a missing key. */
    async function differences(row: Row | undefined, body: string): Promise<string[]> {
      if (row?.body === undefined) return [];
      const stored = await seal.open(row.body, row).catch(() => undefined);
      return stored === undefined ? [] : differingFields(JSON.parse(stored), JSON.parse(body));
    }

    function tellResult(): void {
      const rows: [number, string][] = [
        [isChecked ? counts.differing : 0, 'would be replaced'],
        [counts.same, 'have this data already'],
        [notInFile, `reports of ${operation} were refused, and are not in the file`],
      ];
      for (const [count, words] of rows) if (count > 0) remark(`  ${grouped(count)} ${words}`);
      if (differing.length > 0) remark('Fields that differ:');
      for (const { field, reports } of differing) remark(`  ${grouped(reports)} × ${field}`);
      const checked = `${path}: ${grouped(lines)} lines checked, ${grouped(rejected.lines)} rejected. Nothing was changed.`;
      say(isChecked || replaced === 0 ? checked : `${path}: ${grouped(replaced)} reports replaced.`);
      if (wrong > 0 && isChecked)
        remark('Correct the lines and run the command again. Or add --skip-rejected to replace only the others.');
      else if (isChecked && counts.differing > 0) {
        if (!('after' in operations[operation]))
          remark('If their settlements are wrong, too, correct those first, with a file of their own.');
        remark('Run the command without --dry-run to replace those.');
      } else if (replaced > 0) remark('A running worker sends them; if none runs, start one.');
      if (quarantined > 0) remark(quarantinedNote(quarantined, command));
    }

    function refuse(results: readonly DecidedReport[]): void {
      for (const { id, why } of results) {
        const line = lineOf.get(id);
        if (why === undefined) continue;
        if (line) rejected.add(line, [{ field: '', reason: why }]);
        else remark(`The settlement ${id} is not reopened: ${why}.`);
      }
    }

    function pagesOf(): CorrectRequest['next'] {
      const all = read();
      const showProgress = startProgress('Replacing', source.size);
      let to = 0;
      return async (from, decision) => {
        await source.expectUnchanged();
        const page: ImportLine[] = [];
        let isEnd = false;
        while (page.length < CORRECTED_TOGETHER && !isEnd) {
          const { value, done } = await all.next();
          if (done) isEnd = true;
          else {
            to += 1;
            // After an interruption also the lines before it: one of them may have been in flight then.
            if (!rejected.has(value)) page.push(value);
          }
        }
        lineOf.clear();
        const rows = await rowsOf(page);
        const planned: Planned[] = [];
        for (const [index, row] of rows.entries()) {
          const line = page[index];
          const found = line && row && (await planCorrection(corrector, row, line.payload, decision));
          if (!found || found.isSame) continue;
          lineOf.set(row.id, line);
          planned.push({ row, change: found.change });
        }
        showProgress(source.position(), to);
        return { planned, to: Math.max(to, from), done: isEnd && page.length === 0 };
      };
    }
  } finally {
    await source.close();
  }
};

/**
 * The decision about a file: one that was interrupted, or a new one. Its id follows from the file, so that a second run
 * finds it. `isOwn`: whether a decision is one of the same file.
 */
async function decisionAbout(store: OutboxStore, about: CorrectedFile) {
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
  { account, environment, operation }: CorrectedFile,
  isNew: (reference: string) => boolean,
): Promise<number> {
  let count = 0;
  for (const state of ['quarantined', 'waiting'] as const)
    for await (const row of scanRows(store, { account, environment, operation, state })) {
      const isRefused = state === 'waiting' ? isRefusedData(row) : decisionsFor(row).replaced === undefined;
      if (isRefused && isNew(row.reference)) count += 1;
    }
  return count;
}
