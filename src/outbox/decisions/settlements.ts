import type { Refused } from '../../core/platform/refused.js';
import { dismissedWithReport, isChange, reopenedWithReport, wasDismissedWith } from '../rules/decisions.js';
import { type Change, type Decision, isFinal, mustStay, type Row } from '../rules/state-machine.js';
import type { OutboxStore } from '../store/store.js';

export interface Planned {
  readonly row: Row;
  readonly change: Change | Refused;
}

export const isChanging = (one: Planned): one is Planned & { readonly change: Change } => isChange(one.change);

/** Whether an action changes dismissed rows. Each of them has a line in the receipt log first. */
export const isReopening = (action: Decision['action']): boolean => action === 'reopened' || action === 'replaced';

const IN_FLIGHT =
  'its settlement is in flight, and may be sent now; try again once that attempt has ended (if its worker died, the next one ends it after the lease)';

const isOpenSettlementOf = ({ waitsFor, state }: Row, { id }: Row): boolean => waitsFor === id && !isFinal(state);

/**
 * Adds the settlements that are decided about in the commit of their initiated reports: those that were dismissed with
 * them are reopened, or the open ones are dismissed. A settlement that is among the reports is decided about with its
 * initiated one, too. A final report whose settlement is in flight is refused.
 */
export async function addSettlements(
  store: OutboxStore,
  planned: readonly Planned[],
  decision: Decision,
): Promise<Planned[]> {
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
