import type { DecidedReport } from '../../outbox/operator/commit-decision.js';
import { type DecideRequest, planChange } from '../../outbox/operator/decide.js';
import { scanRows } from '../../outbox/operator/reports.js';
import { openSettlementOf } from '../../outbox/operator/settlements.js';
import { problemKeyOf, type Row } from '../../outbox/rules/state-machine.js';
import { printable, quoted } from '../../platform/messages.js';
import { EXIT, Failure, remark, say } from '../output.js';
import { findReport } from './find.js';
import { needed, type OutboxValues } from './options.js';
import { newDecision, type View } from './view.js';

export async function retry(view: View, values: OutboxValues, names: readonly string[]): Promise<number> {
  return decideAll(view, values, names, 'retry');
}

export async function resolve(view: View, values: OutboxValues, names: readonly string[]): Promise<number> {
  const { all, code } = values;
  const action = needed(values, 'as');
  if (values['with-settlement'] && action !== 'dismissed')
    throw new Failure('--with-settlement goes with --as dismissed');
  // A verdict is final, so one verdict is not for reports with different problems.
  if (all && code === undefined)
    throw new Failure('resolve --all needs --code: the problem of these reports, as list prints it');
  return decideAll(view, values, names, action);
}

/** The reports that the command names. Undefined if `--all` matches none. */
async function selectionOf(
  view: View,
  values: OutboxValues,
  names: readonly string[],
  action: DecideRequest['action'],
): Promise<DecideRequest['selection'] | undefined> {
  const { all, code, account, environment, operation } = values;
  if (all) {
    const narrowing = { account, environment, operation };
    for await (const { problem } of scanRows(view.store, { ...narrowing, state: 'quarantined' }))
      if (code === undefined || code === problemKeyOf(problem).code) return { all: { ...narrowing, code } };
    return undefined;
  }
  if (code !== undefined) throw new Failure('--code goes with --all only');
  const verb = action === 'retry' ? 'retry' : 'resolve';
  const fits = (row: Row) => typeof planChange(row, { action, reason: '', at: view.now }, true) !== 'string';
  // All reports are found before the first one is changed, so a wrong name changes nothing.
  const ids = new Set<string>();
  for (const name of names) ids.add((await findReport(view, name, values, verb, fits)).id);
  return { ids: [...ids] };
}

const DONE: Readonly<Record<DecideRequest['action'], string>> = {
  retry: 'waits to be sent again',
  recorded: 'is resolved as recorded',
  dismissed: 'is dismissed',
};

function settlementNote({ id, state }: Row, command: string): string {
  const dismiss = `${command} resolve ${quoted(id)} --as dismissed --reason "…"`;
  if (state === 'quarantined')
    return `  Its settlement ${printable(id)} is quarantined, too. To dismiss it: ${dismiss}`;
  return `  Its settlement ${printable(id)} is no longer blocked: a worker sends it now.\n  A gateway that does not have the initiated report answers 404, and the settlement is quarantined.\n  To dismiss it then: ${dismiss}`;
}

/** Prints a report after a decision: what is done, or why it was not. Returns whether it was done. */
export function printDecided(
  verb: string,
  { id, row, why }: DecidedReport,
  done: string,
  json?: true,
  settlement?: string,
): boolean {
  const message = `${verb}: ${id}: ${why}.`;
  if (json) say(JSON.stringify(row ? { id, done: true, state: row.state, settlement } : { id, done: false, message }));
  else if (row) say(`${printable(id)} ${done}`);
  else remark(`location-sdk: ${printable(message)}`);
  return row !== undefined;
}

/** Decides about reports as the console does: the decision is in the same log, and a retry can be undone there. */
async function decideAll(
  view: View,
  values: OutboxValues,
  names: readonly string[],
  action: DecideRequest['action'],
): Promise<number> {
  const { store, operator, command } = view;
  const { json, reason = '', 'with-settlement': withSettlements = false } = values;
  const selection = await selectionOf(view, values, names, action);
  const request = { ...newDecision(reason), action, withSettlements };
  let [done, refused] = [0, 0];

  async function print(result: DecidedReport): Promise<void> {
    const { row } = result;
    const leavesSettlement = row && action === 'dismissed' && !withSettlements;
    const settlement = leavesSettlement ? await openSettlementOf(store, row) : undefined;
    if (printDecided(action === 'retry' ? 'retry' : 'resolve', result, DONE[action], json, settlement?.id)) done += 1;
    else refused += 1;
    if (settlement && !json) remark(settlementNote(settlement, command));
  }

  for (let more = selection !== undefined; selection && more; ) {
    const results: DecidedReport[] = [];
    try {
      ({ more } = await operator.decide({ ...request, selection }, (made) => results.push(...made)));
    } finally {
      // Also if a later commit fails: these reports are decided.
      for (const result of results) await print(result);
    }
  }
  if (!json && done + refused === 0) remark('No such report is quarantined.');
  else if (!json && action === 'retry' && done > 0) remark('\nA running worker sends them; if none runs, start one.');
  return refused > 0 ? EXIT.failed : EXIT.done;
}
