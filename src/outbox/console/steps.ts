import type { ConsoleStore, DecisionStep, KeptDecision } from '../console-store.js';
import type { Change, Row } from '../state-machine.js';
import type { ConsoleParts } from './parts.js';

/** A row that a step is to change, or why it is not. */
export interface Planned {
  readonly row: Pick<Row, 'id'>;
  readonly change: Change | string;
}

/** What the next step of a decision is about. */
export interface Page {
  readonly planned: readonly (Planned & { readonly row: Row })[];
  /** Those that are not there, or not shown. */
  readonly missing?: readonly string[] | undefined;
  readonly to: number;
  readonly done: boolean;
}

/** Others write meanwhile: a pause after each commit, half as long as it took, within bounds. */
const SHORTEST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 100;

/** One change of a row as a step makes it. */
const writeOf = ({ row, change }: { row: Row; change: Change }): DecisionStep['writes'][number] => ({
  id: row.id,
  sequence: row.sequence,
  expected: { state: row.state, fence: row.fence },
  change,
});

/**
 * Carries a decision out, a commit at a time, until it is done or the time is over. Where others carry out the same decision, each
 * commit is made by one of them. `made` hears of each commit.
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
    // Somebody else has made this step, or taken the decision back: nothing of it was done here.
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
