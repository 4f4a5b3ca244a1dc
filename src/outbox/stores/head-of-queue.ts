import type { Row } from '../state-machine.js';

/**
 * A due time before that of every row: the earliest time of a `Date`. Stores keep it as the due time of rows that were never
 * claimed, so that these are due by any clock and stand together, in the order of `sequence`.
 */
export const HEAD_OF_THE_QUEUE = -8_640_000_000_000_000;

/** The due time of a row as readers see it: a row that was never claimed is due since it was enqueued. */
export const shownDueAt = <Time>(dueAt: Time, enqueuedAt: Time): Time => (dueAt === HEAD_OF_THE_QUEUE ? enqueuedAt : dueAt);

/** Sorts claimable rows by the time since which they are due. A time in the future shows that the clock has jumped, and comes first. */
export function inTurn(now: number) {
  const timeOf = ({ dueAt }: Pick<Row, 'dueAt'>) => (dueAt > now ? HEAD_OF_THE_QUEUE : dueAt);
  return (a: Pick<Row, 'dueAt' | 'sequence'>, b: Pick<Row, 'dueAt' | 'sequence'>): number => timeOf(a) - timeOf(b) || a.sequence - b.sequence;
}
