import type { Refused } from '../../src/core/platform/refused.js';
import { isChange } from '../../src/outbox/rules/decisions.js';
import type { Change, Decision, Row, Write } from '../../src/outbox/rules/state-machine.js';
import type { Random } from './random.js';
import type { Report } from './scenario.js';
import type { Store } from './store.js';
import { nameOf, type World } from './world.js';

interface Parts {
  readonly store: Store;
  readonly wakeAll: () => void;
  /** Kills a worker at once. */
  readonly kill: (worker: number) => void;
}

/**
 * A person with second thoughts about one report that the gateway refuses and about its settlement: dismisses, reopens,
 * replaces, retries and undoes, again and again, while the workers that hold the settlement die.
 */
export function haveSecondThoughts(world: World, random: Random, { store, wakeAll, kill }: Parts): void {
  const { schedule, scenario, coverage, decisions, trace } = world;
  const settled = scenario.reports.find(({ initiated }) => initiated !== undefined);
  if (!settled?.initiated || !random.chance(0.2)) return;
  const initiated = settled.initiated;
  initiated.bad = true;
  let made = 0;
  /** The latest decision that may be undone. */
  let latest: string | undefined;

  const said = (action: Decision['action']): Decision & { readonly id: string } => {
    made += 1;
    return { action, reason: 'simulated', at: 0, id: `decision-${made}` };
  };

  /** Makes the changes of one commit, the first of which is that of the initiated report. */
  function commit(what: string, planned: readonly (readonly [Report, Row, Change | Refused])[]): boolean {
    const writes: Write[] = planned.flatMap(([, row, change]) =>
      !isChange(change) ? [] : [{ id: row.id, expected: row, change }],
    );
    const [first] = planned;
    if (!first || !isChange(first[2])) return false;
    trace?.(`a person with second thoughts: ${nameOf(first[0])} is ${what}`);
    const { written } = store.turn({ writes, claim: undefined });
    wakeAll();
    return written[0] === true;
  }

  function dismiss(row: Row): void {
    const decision = said('dismissed');
    const after = store.get(settled?.id);
    const isOpen = after !== undefined && !decisions.isFinal(after.state);
    const along = isOpen && random.chance(0.2) ? decisions.dismissedWithReport(after, decision) : undefined;
    const planned = [[initiated, row, decisions.decided(row, decision, false)] as const];
    if (settled && after && along !== undefined && commit('dismissed with it', [...planned, [settled, after, along]]))
      coverage['a person dismisses a settlement with its report'] += 1;
    else if (along === undefined) commit('dismissed', planned);
    latest = decision.id;
  }

  /** The settlement that was dismissed with the report is opened with it. */
  function open(row: Row, decision: Decision, change: Change | Refused, what: string): boolean {
    const after = store.get(settled?.id);
    const along = settled && after && decisions.wasDismissedWith(after, row);
    const planned = along ? [[settled, after, decisions.reopenedWithReport(after, decision)] as const] : [];
    return commit(what, [[initiated, row, change], ...planned]);
  }

  function reopen(row: Row): void {
    const decision = said('reopened');
    if (latest !== undefined && random.chance(0.5)) {
      const { reason, at, id } = decision;
      const change = decisions.undone(row, latest, { reason, at, by: 'simulated' }, id);
      if (open(row, decision, change, 'as before its dismissal, which is undone')) {
        initiated.reopened = true;
        coverage['a person undoes a dismissal'] += 1;
      }
    } else if (open(row, decision, decisions.decided(row, decision, false), 'reopened')) initiated.reopened = true;
  }

  function replace(row: Row): void {
    const decision = said('replaced');
    const bytes = `${initiated.body}, second thought ${made}`;
    const change = decisions.replaced(row, decision, { body: bytes, fingerprint: bytes });
    if (!open(row, decision, change, 'replaced')) return;
    if (row.state === 'dismissed') initiated.reopened = true;
    initiated.current = bytes;
    initiated.bad = random.chance(0.7);
  }

  function retry(report: Report, row: Row): void {
    const decision = said('retry');
    if (row.blocked || !commit('to be tried again', [[report, row, decisions.decided(row, decision, false)]])) return;
    const undone = { reason: 'simulated', at: 0, by: 'simulated' };
    if (random.chance(0.3))
      schedule.after(random.between(0, 500), () => {
        const now = store.get(report.id);
        if (now && commit('not to be tried again', [[report, now, decisions.undone(now, decision.id, undone)]]))
          coverage['a person undoes a retry'] += 1;
      });
  }

  function think(): void {
    const row = store.get(initiated.id);
    const after = store.get(settled?.id);
    if (settled && after?.state === 'in-flight' && random.chance(0.3)) {
      if (row?.state === 'dismissed') coverage['a worker dies with the settlement of a dismissed report'] += 1;
      kill(settled.attempts.at(-1)?.worker ?? -1);
    }
    if (settled && after?.state === 'quarantined' && random.chance(0.5)) retry(settled, after);
    const which = random.next();
    if (row?.state === 'quarantined') {
      if (which < 0.6) dismiss(row);
      else if (which < 0.8) retry(initiated, row);
      else replace(row);
    } else if (row?.state === 'dismissed' && which < 0.6) {
      if (random.chance(0.9)) store.appendLog();
      if (which < 0.4) reopen(row);
      else replace(row);
    }
    // Sometimes between the claim of the settlement and its first byte.
    const next = random.chance(0.5) ? random.between(0, 60) : random.between(50, 8_000);
    if (schedule.now() + next < scenario.wellAt) schedule.after(next, think);
  }
  schedule.at(random.between(0, 5_000), think);
}
