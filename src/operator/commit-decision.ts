import { type DecidedReport, decideRows, type Planned } from '../outbox/decisions/decide-rows.js';
import type { Decision } from '../outbox/rules/state-machine.js';
import type { KeptDecision } from '../outbox/store/operator-store.js';
import type { OperatorContext } from './context.js';

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
