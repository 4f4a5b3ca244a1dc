import type { ConsoleStore, DecisionStep, KeptDecision } from '../console-store.js';
import type { Change, Row } from '../state-machine.js';
import type { ConsoleParts } from './parts.js';

/** A row with its change, or with the reason why it is not changed. */
export interface Planned {
  readonly row: Pick<Row, 'id'>;
  readonly change: Change | string;
}

/** The rows of the next step of a decision. */
export interface Page {
  readonly planned: readonly (Planned & { readonly row: Row })[];
  /** The ids of rows that do not exist, or that the console does not show. */
  readonly missing?: readonly string[] | undefined;
  readonly to: number;
  readonly done: boolean;
}

/** The pause after each commit is half as long as the commit, within these limits, so that others can write. */
const SHORTEST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 100;

/** The write of one change. */
const writeOf = ({ row, change }: { row: Row; change: Change }): DecisionStep['writes'][number] => ({
  id: row.id,
  sequence: row.sequence,
  expected: { state: row.state, fence: row.fence },
  change,
});

/**
 * Carries a decision out in several commits, until it is done or the time limit is reached. If other processes carry out the same
 * decision, only one of them makes each commit. `made` is called after each commit of this process.
 */
export async function carryOut(
  { clock }: Pick<ConsoleParts, 'clock'>,
  console: ConsoleStore,
  begun: KeptDecision,
  forMs: number,
  next: (decision: KeptDecision) => Promise<Page>,
  made: (page: Page, written: readonly (Planned & { readonly row: Row; readonly isWritten: boolean })[]) => void,
): Promise<KeptDecision> {
  const end = clock.now() + forMs;
  let decision = begun;
  while (!decision.done && decision.undoneBy === undefined) {
    const began = performance.now();
    const page = await next(decision);
    const changing = page.planned.filter((one): one is { row: Row; change: Change } => typeof one.change !== 'string');
    const skipped = page.planned.length - changing.length + (page.missing?.length ?? 0);
    const step = { id: decision.id, from: decision.cursor, to: page.to, done: page.done, skipped, writes: changing.map(writeOf) };
    const written = await console.step(step);
    // Without a result, another process has made this step or undone the decision.
    if (written)
      made(
        page,
        changing.map((one, index) => ({ ...one, isWritten: written[index] === true })),
      );
    decision = (await console.decision(decision.id)) ?? { ...decision, done: true };
    if (decision.done || clock.now() >= end) break;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, (performance.now() - began) / 2));
    await new Promise<void>((resolve) => clock.setTimeout(resolve, pauseMs));
  }
  return decision;
}
