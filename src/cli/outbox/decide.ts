import { printable, quoted, shownName } from '../../core/platform/messages.js';
import type { DecidedReport } from '../../outbox/decisions/decide-rows.js';
import { openSettlementOf } from '../../outbox/decisions/settlements.js';
import { decisionsFor, wasDismissedWith } from '../../outbox/rules/decisions.js';
import { problemKeyOf, type Row } from '../../outbox/rules/state-machine.js';
import { scanRows } from '../../outbox/store/store.js';
import { EXIT, Failure, remark, say } from '../output.js';
import { findReport } from './find.js';
import type { OpenedOutbox } from './opened-outbox.js';
import { needed, type OutboxValues } from './options.js';
import { newDecision } from './person.js';

export async function retry(opened: OpenedOutbox, values: OutboxValues, names: readonly string[]): Promise<number> {
  return decideAll(opened, values, names, 'retry');
}

export async function resolve(opened: OpenedOutbox, values: OutboxValues, names: readonly string[]): Promise<number> {
  const { all, code } = values;
  const action = needed(values, 'as');
  if (values['with-settlement'] && action !== 'dismissed')
    throw new Failure('--with-settlement goes with --as dismissed');
  // A verdict is final, so one verdict is not for reports with different problems.
  if (all && code === undefined)
    throw new Failure('resolve --all needs --code: the problem of these reports, as list prints it');
  return decideAll(opened, values, names, action);
}

export async function reopen(opened: OpenedOutbox, values: OutboxValues, names: readonly string[]): Promise<number> {
  const { decision } = values;
  if (decision === undefined) return decideAll(opened, values, names, 'reopened');
  if (names.length > 0) throw new Failure('--decision goes without names of reports');
  return reopenDecision(opened, decision, values);
}

type Action = 'retry' | 'recorded' | 'dismissed' | 'reopened';

/** For each action: the command, and its effect on a report. */
const DONE: Readonly<Record<Action, readonly [verb: string, done: string]>> = {
  retry: ['retry', 'waits to be sent again'],
  recorded: ['resolve', 'is resolved as recorded'],
  dismissed: ['resolve', 'is dismissed'],
  reopened: ['reopen', 'is reopened'],
};

/** Undefined if `--all` matches none. */
async function selectionOf(opened: OpenedOutbox, values: OutboxValues, names: readonly string[], action: Action) {
  const { all, code, account, environment, operation } = values;
  if (all) {
    const narrowing = { account, environment, operation };
    for await (const { problem } of scanRows(opened.store, { ...narrowing, state: 'quarantined' }))
      if (code === undefined || code === problemKeyOf(problem).code) return { all: { ...narrowing, code } };
    return undefined;
  }
  if (code !== undefined) throw new Failure('--code goes with --all only');
  // A settlement that was dismissed with its initiated report is reopened with it.
  const fits = (row: Row, all: readonly Row[]) =>
    decisionsFor(row)[action] === undefined && !all.some((one) => wasDismissedWith(row, one));
  // All reports are found before the first one is changed, so a wrong name changes nothing.
  const ids = new Set<string>();
  for (const name of names) ids.add((await findReport(opened, name, values, DONE[action][0], fits)).id);
  return { ids: [...ids] };
}

function settlementNote({ id, state }: Row, command: string): string {
  const dismiss = `${command} resolve ${quoted(shownName(id))} --as dismissed --reason "…"`;
  if (state === 'quarantined')
    return `  Its settlement ${shownName(id)} is quarantined, too. To dismiss it: ${dismiss}`;
  return `  Its settlement ${shownName(id)} is no longer blocked: a worker sends it now.\n  A gateway that does not have the initiated report answers 404, and the settlement is quarantined.\n  To dismiss it then: ${dismiss}`;
}

/** Prints a report after a decision. Returns whether it was changed. */
export function printDecided(
  verb: string,
  { id, row, why }: DecidedReport,
  done: string,
  json?: true,
  settlement?: string,
): boolean {
  const message = `${verb}: ${shownName(id)}: ${why}.`;
  if (json) say(JSON.stringify(row ? { id, done: true, state: row.state, settlement } : { id, done: false, message }));
  else if (row) say(`${shownName(id)} ${done}`);
  else remark(`location-sdk: ${printable(message)}`);
  return row !== undefined;
}

/** Decides about reports as the console does: the decision is in the same log, and a retry can be undone there. */
async function decideAll(
  opened: OpenedOutbox,
  values: OutboxValues,
  names: readonly string[],
  action: Action,
): Promise<number> {
  const { store, operator, command } = opened;
  const { json, reason = '', 'with-settlement': withSettlements = false } = values;
  const [verb, effect] = DONE[action];
  const selection = await selectionOf(opened, values, names, action);
  const request = { ...newDecision(reason), action, withSettlements };
  let [done, refused] = [0, 0];

  async function print(result: DecidedReport): Promise<void> {
    const { row } = result;
    const leavesSettlement = row && action === 'dismissed' && !withSettlements;
    const settlement = leavesSettlement ? await openSettlementOf(store, row) : undefined;
    if (printDecided(verb, result, effect, json, settlement?.id)) done += 1;
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

async function reopenDecision({ store, operator }: OpenedOutbox, of: string, values: OutboxValues): Promise<number> {
  const known = await store.operator?.decision(of);
  if (known?.action !== 'dismissed')
    throw new Failure(
      `${printable(of)} is not the decision of a dismissal; show prints the decision of a dismissed report. Nothing was changed`,
      EXIT.failed,
    );
  const request = { ...newDecision(needed(values, 'reason')), of };
  let kept = 0;
  let touched = 0;
  for (let more = true; more; ) {
    const step = await operator.undo(request);
    kept += step.kept;
    touched = step.decision.touched;
    more = step.more;
  }
  if (values.json) say(JSON.stringify({ decision: request.decision, reopened: touched, kept }));
  else
    say(
      `${touched} reports are reopened${kept > 0 ? `; ${kept} stay as they are: a person has decided about them later, or their data was erased` : ''}.`,
    );
  return EXIT.done;
}
