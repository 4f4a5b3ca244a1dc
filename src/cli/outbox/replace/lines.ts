import { type Operation, operations, type ReportName, reportNames } from '../../../core/protocol/operations.js';
import { type Corrector, planCorrection } from '../../../outbox/decisions/replacement.js';
import { isDistinctReference, rowId } from '../../../outbox/intake/enqueue.js';
import { isChange } from '../../../outbox/rules/decisions.js';
import type { Destination } from '../../../outbox/rules/destination.js';
import type { Decision, Row } from '../../../outbox/rules/state-machine.js';
import type { OutboxStore } from '../../../outbox/store/store.js';
import { checkLines, createReferences, type Import } from '../import/check.js';
import { differingFields } from '../import/columns.js';
import type { ImportLine } from '../import/lines.js';
import type { Owner } from '../own-outbox.js';
import type { Tallies } from './tally.js';

/** A file of corrected data, and the outbox that has its reports. */
export interface CorrectedFile extends Import {
  readonly store: OutboxStore;
  readonly place: Destination;
  readonly corrector: Corrector;
  readonly tallies: Tallies;
}

/** The decision of a check, which is never stored. */
const CHECKED: Decision = { action: 'replaced', reason: '', at: 0 };

/** Of the reports that wait for another report. */
export const isSettlement = (name: ReportName | undefined): boolean =>
  name !== undefined && 'after' in operations[name];

/** The id of the report of a line. Empty if its name is wrong: no report has an empty id. */
export function idOf(place: Destination, { operation, payload }: Pick<ImportLine, 'operation' | 'payload'>): string {
  const reference = operation && payload?.[operations[operation].reference];
  return operation && typeof reference === 'string' && isDistinctReference(reference)
    ? rowId(place, operation, reference)
    : '';
}

/**
 * Checks and counts all lines, and rejects those that cannot replace a report. Returns their number. `isNew`: whether
 * no earlier line names a report.
 */
export function checkCorrections(
  { store, place, corrector, tallies, ...lines }: CorrectedFile,
  { internals }: Pick<Owner, 'internals'>,
  isNew: (report: string) => boolean,
): Promise<number> {
  /** The names of the fields that differ. None if the stored data was deleted, or is sealed with a missing key. */
  async function differences(row: Row | undefined, body: string): Promise<string[]> {
    if (row?.body === undefined) return [];
    const stored = await corrector.seal.open(row.body, row).catch(() => undefined);
    return stored === undefined ? [] : differingFields(JSON.parse(stored), JSON.parse(body));
  }

  return checkLines(
    lines,
    async (payload, operation) => {
      const tally = tallies.of(operation);
      const id = idOf(place, { operation, payload });
      // The check of the report says what is wrong with its name.
      if (id === '') return (await internals.freeze(operation, payload, {})).report;
      const [row] = await store.get([id]);
      const found = row && (await planCorrection(corrector, row, payload, CHECKED));
      const change = found?.change ?? { why: 'the outbox does not have this report' };
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
}

/**
 * The lines that are not rejected, after an interruption also those that are done: a report may have been in flight.
 * Settlements first: a replaced report may be sent at once, and its settlement after it. So a report whose settlement
 * keeps wrong data is rejected. The settlement of a dismissed report is not blocked by it, so both are replaced in one
 * commit.
 */
export async function* inOrder(file: CorrectedFile): AsyncGenerator<ImportLine[], undefined> {
  const { store, place, read, rejected, tallies, corrector } = file;
  const held = new Map<string, ImportLine>();
  const unsettled = new Set<string>();
  const isOnlyWrong = createReferences();
  const rowOf = async (id: string): Promise<Row | undefined> => (await store.get([id]))[0];

  if (tallies.named().some(isSettlement))
    for await (const line of read()) {
      const { after }: Partial<Operation> = line.operation ? operations[line.operation] : {};
      if (!after) continue;
      const id = idOf(place, { ...line, operation: reportNames.find((name) => name === after) });
      if (rejected.has(line)) {
        if (await rowOf(idOf(place, line))) unsettled.add(id);
        continue;
      }
      // An earlier or a later line may be right.
      isOnlyWrong(id);
      if (tallies.has(after) && (await rowOf(id))?.state === 'dismissed') held.set(id, line);
      else yield [line];
    }
  if (!tallies.named().every(isSettlement))
    for await (const line of read()) {
      if (isSettlement(line.operation) || rejected.has(line)) continue;
      const id = idOf(place, line);
      const isLeft = unsettled.has(id) && isOnlyWrong(id);
      const row = isLeft ? await rowOf(id) : undefined;
      if (row && !(await planCorrection(corrector, row, line.payload, CHECKED)).isSame) {
        const tally = tallies.of(row.operation);
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

/** Whether a line that is not rejected has other data than its report. */
export async function isAnyLeft(file: CorrectedFile): Promise<boolean> {
  const { store, place, corrector } = file;
  for await (const lines of inOrder(file))
    for (const [at, row] of (await store.get(lines.map((line) => idOf(place, line)))).entries())
      if (row && !(await planCorrection(corrector, row, lines[at]?.payload, CHECKED)).isSame) return true;
  return false;
}
