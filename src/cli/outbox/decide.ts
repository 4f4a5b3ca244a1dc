import { printable, quoted, shownName } from '../../core/platform/messages.js';
import { touchedRows } from '../../operator/decision-log.js';
import { type DecidedReport, openSettlementOf } from '../../outbox/decisions/decide-rows.js';
import { decisionsFor, wasDismissedWith } from '../../outbox/rules/decisions.js';
import type { Row } from '../../outbox/rules/state-machine.js';
import type { OperatorStore } from '../../outbox/store/operator-store.js';
import { confirm, EXIT, Failure, remark, say } from '../output.js';
import { findReport, findReports } from './find.js';
import { needed, type RunCommand } from './options.js';
import { newDecision } from './person.js';
import { printDecided } from './print-decided.js';
import { resolveFile } from './resolve-file.js';
import { grouped, reports } from './text.js';

type Call = Parameters<RunCommand>;

export const retry: RunCommand = (...call) => decideAll(call, 'retry');

export const resolve: RunCommand = async (...call) => {
  const [, values] = call;
  const { all, code } = values;
  const action = needed(values, 'as');
  if (values.from !== undefined) return resolveFile(...call);
  if (values['with-settlement'] && action !== 'dismissed')
    throw new Failure('--with-settlement goes with --as dismissed');
  // A verdict is final, so one verdict is not for reports with different problems.
  if (all && code === undefined)
    throw new Failure('resolve --all needs --code: the problem of these reports, as list prints it');
  return decideAll(call, action);
};

export const reopen: RunCommand = (...call) => {
  const [, { decision }] = call;
  return decision === undefined ? decideAll(call, 'reopened') : takeBack(call, decision);
};

type Action = 'retry' | 'recorded' | 'dismissed' | 'reopened';

/** For each action: the command, and its effect on a report. */
const DONE: Readonly<Record<Action, readonly [verb: string, done: string]>> = {
  retry: ['retry', 'waits to be sent again'],
  recorded: ['resolve', 'is resolved as recorded'],
  dismissed: ['resolve', 'is dismissed'],
  reopened: ['reopen', 'is reopened'],
};

async function idsNamed([opened, values, names]: Call): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push(...(await findReports(opened, name, values)).map(({ id }) => id));
  return ids;
}

/** Counts the reports of `--all` and asks whether they are meant. Undefined if there are none. */
async function selectAll(call: Call, action: Action) {
  const [{ operator }, values] = call;
  const { code, account, environment, operation, 'with-settlement': withSettlements } = values;
  const except = await idsNamed(call);
  const selection = { all: { account, environment, operation, code }, ...(except.length > 0 && { except }) };
  // A later report is not among those that were counted.
  const { asOf, count, operations, inDoubt, settlements, unchanged, refused } = await operator.preview(
    selection,
    action,
  );
  const [{ id, why } = { id: '', why: '' }] = refused;
  const verb = `${DONE[action][0]}${values.as ? ` --as ${values.as}` : ''}`;
  const left = `not allowed for ${reports(unchanged)}, such as ${id}: ${why}`;
  if (count === 0 && unchanged > 0) throw new Failure(`${verb} is ${left}. Nothing was changed`, EXIT.failed);
  if (count === 0) return undefined;
  const facts = [
    Object.entries(operations)
      .map(([name, many]) => `${grouped(many)} × ${name}`)
      .join(', '),
    inDoubt > 0 && `${grouped(inDoubt)} of them in doubt: the gateway may hold them`,
    settlements > 0 &&
      `${grouped(settlements)} settlements wait for them, and ${withSettlements ? 'are dismissed, too' : 'are sent then; --with-settlement dismisses them, too'}`,
    unchanged > 0 && `it is ${left}`,
  ];
  if (!values.yes)
    await confirm(`${DONE[action][0]} --all is about ${reports(count)}: ${facts.filter(Boolean).join('; ')}`);
  return { selection, asOf, count: count + (withSettlements ? settlements : 0) };
}

async function selectNamed([opened, values, names]: Call, action: Action) {
  const { code } = values;
  if (code !== undefined) throw new Failure('--code goes with --all only');
  // A settlement that was dismissed with its initiated report is reopened with it.
  const fits = (row: Row, all: readonly Row[]) =>
    decisionsFor(row)[action] === undefined && !all.some((one) => wasDismissedWith(row, one));
  // All reports are found before the first one is changed, so a wrong name changes nothing.
  const ids = new Set<string>();
  for (const name of names) ids.add((await findReport(opened, name, values, DONE[action][0], fits)).id);
  return { selection: { ids: [...ids] }, asOf: undefined, count: undefined };
}

function settlementNote({ id, state }: Row, command: string): string {
  const dismiss = `${command} resolve ${quoted(shownName(id))} --as dismissed --reason "…"`;
  if (state === 'quarantined')
    return `  Its settlement ${shownName(id)} is quarantined, too. To dismiss it: ${dismiss}`;
  return `  Its settlement ${shownName(id)} is no longer blocked: a worker sends it now.\n  A gateway that does not have the initiated report answers 404, and the settlement is quarantined.\n  To dismiss it then: ${dismiss}`;
}

/** Decides about reports as the console does: the decision is in the same log, and a retry can be undone there. */
async function decideAll(call: Call, action: Action): Promise<number> {
  const [{ store, operator, command }, values] = call;
  const { json, reason = '', 'with-settlement': withSettlements = false } = values;
  const [verb, effect] = DONE[action];
  const selected = await (values.all ? selectAll : selectNamed)(call, action);
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

  for (let more = true; selected && more; ) {
    const results: DecidedReport[] = [];
    try {
      ({ more } = await operator.decide({ ...request, asOf: selected.asOf, selection: selected.selection }, (made) =>
        results.push(...made),
      ));
    } finally {
      // Also if a later commit fails: these reports are decided.
      for (const result of results) await print(result);
    }
  }
  if (!json && done + refused === 0) remark('No such report is quarantined.');
  else if (!json && action === 'retry' && done > 0) remark('\nA running worker sends them; if none runs, start one.');
  if (!json && selected?.count !== undefined) {
    const count = Math.max(done, selected.count);
    const left = done < count ? '; the others are named above, or have changed since they were counted' : '';
    const back =
      action === 'recorded' ? '' : `\nTo take this back: ${command} reopen --decision ${request.decision} --reason "…"`;
    remark(`\nDecided: ${grouped(done)} of ${reports(count)}${left}.${back}`);
  }
  return refused > 0 || done < (selected?.count ?? 0) ? EXIT.failed : EXIT.done;
}

async function takeBack(call: Call, of: string): Promise<number> {
  const [{ store, operator }, values] = call;
  const except = await idsNamed(call);
  const log = store.operator;
  const known = await log?.decision(of);
  if (known?.action !== 'dismissed' && known?.action !== 'retry')
    throw new Failure(
      `${printable(of)} is not the decision of a dismissal or a retry; show prints the decision of a report. Nothing was changed`,
      EXIT.failed,
    );
  const request = { ...newDecision(needed(values, 'reason')), of, ...(except.length > 0 && { except }) };
  const reasons = new Map<string, number>();
  let [kept, touched] = [0, 0];
  for (let more = true; more; ) {
    const step = await operator.undo(request);
    kept += step.kept;
    for (const [why, many] of Object.entries(step.reasons)) reasons.set(why, (reasons.get(why) ?? 0) + many);
    touched = step.decision.touched;
    more = step.more;
  }
  const others = known.touched - touched - kept;
  const pruned = log && others > 0 ? known.touched - (await countTouched(log, of)) : 0;
  if (pruned > 0) reasons.set('it was pruned', pruned);
  const named = others - pruned;
  if (except.length > 0 && named > 0) reasons.set('you named it, or its bet or withdrawal', named);
  const ended = kept + pruned > 0 ? EXIT.failed : EXIT.done;
  if (values.json) {
    say(JSON.stringify({ decision: request.decision, reopened: touched, kept, pruned }));
    return ended;
  }
  const done = known.action === 'dismissed' ? 'Reopened' : 'Quarantined again';
  say(
    `${done}: ${grouped(touched)} of ${reports(known.touched)}.${reasons.size > 0 ? ' The others stay as they are:' : ''}`,
  );
  for (const [why, many] of reasons) say(`  ${grouped(many)} × ${printable(why)}`);
  return ended;
}

/** The reports of a decision that the outbox still has. */
async function countTouched(log: OperatorStore, decision: string): Promise<number> {
  let count = 0;
  for await (const rows of touchedRows(log, decision)) count += rows.length;
  return count;
}
