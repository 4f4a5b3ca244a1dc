import { keyOf } from '../rules/destination.js';
import type { Row } from '../rules/state-machine.js';
import type { ClaimRequest } from '../store/store.js';

/**
 * Chooses the rows of a claim among claimable ones. The account with the fewest rows gets the next one, so that no
 * account waits for the backlog of another.
 */
export function chooseRows(
  { accounts, limit, without = [], untriedFirst }: ClaimRequest,
  claimable: readonly Row[],
  now: number,
): Row[] {
  const isLeftOut = (row: Row) => without.some((one) => one.operation === row.operation && keyOf(one) === keyOf(row));
  let open = accounts.map(({ account, busy }) => {
    const due = claimable.filter((row) => row.account === account && !isLeftOut(row));
    const untried = untriedFirst ? due.filter(({ fence }) => fence === 0) : [];
    return { rows: (untried.length > 0 ? untried : due).sort(inTurn(now)), has: busy };
  });
  const chosen: Row[] = [];
  while (chosen.length < limit) {
    let next = open[0];
    if (!next) break;
    for (const one of open) if (one.has < next.has) next = one;
    const row = next.rows.shift();
    if (row === undefined) open = open.filter((one) => one !== next);
    else chosen.push(row);
    next.has += 1;
  }
  return chosen;
}

/**
 * A due time before that of every row: the earliest time of a `Date`. Stores keep it as the due time of rows that were
 * never claimed, so that these are due by any clock and stand together, in the order of `sequence`.
 */
export const HEAD_OF_THE_QUEUE = -8_640_000_000_000_000;

/** The due time of a row as readers see it: a row that was never claimed is due since it was enqueued. */
export const shownDueAt = <Time>(dueAt: Time, enqueuedAt: Time): Time =>
  dueAt === HEAD_OF_THE_QUEUE ? enqueuedAt : dueAt;

/**
 * Sorts claimable rows by the time since which they are due. A time in the future shows that the clock has jumped, and
 * comes first.
 */
function inTurn(now: number) {
  const timeOf = ({ dueAt }: Pick<Row, 'dueAt'>) => (dueAt > now ? HEAD_OF_THE_QUEUE : dueAt);
  return (a: Pick<Row, 'dueAt' | 'sequence'>, b: Pick<Row, 'dueAt' | 'sequence'>): number =>
    timeOf(a) - timeOf(b) || a.sequence - b.sequence;
}
