import type { RowSearch } from '../../store/operator-store.js';
import type { Dialect } from './dialect.js';

/** The rows that a search looks at: from the `lowest` sequence to below `end`. */
export interface SearchRange {
  readonly lowest: number;
  readonly end: number;
}

/** The tolerance of a search by time. A clock or a long transaction may put rows out of the order of their times. */
const SLACK_MS = 600_000;

/** The approximate lowest `sequence` of the rows that were enqueued at this time or later. It rises with time. */
async function sequenceAt({ columns, first, rowsTable }: Dialect, time: number): Promise<number> {
  const newest = await first(`SELECT ${columns('max(sequence) AS last')} FROM ${rowsTable}`);
  let [low, high] = [1, Number(newest?.last ?? 0) + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const next = await first(
      `SELECT ${columns('enqueued_at')} FROM ${rowsTable} WHERE sequence >= ?# ORDER BY sequence LIMIT 1`,
      middle,
    );
    if (Number(next?.enqueued_at ?? Number.POSITIVE_INFINITY) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

export const readSearchRange = async (dialect: Dialect, { from, to, before }: RowSearch): Promise<SearchRange> => ({
  lowest: from === undefined ? 0 : await sequenceAt(dialect, from - SLACK_MS),
  end: to === undefined ? before : Math.min(before, await sequenceAt(dialect, to + SLACK_MS)),
});
