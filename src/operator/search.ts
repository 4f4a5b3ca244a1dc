import type { Row, ShownState } from '../outbox/rules/state-machine.js';
import type { GroupQuery, ProblemKey, RowSearch } from '../outbox/store/operator-store.js';
import { isBetween, isShown, isWithin, type Narrowing, type OperatorContext } from './context.js';
import { shownDecision } from './decision-log.js';
import { type ReportSummary, rowsNamed, stateOf, summaryOf } from './reports.js';

/** A report must match all conditions. */
export interface SearchFilter extends Narrowing, Pick<RowSearch, 'operation' | 'from' | 'to'> {
  /** A complete id, `bet_id` or `request_id`. */
  readonly text?: string | undefined;
  readonly state?: ShownState | undefined;
  /** Only the quarantined reports of this group, the oldest first. Combine it only with `skip` and `limit`. */
  readonly group?: ProblemKey | undefined;
  /** The number of reports of the group to leave out. */
  readonly skip?: number | undefined;
  /** Only the reports that the decision with this id has changed: those of one of its commits in each page. */
  readonly decision?: string | undefined;
  readonly limit?: number | undefined;
}

export interface SearchPage {
  readonly reports: readonly ReportSummary[];
  /** Null at the end. A page reads a limited number of rows, so it may be short or empty and still have a next one. */
  readonly next: string | null;
  /** `enqueuedAt` of the last row that was read. Null if all rows were read. */
  readonly reached: number | null;
}

const PAGE = 50;
const LOOK = 10_000;

/** The newest first. `cursor`: the `next` of the previous page, with the same filter. */
export async function search(
  context: OperatorContext,
  filter: SearchFilter = {},
  cursor?: string,
): Promise<SearchPage> {
  const { text, group, skip, state, decision, limit = PAGE, ...conditions } = filter;
  if (decision !== undefined) return decisionPage(context, decision, Number(cursor ?? 0));
  if (group) return groupPage(context, { of: group, skip, limit, after: Number(cursor ?? 0) });
  if (text) {
    const rows = (await rowsNamed(context.store, text)).filter((row) => fits(context, row, filter));
    return { reports: rows.sort((a, b) => b.sequence - a.sequence).map(summaryOf), next: null, reached: null };
  }
  const isBlocked = state === 'blocked';
  const { rows, reached } = await context.operator.search({
    ...conditions,
    accounts: context.accounts,
    state: isBlocked ? 'waiting' : state,
    blocked: state === undefined ? undefined : state === 'waiting' ? false : isBlocked,
    before: Number(cursor ?? Number.MAX_SAFE_INTEGER),
    limit,
    look: LOOK,
  });
  return pageOf(rows, reached);
}

/** In the order in which a decision changes them. */
async function groupPage(context: OperatorContext, query: Omit<GroupQuery, 'asOf'>): Promise<SearchPage> {
  const { operator: store } = context;
  const rows = isWithin(context, query.of, {}) ? await store.quarantined({ ...query, asOf: await store.now() }) : [];
  return pageOf(rows, rows.length === query.limit ? rows.at(-1) : undefined);
}

/** The cursor is one more than the place of the last commit, as that of an undo. */
async function decisionPage(context: OperatorContext, id: string, cursor: number): Promise<SearchPage> {
  const { operator: store } = context;
  const kept = await store.decision(id);
  const step = kept && (await shownDecision(context, kept)) ? await store.touched(id, cursor - 1) : undefined;
  if (!step) return pageOf([], undefined);
  const rows = (await store.rows(step.sequences)).filter(({ account }) => isShown(context, account));
  const following = await store.touched(id, step.from);
  return { ...pageOf(rows, undefined), next: following ? String(step.from + 1) : null };
}

const pageOf = (rows: readonly Row[], reached: Pick<Row, 'sequence' | 'enqueuedAt'> | undefined): SearchPage => ({
  reports: rows.map(summaryOf),
  next: reached ? String(reached.sequence) : null,
  reached: reached?.enqueuedAt ?? null,
});

const fits = (context: OperatorContext, row: Row, filter: SearchFilter): boolean =>
  isWithin(context, row, filter) &&
  (filter.operation ?? row.operation) === row.operation &&
  (filter.state ?? stateOf(row)) === stateOf(row) &&
  isBetween(row.enqueuedAt, filter);
