import { createHash } from 'node:crypto';
import { canonical } from '../../core/platform/as-record.js';
import { type Operation, operations, type ReportName, reportNames } from '../../core/protocol/operations.js';
import type { FileRequest } from '../../operator/decide-file.js';
import type { NamedFile } from '../../operator/decision-log.js';
import type { DecidedReport, Planned } from '../../outbox/decisions/decide-rows.js';
import { CORRECTED_TOGETHER, planCorrection } from '../../outbox/decisions/replacement.js';
import { isDistinctReference, rowId } from '../../outbox/intake/enqueue.js';
import { decisionsFor, isChange, isRefusedData } from '../../outbox/rules/decisions.js';
import { DEFAULT_ACCOUNT, type DestinationOperation } from '../../outbox/rules/destination.js';
import type { Decision, Row } from '../../outbox/rules/state-machine.js';
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

/** The decision of a check, which is never stored. */
const CHECKED: Decision = { action: 'replaced', reason: '', at: 0 };

type Named = Pick<ImportLine, 'operation' | 'payload'>;

/** Counts of the reports of one operation. */
const newTally = () => ({
  differing: 0,
  same: 0,
  inDoubt: 0,
  recorded: 0,
  notReplaceable: 0,
  missing: 0,
  /** Those whose settlement's line is rejected. */
  unsettled: 0,
  notInFile: 0,
  replaced: 0,
  fields: new Map<string, number>(),
});
type Tally = ReturnType<typeof newTally>;

/** Of the reports that wait for another report. */
const isSettlement = (name: ReportName | undefined): boolean => name !== undefined && 'after' in operations[name];

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
    const { seal } = settings;
    let begun = await decisionAbout(store, about);
    const corrector = { intake: intakeOf(settings), seal, isOwn: (one: string) => begun.isOwn(one) };
    const tallies = new Map<string, Tally>();
    const isNew = createReferences();
    /** The line of each report of the current commit. */
    const lineOf = new Map<string, ImportLine>();

    function tallyOf(operation: string): Tally {
      const tally = tallies.get(operation) ?? newTally();
      tallies.set(operation, tally);
      return tally;
    }
    /** No report has an empty id. */
    function idOf({ operation, payload }: Named): string {
      const reference = operation && payload?.[operations[operation].reference];
      return operation && typeof reference === 'string' && isDistinctReference(reference)
        ? rowId({ account, environment }, operation, reference)
        : '';
    }

    if (only) tallyOf(only);
    const lines = await checkLines(
      { source, read, rejected },
      async (payload, operation) => {
        const tally = tallyOf(operation);
        const id = idOf({ operation, payload });
        // Its name is wrong, and the check of the report says how.
        if (id === '') return (await owner.internals.freeze(operation, payload, {})).report;
        const [row] = await store.get([id]);
        const found = row && (await planCorrection(corrector, row, payload, CHECKED));
        const change = found?.change ?? { why: MISSING };
        const names = found?.report && isChange(change) ? await differences(row, found.report.body) : [];
        return {
          reference: String(payload[operations[operation].reference]),
          isStored: row !== undefined,
          judge() {
            for (const name of names) tally.fields.set(name, (tally.fields.get(name) ?? 0) + 1);
            if (found?.isSame) tally.same += 1;
            else if (isChange(change)) tally.differing += 1;
            else {
              const { state = 'missing', inDoubt } = row ?? {};
              const isNamed = state === 'missing' || state === 'recorded';
              tally[isNamed ? state : inDoubt ? 'inDoubt' : 'notReplaceable'] += 1;
              return change.why;
            }
            return undefined;
          },
        };
      },
      isNew,
    );
    // A report whose settlement's line is rejected is rejected, too.
    if (rejected.lines > 0) for await (const _ of inOrder());
    for (const operation of named())
      tallyOf(operation).notInFile = await countRefused(store, { account, environment, operation }, isNew);
    rejected.write();
    await source.expectUnchanged();

    // The other rejected lines are of reports that cannot be replaced.
    const wrong = rejected.lines - total('inDoubt', 'recorded', 'notReplaceable', 'missing', 'unsettled');
    const isChecked = dryRun || (wrong > 0 && !values['skip-rejected']);
    let quarantined = 0;
    // Another process may have begun it since, with a reason of its own.
    if (!isChecked) begun = await decisionAbout(store, about);
    const { id: decision, kept } = begun;
    /** Whether this process has made the latest commit. */
    let isMade = true;
    if (!isChecked && (kept || total('differing') > 0)) {
      const { who, reason } = kept ?? newDecision(needed(values, 'reason'));
      quarantined = await operator
        .decideFile({
          action: 'replaced',
          who,
          reason,
          decision,
          about,
          operations: named(),
          next: pagesOf(),
          tell(results) {
            isMade = true;
            for (const { row } of results)
              if (row?.decisions.at(-1)?.action === 'replaced') tallyOf(row.operation).replaced += 1;
            refuse(results);
          },
        })
        .finally(() => rejected.write());
    }
    const replaced = total('replaced');
    if (json) {
      const numbers = { lines, rejected: rejected.lines, wrong, quarantined };
      const each = [...tallies].map(([operation, tally]) => ({ operation, ...tally, fields: differing(tally) }));
      const found = only ? each[0] : { operations: each };
      const made = replaced > 0 ? decision : undefined;
      say(JSON.stringify({ ...about, ...numbers, ...found, dryRun, decision: made, problems: rejected.kinds() }));
    } else {
      rejected.tell(lines);
      tellResult();
    }
    return rejected.lines === 0 ? EXIT.done : EXIT.failed;

    /** The operations of the file. */
    function named(): readonly ReportName[] {
      return reportNames.filter((name) => tallies.has(name));
    }

    function total(...names: readonly Exclude<keyof Tally, 'fields'>[]): number {
      return [...tallies.values()].flatMap((tally) => names.map((name) => tally[name])).reduce((a, b) => a + b, 0);
    }

    /** The names of the fields that differ. None if the stored data was deleted, or is sealed with a missing key. */
    async function differences(row: Row | undefined, body: string): Promise<string[]> {
      if (row?.body === undefined) return [];
      const stored = await seal.open(row.body, row).catch(() => undefined);
      return stored === undefined ? [] : differingFields(JSON.parse(stored), JSON.parse(body));
    }

    function tellResult(): void {
      for (const [operation, tally] of tallies) {
        const rows: [number, string][] = [
          [isChecked ? tally.differing : 0, 'would be replaced'],
          [tally.same, 'have this data already'],
          [tally.notInFile, `reports of ${operation} were refused, and are not in the file`],
        ];
        if (tallies.size > 1) remark(`${operation}:`);
        for (const [count, words] of rows) if (count > 0) remark(`  ${grouped(count)} ${words}`);
        if (tally.fields.size > 0) remark('Fields that differ:');
        for (const { field, reports } of differing(tally)) remark(`  ${grouped(reports)} × ${field}`);
      }
      const checked = `${path}: ${grouped(lines)} lines checked, ${grouped(rejected.lines)} rejected. Nothing was changed.`;
      say(isChecked || replaced === 0 ? checked : `${path}: ${grouped(replaced)} reports replaced.`);
      if (wrong > 0 && isChecked)
        remark('Correct the lines and run the command again. Or add --skip-rejected to replace only the others.');
      else if (isChecked && total('differing') > 0) {
        if (!named().some(isSettlement))
          remark(
            'If their settlements are wrong, too, add them to the file, without --operation: each line names its own.',
          );
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

    /**
     * The lines that are not rejected, after an interruption also those that are done: a report may have been in flight.
     * Settlements first: a replaced report may be sent at once, and its settlement after it. So a report whose
     * settlement keeps wrong data is rejected. The settlement of a dismissed report is not blocked by it, so both are
     * replaced in one commit.
     */
    async function* inOrder(): AsyncGenerator<ImportLine[], undefined> {
      const held = new Map<string, ImportLine>();
      const unsettled = new Set<string>();
      const isOnlyWrong = createReferences();
      if (named().some(isSettlement))
        for await (const line of read()) {
          const { after }: Partial<Operation> = line.operation ? operations[line.operation] : {};
          if (!after) continue;
          const id = idOf({ ...line, operation: reportNames.find((name) => name === after) });
          if (rejected.has(line)) {
            if ((await store.get([idOf(line)]))[0]) unsettled.add(id);
            continue;
          }
          // An earlier or a later line may be right.
          isOnlyWrong(id);
          if (tallies.has(after) && (await store.get([id]))[0]?.state === 'dismissed') held.set(id, line);
          else yield [line];
        }
      if (!named().every(isSettlement))
        for await (const line of read()) {
          if (isSettlement(line.operation) || rejected.has(line)) continue;
          const id = idOf(line);
          const isLeft = unsettled.has(id) && isOnlyWrong(id);
          const [row] = isLeft ? await store.get([id]) : [];
          if (row && !(await planCorrection(corrector, row, line.payload, CHECKED)).isSame) {
            const tally = tallyOf(row.operation);
            tally.differing -= 1;
            tally.unsettled += 1;
            rejected.add(line, [{ field: '', reason: 'the line of its settlement is rejected' }]);
            continue;
          }
          const settlement = held.get(id);
          held.delete(id);
          yield settlement ? [line, settlement] : [line];
        }
      for (const line of held.values()) yield [line];
    }

    function pagesOf(): FileRequest['next'] {
      const all = inOrder();
      const showProgress = startProgress('Replacing', lines);
      let done = 0;
      let page: ImportLine[] = [];
      let isEnd = false;
      return async (from, decision) => {
        await source.expectUnchanged();
        // A commit of another process may be that of other lines, so this page is tried again.
        if (isMade) page = [];
        while (isMade && page.length < CORRECTED_TOGETHER && !isEnd) {
          const { value = [], done: isOver = false } = await all.next();
          isEnd = isOver;
          done += value.length;
          page.push(...value);
        }
        isMade = false;
        lineOf.clear();
        const rows = await store.get(page.map(idOf));
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
      };
    }
  } finally {
    await source.close();
  }
};

const differing = ({ fields }: Tally) =>
  [...fields].sort(([, a], [, b]) => b - a).map(([field, reports]) => ({ field, reports }));

/**
 * The decision about a file: one that was interrupted, or a new one. Its id follows from the file, so that a second run
 * finds it. `isOwn`: whether a decision is one of the same file.
 */
async function decisionAbout(store: OutboxStore, about: NamedFile) {
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
