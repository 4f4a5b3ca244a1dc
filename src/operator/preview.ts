import { printable, shownName } from '../core/platform/messages.js';
import { openSettlementOf } from '../outbox/decisions/decide-rows.js';
import { decisionsFor } from '../outbox/rules/decisions.js';
import type { Decision, Row } from '../outbox/rules/state-machine.js';
import type { GroupTally } from '../outbox/store/operator-store.js';
import { scanRows } from '../outbox/store/store.js';
import { isShown, type Narrowing, type OperatorContext } from './context.js';
import { type DecideRequest, type DecisionProgress, MOST_REFUSED, NOT_FOUND, selectRows } from './decide.js';
import { type ReportSummary, summaryOf } from './reports.js';

/** The effect of a decision. `settlements` counts those that are sent after a dismissal; it is 0 otherwise. */
export interface Preview extends GroupTally {
  readonly examples: readonly ReportSummary[];
  /** The first of those that it would not change, with the reasons. Of a group there are none. */
  readonly refused: DecisionProgress['refused'];
  /** The number of all of them. */
  readonly unchanged: number;
  /** Whether the gateway would answer 404 to the settlements, since it has refused all of their reports. */
  readonly areSettlementsVain: boolean;
  /** Pass it to `decide`. */
  readonly asOf: number;
}

const MOST_EXAMPLES = 5;
const READ_TOGETHER = 500;

export async function preview(
  context: OperatorContext,
  selection: DecideRequest['selection'],
  action: Decision['action'],
): Promise<Preview> {
  const { operator: store } = context;
  const asOf = await store.now();
  const isAll = 'all' in selection;
  const limit = isAll ? READ_TOGETHER : 'ids' in selection ? selection.ids.length : MOST_EXAMPLES;
  const rows: Row[] = [];
  const missing: string[] = [];
  for (let [cursor, more] = [0, true]; more; ) {
    const page = await selectRows(context, selection, { asOf, cursor }, limit);
    for (const row of page.rows) rows.push({ ...row, body: undefined });
    missing.push(...page.missing);
    [cursor, more] = [page.to, isAll && !page.done];
  }
  const touched = rows.filter((one) => decisionsFor(one)[action] === undefined);
  const refused = [
    ...missing.map((id) => ({ id, why: NOT_FOUND })),
    ...rows.map((one) => ({ id: one.id, why: decisionsFor(one)[action] })),
  ].flatMap(({ id, why }) => (why === undefined ? [] : { id: shownName(id), why: printable(why) }));
  const isGroup = 'group' in selection && isShown(context, selection.group.account);
  // The reports of a group were answered alike. So only the doubt of each decides.
  const [row] = rows;
  const onlyInDoubt = row !== undefined && decisionsFor({ ...row, inDoubt: false })[action] !== undefined;
  const { settlements, ...tally } = isGroup
    ? await store.tally(selection.group, asOf, action === 'dismissed', onlyInDoubt)
    : await tallyOf(context, touched, isAll ? selection.all : undefined);
  return {
    ...tally,
    settlements: action === 'dismissed' ? settlements : 0,
    examples: touched.slice(0, MOST_EXAMPLES).map(summaryOf),
    // Of a group only the first reports were read.
    areSettlementsVain: tally.inDoubt === 0 && touched.every((one) => decisionsFor(one).recorded !== undefined),
    refused: isGroup ? [] : refused.slice(0, MOST_REFUSED),
    unchanged: isGroup ? 0 : refused.length,
    asOf,
  };
}

/** `within`: the place of all rows. Without it, each settlement is looked for by itself. */
async function tallyOf(
  { store }: OperatorContext,
  rows: readonly Row[],
  within: Narrowing | undefined,
): Promise<GroupTally> {
  const operations: Record<string, number> = {};
  let settlements = 0;
  for (const row of rows) {
    operations[row.operation] = (operations[row.operation] ?? 0) + 1;
    if (!within && (await openSettlementOf(store, row))?.blocked) settlements += 1;
  }
  if (within) {
    const { account, environment } = within;
    const ids = new Set(rows.map(({ id }) => id));
    for await (const { blocked, waitsFor = '' } of scanRows(store, { account, environment, state: 'waiting' }))
      if (blocked && ids.has(waitsFor)) settlements += 1;
  }
  return { count: rows.length, operations, inDoubt: rows.filter(({ inDoubt }) => inDoubt).length, settlements };
}
