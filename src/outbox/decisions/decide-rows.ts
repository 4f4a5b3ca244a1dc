import type { Refused } from '../../core/platform/refused.js';
import { appendReceipts } from '../receipts/log.js';
import {
  DISMISSED_WITH_REPORT,
  dismissedWithReport,
  isChange,
  reopenedWithReport,
  wasDismissedWith,
} from '../rules/decisions.js';
import {
  type Change,
  changedRow,
  type Decision,
  isFinal,
  mustStay,
  type Row,
  writeOf,
} from '../rules/state-machine.js';
import type { DecisionStep } from '../store/operator-store.js';
import type { OutboxStore } from '../store/store.js';

/** A report after a decision: its row, or the reason why it was not changed. */
export type DecidedReport =
  | { readonly id: string; readonly row: Row; readonly why?: undefined; readonly isLate?: undefined }
  /** `isLate`: another process has changed it since it was read. */
  | { readonly id: string; readonly why: string; readonly row?: undefined; readonly isLate?: true };

export interface DecisionPlace {
  readonly store: OutboxStore;
  /** Called with the rows that a commit of a decision has changed. */
  announce(rows: readonly Row[]): void;
}

interface Options {
  readonly withSettlements?: boolean;
  /** Makes the commit. Undefined: another process has made it. */
  write?(writes: DecisionStep['writes'], unchanged: number): Promise<readonly boolean[] | undefined>;
  /** Gets the results before anything else can fail. */
  tell?(results: readonly DecidedReport[]): void;
}

/**
 * The one way to carry out a decision. Adds the settlements that are decided about with their reports, makes all changes
 * in one commit and announces them. An empty result: another process has made the commit.
 */
export async function decideRows(
  place: DecisionPlace,
  own: readonly Planned[],
  decision: Decision,
  {
    withSettlements = false,
    write = async (writes) => (writes.length > 0 ? (await place.store.turn({ writes, claim: undefined })).written : []),
    tell,
  }: Options = {},
): Promise<readonly DecidedReport[]> {
  const isBack = isReopening(decision.action);
  // A dismissed row is only changed once it has its line.
  if (isBack && own.length > 0) await appendReceipts(place.store);
  const planned = isBack || withSettlements ? await addSettlements(place.store, own, decision) : own;
  const changing = planned.filter(isChanging);
  const writes = changing.map(({ row, change }) => writeOf(row, change));
  const written = await write(writes, planned.length - writes.length);
  if (!written) return [];
  const isWritten = written.values();
  const results = planned.map(({ row, change }): DecidedReport => {
    const { id } = row;
    if (!isChange(change)) return { id, why: change.why };
    if (isWritten.next().value !== true) return { id, why: 'it was changed in the meantime', isLate: true };
    return { id, row: changedRow(row, change) };
  });
  const changed = results.flatMap(({ row }) => row ?? []);
  place.announce(changed);
  tell?.(results);
  const isMade = (id: string | undefined) => changed.some((row) => row.id === id);
  for (const { row, change } of changing)
    if (isAlong(row, change) && isMade(row.id) && !isMade(row.waitsFor)) await reopenAlone(place, row, decision);
  return results;
}

/** The most rows in a commit: workers wait for it. */
export const DECIDED_TOGETHER = 100;

/** The number of tries to write a decision while workers change the row. */
export const TRIES = 5;

/** Decides about one report, and again if it is changed at the same time. Its result is first. */
export async function decideRow(
  place: DecisionPlace,
  plan: () => Promise<readonly Planned[]>,
  decision: Decision,
): Promise<readonly DecidedReport[]> {
  for (let tries = 1; ; tries += 1) {
    const results = await decideRows(place, await plan(), decision);
    if (!results[0]?.isLate || tries === TRIES) return results;
  }
}

/** Whether a waiting settlement was dismissed with its initiated report. */
const isAlong = ({ state }: Row, { problem }: Change): boolean =>
  state === 'waiting' && problem === DISMISSED_WITH_REPORT;

/**
 * Reopens a settlement whose initiated report another person has changed at the moment of its dismissal: that report
 * may be sent, and its settlement after it. If a person has decided about the settlement since, that decision stays.
 */
async function reopenAlone(
  place: DecisionPlace,
  { id, waitsFor = '' }: Row,
  { id: _, ...decision }: Decision,
): Promise<void> {
  const [initiated] = await place.store.get([waitsFor]);
  if (initiated?.state === 'dismissed') return;
  const reopening: Decision = { ...decision, action: 'reopened' };
  const plan = async () =>
    (await place.store.get([id])).flatMap((row) => (row ? { row, change: reopenedWithReport(row, reopening) } : []));
  await decideRow(place, plan, reopening);
}

export interface Planned {
  readonly row: Row;
  readonly change: Change | Refused;
}

const isChanging = (one: Planned): one is Planned & { readonly change: Change } => isChange(one.change);

/** Whether an action changes dismissed rows. Each of them has a line in the receipt log first. */
const isReopening = (action: Decision['action']): boolean => action === 'reopened' || action === 'replaced';

const IN_FLIGHT =
  'its settlement is in flight, and may be sent now; try again once that attempt has ended (if its worker died, the next one ends it after the lease)';

const isOpenSettlementOf = ({ waitsFor, state }: Row, { id }: Row): boolean => waitsFor === id && !isFinal(state);

/**
 * Adds the settlements that are decided about in the commit of their initiated reports: those that were dismissed with
 * them are reopened, or the open ones are dismissed. A settlement that is among the reports is decided about with its
 * initiated one, too. A final report whose settlement is in flight is refused.
 */
async function addSettlements(store: OutboxStore, planned: readonly Planned[], decision: Decision): Promise<Planned[]> {
  const isBack = isReopening(decision.action);
  const own: Planned[] = [];
  const found: Planned[] = [];
  for (const one of planned) {
    const { row } = one;
    const related = isChanging(one) ? await relatedRows(store, row) : [];
    const isSent = related.some((other) => other.waitsFor === row.id && mustStay(row, other));
    own.push(isSent ? { row, change: { why: IN_FLIGHT } } : one);
    const isMeant = (other: Row) => (isBack ? wasDismissedWith(other, row) : isOpenSettlementOf(other, row));
    const settlement = isSent ? undefined : related.find(isMeant);
    const planSettlement = isBack ? reopenedWithReport : dismissedWithReport;
    if (settlement) found.push({ row: settlement, change: planSettlement(settlement, decision) });
  }
  // Its own new data wins: it would be lost if the settlement was only reopened.
  const isReplaced = (id: string) => own.some((one) => one.row.id === id && isChanging(one) && one.change.replacement);
  const along = found.filter(({ row }) => !isReplaced(row.id));
  return [...own.filter(({ row }) => !along.some((one) => one.row.id === row.id)), ...along];
}

export const openSettlementOf = async (store: OutboxStore, row: Row): Promise<Row | undefined> =>
  (await relatedRows(store, row)).find((one) => isOpenSettlementOf(one, row));

/** The other rows of a row's reference in its account and environment, such as the settlement of a bet. */
export async function relatedRows(
  store: Pick<OutboxStore, 'list'>,
  { id, account, environment, reference }: Row,
): Promise<readonly Row[]> {
  // Larger than the number of operations.
  const rows = await store.list({ account, environment, reference, limit: 20 });
  return rows.filter((row) => row.id !== id);
}
