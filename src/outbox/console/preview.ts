import { printable } from '../../platform/printable.js';
import type { Row } from '../state-machine.js';
import { isUndoable, nextPage, plan } from './decide.js';
import type { DecideRequest, Preview, Selection } from './decisions.js';
import { type ConsoleParts, consoleOf, isShown } from './parts.js';
import { readAction, readSelection } from './read-request.js';
import { summaryOf } from './shown-report.js';

const MOST_EXAMPLES = 5;
const MOST_REFUSED = 20;
const MOST_IDS = 500;

/** The effect of a decision about a selection. */
export async function preview(parts: ConsoleParts, given: Selection, wanted: DecideRequest['action']): Promise<Preview> {
  const console = consoleOf(parts, 'keep decisions');
  const [selection, action] = [readSelection(given), readAction(wanted)];
  const asOf = await console.now();
  const isGroup = 'group' in selection;
  const { rows, missing } = await nextPage(parts, console, selection, { asOf, cursor: 0 }, isGroup ? MOST_EXAMPLES : MOST_IDS);
  const planned = rows.map((row) => ({ row, change: plan(row, { action, reason: '', at: asOf }, parts.keepBodies) }));
  const touched = planned.filter(({ change }) => typeof change !== 'string').map(({ row }) => row);
  const refused = [
    ...missing.map((id) => ({ id: printable(id), why: 'the outbox does not have this report' })),
    ...planned.flatMap(({ row, change }) => (typeof change === 'string' ? [{ id: printable(row.id), why: printable(change) }] : [])),
  ];
  const tally =
    isGroup && isShown(parts, selection.group.account) ? await console.tally(selection.group, asOf, action === 'dismissed') : await tallyOf(parts, touched);
  return {
    count: tally.count,
    operations: tally.operations,
    inDoubt: tally.inDoubt,
    settlements: action === 'dismissed' ? tally.settlements : 0,
    examples: touched.slice(0, MOST_EXAMPLES).map(summaryOf),
    refused: refused.slice(0, MOST_REFUSED),
    undoable: isUndoable(action),
    asOf,
  };
}

async function tallyOf({ store }: ConsoleParts, rows: readonly Row[]) {
  const operations: Record<string, number> = {};
  let settlements = 0;
  for (const { id, account, environment, operation, reference } of rows) {
    operations[operation] = (operations[operation] ?? 0) + 1;
    const others = await store.list({ account, environment, reference, limit: 20 });
    settlements += others.filter(({ waitsFor, blocked }) => blocked && waitsFor === id).length;
  }
  return { count: rows.length, operations, inDoubt: rows.filter(({ inDoubt }) => inDoubt).length, settlements };
}
