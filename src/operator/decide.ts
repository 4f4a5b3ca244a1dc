import { printable, shownName } from '../core/platform/messages.js';
import type { Refused } from '../core/platform/refused.js';
import { type DecidedReport, decideRows, type Planned } from '../outbox/decisions/decide-rows.js';
import { decided, replaced } from '../outbox/rules/decisions.js';
import type { Change, Decision, Row } from '../outbox/rules/state-machine.js';
import type { KeptDecision } from '../outbox/store/operator-store.js';
import { isShown, type OperatorContext } from './context.js';
import {
  type AllQuarantined,
  type DecisionRecord,
  recordOf,
  type Selection,
  storeDecision,
  type Who,
} from './decision-log.js';
import { hasProblem } from './reports.js';

export interface DecideRequest extends Who {
  /** `'retry'`: send it again. `'recorded'`: the gateway holds it. `'dismissed'`: never send it. */
  readonly action: 'retry' | 'recorded' | 'dismissed';
  readonly selection: Selection | AllQuarantined;
  /**
   * For a group: only reports that were quarantined by this time. Pass the `now` of the answer that the person saw.
   * Default: the begin of the decision.
   */
  readonly asOf?: number | undefined;
  /**
   * Whether a dismissal also dismisses the open settlements of the reports, each in the commit of its report: no worker
   * can send one in between.
   */
  readonly withSettlements?: boolean | undefined;
  /** The time limit of this call. It makes at least one commit. Default: 2,000. */
  readonly forMs?: number | undefined;
}

export interface DecisionProgress {
  readonly decision: DecisionRecord;
  /** Whether there is more to do: call again with the same request. */
  readonly more: boolean;
  /** At most 20 reports that this call did not change, with the reasons. */
  readonly refused: readonly { readonly id: string; readonly why: string }[];
}

/** The number of rows in a commit. Ending a row costs more than a retry, and workers wait for the rows of a commit. */
const PAGES: Readonly<Record<Decision['action'], number>> = {
  retry: 1_000,
  recorded: 100,
  dismissed: 100,
  reopened: 100,
  replaced: 1,
};
export const DEFAULT_MS = 2_000;
export const MOST_REFUSED = 20;

export interface RowsPage {
  readonly planned: readonly Planned[];
  /** The ids of rows that do not exist, or that are not shown. */
  readonly missing?: readonly string[];
  /** The cursor after them. */
  readonly to: number;
  readonly done: boolean;
}

interface Carrying {
  readonly decision: Decision;
  readonly withSettlements?: boolean;
  readonly forMs: number;
  next(at: KeptDecision): Promise<RowsPage>;
  /** Gets the results of each commit that this process has made. */
  tell(results: readonly DecidedReport[]): void;
}

/** The pause after each commit is half as long as the commit, within these limits, so that others can write. */
const SHORTEST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 100;

export const NOT_FOUND = 'the outbox does not have this report';

/**
 * Commits until the decision is done or the time is over. If other processes work on it, or undo it, only one of them
 * makes each commit.
 */
export async function commitDecision(
  context: OperatorContext,
  begun: KeptDecision,
  { decision, withSettlements = false, forMs, next, tell }: Carrying,
): Promise<KeptDecision> {
  const { clock, operator: store } = context;
  const end = clock.now() + forMs;
  let kept = begun;
  while (!kept.done && kept.undoneBy === undefined) {
    const began = performance.now();
    const { planned, missing = [], to, done } = await next(kept);
    const { id, cursor: from } = kept;
    await decideRows(context, planned, decision, {
      withSettlements,
      write: (writes, unchanged) => store.step({ id, from, to, done, skipped: unchanged + missing.length, writes }),
      tell: (results) => tell([...missing.map((id) => ({ id, why: NOT_FOUND })), ...results]),
    });
    kept = (await store.decision(id)) ?? { ...kept, done: true };
    if (kept.done || clock.now() >= end) break;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, (performance.now() - began) / 2));
    await new Promise<void>((resolve) => clock.setTimeout(resolve, pauseMs));
  }
  return kept;
}

/**
 * Stores a person's decision and carries it out. `'reopened'` and `'replaced'`, which has the sealed bytes of the new
 * data, also reopen the settlement that was dismissed with the report. Works in small commits: while `more` is true,
 * call it again with the same request. Each row is changed once, however often it is called. `tell` gets the results of
 * each commit of this call.
 */
export async function decide(
  context: OperatorContext,
  request: Omit<DecideRequest, 'action'> & Pick<Decision, 'action'> & Pick<Change, 'replacement'>,
  tell: (results: readonly DecidedReport[]) => void = () => {},
): Promise<DecisionProgress> {
  const { action, selection, who, reason, asOf, replacement, forMs = DEFAULT_MS } = request;
  const withSettlements = request.withSettlements === true && action === 'dismissed';
  const begun = await storeDecision(context, request, { action, about: selection, asOf, done: false });
  const decision: Decision = { action, reason, at: begun.at, by: who, id: begun.id };
  const refused: DecidedReport[] = [];

  async function next(at: KeptDecision): Promise<RowsPage> {
    const { rows, ...page } = await selectRows(context, selection, at, PAGES[action]);
    const planned = rows
      .filter((row) => !isLeftToItsReport(row) && !isLater(row, at))
      .map((row) => ({ row, change: changeOf(row) }));
    return { ...page, planned };
  }

  /** The decision changes a row once. */
  function changeOf(row: Row): Change | Refused {
    if (row.decisions.some(({ id }) => id === decision.id)) return { why: 'this decision has already changed it' };
    return replacement ? replaced(row, decision, replacement) : decided(row, decision, context.keepBodies);
  }

  /** Quarantined after the begin of a verdict about all reports: the person has not seen it. */
  const isLater = ({ changedAt }: Row, { asOf }: KeptDecision): boolean =>
    'all' in selection && action !== 'retry' && Math.trunc(changedAt) > asOf;

  /** A named settlement that is dismissed with its initiated report, which is named too. */
  const isLeftToItsReport = ({ waitsFor = '', blocked, state }: Row): boolean =>
    withSettlements && 'ids' in selection && (blocked || state === 'dismissed') && selection.ids.includes(waitsFor);

  const kept = await commitDecision(context, begun, {
    decision,
    withSettlements,
    forMs,
    next,
    tell(results) {
      refused.push(...results.filter(({ row }) => !row).slice(0, MOST_REFUSED - refused.length));
      tell(results);
    },
  });
  await context.afterDecision(action);
  return {
    decision: recordOf(kept),
    more: !kept.done && kept.undoneBy === undefined,
    refused: refused.map(({ id, why = '' }) => ({ id: shownName(id), why: printable(why) })),
  };
}

interface SelectedRows extends Required<Omit<RowsPage, 'planned'>> {
  readonly rows: readonly Row[];
}

/** The cursor counts ids, or is the `sequence` of the last row. */
export async function selectRows(
  context: OperatorContext,
  selection: DecideRequest['selection'],
  { asOf, cursor }: Pick<KeptDecision, 'asOf' | 'cursor'>,
  limit: number,
): Promise<SelectedRows> {
  const { store } = context;
  if ('ids' in selection) {
    const ids = selection.ids.slice(cursor, cursor + limit);
    const found = (await store.get(ids)).map((row) => (row && isShown(context, row.account) ? row : undefined));
    return {
      rows: found.flatMap((row) => row ?? []),
      missing: ids.filter((_, index) => !found[index]),
      to: cursor + ids.length,
      done: cursor + limit >= selection.ids.length,
    };
  }
  const isAll = 'all' in selection;
  const { code = undefined, ...where } = isAll ? selection.all : {};
  const read = isAll
    ? await store.list({ ...where, state: 'quarantined', after: cursor, limit })
    : isShown(context, selection.group.account)
      ? await context.operator.quarantined({ of: selection.group, asOf, after: cursor, limit })
      : [];
  return {
    rows: isAll
      ? read.filter(
          (row) => isShown(context, row.account) && !selection.except?.includes(row.id) && hasProblem(row, code),
        )
      : read,
    missing: [],
    to: read.at(-1)?.sequence ?? cursor,
    done: read.length < limit,
  };
}
