import type { KeptDecision } from '../console-store.js';
import { takenBack } from '../take-back.js';
import { isUndoable } from './decide.js';
import type { Undone, UndoRequest } from './decisions.js';
import { type ConsoleParts, consoleOf, isShown } from './parts.js';
import { readBudget, readDecisionId, readWho } from './read-request.js';
import { beginOrGoOn, recordOf } from './recorded-decision.js';
import { ConsoleRefusal } from './refusal.js';
import { shownDecision } from './shown-decision.js';
import { carryOut, type Page } from './steps.js';

/** Undoes a retry for all reports that were not claimed since. */
export async function undo(parts: ConsoleParts, request: UndoRequest): Promise<Undone> {
  const console = consoleOf(parts, 'keep decisions');
  const { who, reason } = readWho(request);
  const [id, forMs] = [readDecisionId(request.decision), readBudget(request)];
  const of = await console.decision(request.of);
  if (!of || !(await shownDecision(parts, console, of))) throw new ConsoleRefusal('not-found', 'The decision to undo does not exist. Nothing was done.');
  if (!isUndoable(of.action))
    throw new ConsoleRefusal('conflict', 'Only a retry can be undone: recorded and dismissed are final, and are in the receipt log. Nothing was done.');
  if (of.undoneBy !== undefined && of.undoneBy !== id) throw new ConsoleRefusal('conflict', 'This decision was already undone. Nothing was done.');
  const begun = await beginOrGoOn(console, { id, action: 'undo', who, reason, about: JSON.stringify({ decision: of.id }), done: false, undoes: of.id });
  const undone = { reason, at: begun.at, by: who };
  const kept = { claimed: 0, otherwise: 0 };

  // The cursor is one more than the place of the last undone step.
  const next = async ({ cursor }: KeptDecision): Promise<Page> => {
    const step = await console.touched(of.id, cursor - 1);
    if (!step) return { planned: [], to: cursor, done: true };
    const rows = (await console.rows(step.sequences)).filter(({ account }) => isShown(parts, account));
    return { planned: rows.map((row) => ({ row, change: takenBack(row, of.id, undone) })), to: step.from + 1, done: false };
  };
  const ended = await carryOut(parts, console, begun, forMs, next, ({ planned }, written) => {
    const claimed = planned.filter(({ row, change }) => typeof change === 'string' && wasClaimed(row.decisions.at(-1)?.id, of.id, row)).length;
    const late = written.filter(({ isWritten }) => !isWritten).length;
    kept.claimed += claimed + late;
    kept.otherwise += planned.filter(({ change }) => typeof change === 'string').length - claimed;
  });
  return { decision: recordOf(ended), more: !ended.done, kept };
}

/** Whether a row was not undone because a worker has claimed it, and not because of another decision. */
const wasClaimed = (
  last: string | undefined,
  of: string,
  { decisions }: { readonly decisions: readonly { readonly before?: object; readonly undone?: object }[] },
) => last === of && decisions.at(-1)?.before !== undefined && decisions.at(-1)?.undone === undefined;
