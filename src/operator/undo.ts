import { undone } from '../outbox/rules/decisions.js';
import type { Row } from '../outbox/rules/state-machine.js';
import type { KeptDecision } from '../outbox/store/operator-store.js';
import { isShown, type OperatorContext, OperatorRefusal } from './context.js';
import { commitDecision, DEFAULT_MS, type DecideRequest, type RowsPage } from './decide.js';
import {
  type DecisionRecord,
  isUndone,
  recordOf,
  shownDecision,
  storeDecision,
  type Who,
  whyNotUndoDecision,
} from './decision-log.js';

export interface UndoRequest extends Who, Pick<DecideRequest, 'forMs'> {
  readonly of: string;
  /** The ids of reports that stay as they are, with their settlements. */
  readonly except?: readonly string[] | undefined;
}

export interface Undone {
  readonly decision: DecisionRecord;
  readonly more: boolean;
  /**
   * Reports that this call left unchanged: claimed by a worker or decided about since, or with a settlement in flight.
   */
  readonly kept: number;
  /** The number of them for each reason. */
  readonly reasons: Readonly<Record<string, number>>;
}

/**
 * Each retried report that no worker has claimed since is quarantined again, with its earlier problem. Each dismissed
 * report is reopened, with the settlement that was dismissed with it. Works in small commits: while `more` is true,
 * call it again, as `decide`.
 */
export async function undo(context: OperatorContext, request: UndoRequest): Promise<Undone> {
  const { decision: undoId, who, reason, except, forMs = DEFAULT_MS } = request;
  const of = await context.operator.decision(request.of);
  if (!of || !(await shownDecision(context, of)))
    throw new OperatorRefusal('not-found', 'The decision to undo does not exist. Nothing was done.');
  const why = await whyNotUndoDecision(context, of);
  if (why !== undefined) throw new OperatorRefusal('conflict', `${why} Nothing was done.`);
  if (await isUndone(context, of, undoId))
    throw new OperatorRefusal('conflict', 'This decision was already undone. Nothing was done.');
  const undoneId = of.id;
  const about = { decision: undoneId, ...(except && { except }) };
  const begun = await storeDecision(context, request, { action: 'undo', about, done: false, undoes: undoneId });
  const by = { reason, at: begun.at, by: who };
  const isDismissal = of.action === 'dismissed';
  const reasons: Record<string, number> = {};
  let kept = 0;

  /** The rows of a step. Reopened rows need their bodies. */
  async function rowsOf(sequences: readonly number[]): Promise<readonly Row[]> {
    const rows = (await context.operator.rows(sequences)).filter(
      ({ id, account, waitsFor = id }) =>
        isShown(context, account) && !except?.some((name) => name === id || name === waitsFor),
    );
    return isDismissal ? (await context.store.get(rows.map((row) => row.id))).flatMap((row) => row ?? []) : rows;
  }

  // The cursor is the step to undo next, plus one.
  async function next({ cursor }: KeptDecision): Promise<RowsPage> {
    const step = await context.operator.touched(undoneId, cursor - 1);
    if (!step) return { planned: [], to: cursor, done: true };
    const rows = await rowsOf(step.sequences);
    const planned = rows.map((row) => ({ row, change: undone(row, undoneId, by, begun.id) }));
    return { planned, to: step.from + 1, done: false };
  }

  const ended = await commitDecision(isDismissal ? context : { ...context, announce() {} }, begun, {
    decision: { action: isDismissal ? 'reopened' : 'retry', ...by, id: begun.id },
    forMs,
    next,
    tell(results) {
      for (const { why } of results)
        if (why !== undefined) {
          kept += 1;
          reasons[why] = (reasons[why] ?? 0) + 1;
        }
    },
  });
  if (isDismissal) await context.afterDecision('reopened');
  return { decision: recordOf(ended), more: !ended.done, kept, reasons };
}
