import { type Change, changedRow, type Row } from '../rules/state-machine.js';
import type { DecisionStep, KeptDecision } from '../store/operator-store.js';
import type { OperatorContext } from './context.js';

/** A report after a decision: its row, or the reason why it was not changed. */
export type DecidedReport =
  | { readonly id: string; readonly row: Row; readonly why?: undefined }
  | { readonly id: string; readonly why: string; readonly row?: undefined };

export interface Planned {
  readonly row: Row;
  readonly change: Change | string;
}

/** The rows of a step, of which each commit has one. */
export interface RowsPage {
  readonly planned: readonly Planned[];
  /** The ids of rows that do not exist, or that are not shown. */
  readonly missing?: readonly string[];
  /** The cursor after them. */
  readonly to: number;
  readonly done: boolean;
}

/** The pause after each commit is half as long as the commit, within these limits, so that others can write. */
const SHORTEST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 100;

export const isChanging = (one: Planned): one is Planned & { readonly change: Change } =>
  typeof one.change !== 'string';

export const writeOf = ({ row, change }: { row: Row; change: Change }): DecisionStep['writes'][number] => ({
  id: row.id,
  sequence: row.sequence,
  expected: { state: row.state, fence: row.fence },
  change,
});

/**
 * Makes the commits of a stored decision, until it is done or the time limit is reached. If other processes work on the
 * same decision, only one of them makes each commit. `made` gets the results of each commit, and none in the others.
 */
export async function commitDecision(
  { clock, console: store }: OperatorContext,
  begun: KeptDecision,
  forMs: number,
  next: (decision: KeptDecision) => Promise<RowsPage>,
  made: (results: readonly DecidedReport[], page: RowsPage) => unknown,
): Promise<KeptDecision> {
  const end = clock.now() + forMs;
  let decision = begun;
  while (!decision.done && decision.undoneBy === undefined) {
    const began = performance.now();
    const page = await next(decision);
    const { planned, missing = [], to, done } = page;
    const changing = planned.filter(isChanging);
    const skipped = planned.length - changing.length + missing.length;
    const { id, cursor: from } = decision;
    const written = await store.step({ id, from, to, done, skipped, writes: changing.map(writeOf) });
    // Without a result, another process has made this step or undone the decision, and nothing is decided here.
    await made(written ? resultsOf(page, written) : [], page);
    decision = (await store.decision(id)) ?? { ...decision, done: true };
    if (decision.done || clock.now() >= end) break;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, (performance.now() - began) / 2));
    await new Promise<void>((resolve) => clock.setTimeout(resolve, pauseMs));
  }
  return decision;
}

/** The reason for an id without a row, or with one that is not shown. */
export const NOT_FOUND = 'the outbox does not have this report';

/** The results of a commit. `written` has an item for each row with a change. */
export function resultsOf(
  { planned, missing = [] }: Pick<RowsPage, 'planned' | 'missing'>,
  written: readonly boolean[],
): DecidedReport[] {
  const isWritten = written.values();
  return [
    ...missing.map((id) => ({ id, why: NOT_FOUND })),
    ...planned.map((one) => {
      const { id } = one.row;
      if (!isChanging(one)) return { id, why: String(one.change) };
      if (isWritten.next().value !== true) return { id, why: 'it was changed in the meantime' };
      return { id, row: changedRow(one.row, one.change) };
    }),
  ];
}
