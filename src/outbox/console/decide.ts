import { printable } from '../../platform/printable.js';
import type { ConsoleStore, KeptDecision } from '../console-store.js';
import { changed } from '../operator/decide.js';
import { type Change, type Decision, decided, isFinal, type Row } from '../state-machine.js';
import type { DecideRequest, DecisionProgress, GroupKey, Selection } from './decisions.js';
import { type ConsoleParts, consoleOf, isShown } from './parts.js';
import { readAction, readBudget, readDecisionId, readSelection, readWho } from './read-request.js';
import { beginOrGoOn, recordOf } from './recorded-decision.js';
import { carryOut, type Page } from './steps.js';

/** The number of rows in a commit. Ending a row costs more than a retry, and workers wait for the rows of a commit. */
const PAGES: Readonly<Record<DecideRequest['action'], number>> = { retry: 1_000, recorded: 100, dismissed: 100 };
const MOST_REFUSED = 20;

/** The change of a row by a decision, or the reason why it is refused. Each decision changes a row once. */
export function plan(row: Row, decision: Decision, keepBodies: boolean): Change | string {
  if (decision.id !== undefined && row.decisions.some(({ id }) => id === decision.id)) return 'this decision has already changed it';
  if (row.blocked && decision.action === 'retry')
    return `it is blocked: it is sent once ${row.waitsFor ?? 'another report'} is recorded or dismissed; decide on that one`;
  return decided(row, decision, keepBodies);
}

const isGroup = (selection: Selection): selection is { readonly group: GroupKey } => 'group' in selection;

/** Reads the rows of the next step. */
export async function nextPage(
  parts: ConsoleParts,
  console: ConsoleStore,
  selection: Selection,
  { asOf, cursor }: Pick<KeptDecision, 'asOf' | 'cursor'>,
  limit: number,
): Promise<{ readonly rows: readonly Row[]; readonly missing: readonly string[]; readonly to: number; readonly done: boolean }> {
  if (isGroup(selection)) {
    const rows = isShown(parts, selection.group.account) ? await console.quarantined({ of: selection.group, asOf, after: cursor, limit }) : [];
    return { rows, missing: [], to: rows.at(-1)?.sequence ?? cursor, done: rows.length < limit };
  }
  const ids = selection.ids.slice(cursor, cursor + limit);
  const found = (await parts.store.get(ids)).map((row) => (row && isShown(parts, row.account) ? row : undefined));
  const missing = ids.filter((_, index) => !found[index]);
  return { rows: found.flatMap((row) => row ?? []), missing, to: cursor + ids.length, done: cursor + limit >= selection.ids.length };
}

/** Carries out a person's decision about a selection. */
export async function decide(parts: ConsoleParts, request: DecideRequest): Promise<DecisionProgress> {
  const console = consoleOf(parts, 'keep decisions');
  const [action, selection, forMs] = [readAction(request.action), readSelection(request.selection), readBudget(request)];
  const { who, reason } = readWho(request);
  const begun = await beginOrGoOn(console, {
    id: readDecisionId(request.decision),
    action,
    who,
    reason,
    about: JSON.stringify(selection),
    asOf: request.asOf,
    done: false,
  });
  const decision: Decision = { action, reason, at: begun.at, by: who, id: begun.id };
  const refused: { id: string; why: string }[] = [];
  const refuse = (id: string, why: string) => void (refused.length < MOST_REFUSED && refused.push({ id: printable(id), why: printable(why) }));

  const next = async (at: KeptDecision): Promise<Page> => {
    const { rows, ...page } = await nextPage(parts, console, selection, at, PAGES[action]);
    return { ...page, planned: rows.map((row) => ({ row, change: plan(row, decision, parts.keepBodies) })) };
  };
  const kept = await carryOut(parts, console, begun, forMs, next, ({ planned, missing = [] }, written) => {
    for (const id of missing) refuse(id, 'the outbox does not have this report');
    for (const { row, change } of planned) if (typeof change === 'string') refuse(row.id, change);
    for (const { row, isWritten } of written) if (!isWritten) refuse(row.id, 'it was changed in the meantime');
    const now = written.flatMap(({ row, change, isWritten }) => (isWritten && typeof change !== 'string' ? [changed(row, change)] : []));
    if (now.length > 0) parts.decided(now, action);
  });
  const more = !kept.done && kept.undoneBy === undefined;
  await parts.settled(action);
  return { decision: recordOf(kept), more, refused };
}

/** Whether a kind of decision can be undone. */
export const isUndoable = (action: string): boolean => !isFinal(action as Row['state']) && action === 'retry';
