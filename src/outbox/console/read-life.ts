import { printable, quoted } from '../../platform/printable.js';
import { isBreaker, keyOf, partsOf } from '../destination.js';
import { meaningOf } from '../operator/meaning.js';
import { toPublicPauses } from '../public-report.js';
import { keyIdOf } from '../seal/standard-seal.js';
import { decided, isFinal, type Row } from '../state-machine.js';
import type { Outlook } from '../store.js';
import { takenBack } from '../take-back.js';
import { findReceipt } from './find-receipt.js';
import type { ConsoleParts } from './parts.js';
import { shownPauses } from './pauses.js';
import { findRow } from './read-report-body.js';
import type { LifeAction, LifeEvent, ReportLife } from './report-life.js';
import { shownProblem, shownText, summaryOf } from './shown-report.js';

/** Larger than the number of reports of one reference in one account and environment. */
const MOST = 20;

/** Reads one report with all its details. */
export async function readLife(parts: ConsoleParts, name: string): Promise<ReportLife | undefined> {
  const { store, command } = parts;
  const row = await findRow(parts, name);
  if (!row) return undefined;
  const { id, account, environment, reference, state, blocked, dueAt, outcome, message, requestId, fingerprint, body, waitsFor } = row;
  const others = await store.list({ account, environment, reference, limit: MOST });
  const sibling = others.find((one) => one.id === waitsFor || one.waitsFor === id);
  const pauses = isFinal(state) || state === 'quarantined' ? [] : await store.outlook([account]);
  const receipt = isFinal(state) ? await findReceipt(store.receipts, row) : undefined;
  return {
    ...summaryOf(row),
    means: meaningOf(row, toPublicPauses(pauses), parts.clock.now()),
    waitsFor: blocked ? shownText(waitsFor) : null,
    dueAt: state === 'waiting' && !blocked ? dueAt : null,
    outcome: outcome ?? null,
    message: shownText(message),
    requestId: shownText(requestId),
    fingerprint: printable(fingerprint),
    body: { kept: body !== undefined, keyId: shownText(body === undefined ? undefined : keyIdOf(body)) },
    sibling: sibling ? summaryOf(sibling) : null,
    timeline: [
      ...timelineOf(row),
      ...pausedEvents(row, pauses),
      ...(isFinal(state) ? [{ kind: 'receipt' as const, at: row.changedAt, index: receipt?.index ?? null, hash: receipt?.hash ?? null }] : []),
    ],
    actions: actionsOf(row, sibling, command),
    command: `${command} show ${quoted(id)}`,
  };
}

/** The events of a report that its row contains, the oldest first. */
export function timelineOf(row: Row): LifeEvent[] {
  const { enqueuedAt, changedAt, dueAt, state, decisions, problem, inDoubt, requestId } = row;
  const events: LifeEvent[] = [{ kind: 'enqueued', at: enqueuedAt }];
  for (const { action, reason, at, by, id, before, undone } of decisions) {
    if (before?.problem) events.push({ kind: 'attempt', at: null, problem: shownProblem(before.problem) });
    events.push({
      kind: 'decided',
      at,
      action,
      who: shownText(by),
      reason: printable(reason),
      decision: id ?? null,
      undone: undone ? { at: undone.at, who: printable(undone.by), reason: printable(undone.reason) } : null,
    });
  }
  const last = decisions.at(-1);
  const isKept = last?.undone !== undefined && JSON.stringify(last.before?.problem) === JSON.stringify(problem);
  if (problem && !isKept) events.push({ kind: 'attempt', at: state === 'in-flight' ? null : changedAt, problem: shownProblem(problem) });
  if (inDoubt && state !== 'in-flight') events.push({ kind: 'doubt', at: null });
  if (state === 'in-flight') events.push({ kind: 'in-flight', at: changedAt, until: dueAt });
  if (state === 'quarantined') events.push({ kind: 'quarantined', at: changedAt });
  if (state === 'recorded' || state === 'dismissed') events.push({ kind: 'ended', at: changedAt, state, requestId: shownText(requestId) });
  return events;
}

/** The current pauses of a row's destination and operation. */
function pausedEvents({ account, environment, operation }: Row, outlooks: readonly Outlook[]): LifeEvent[] {
  const concerns = outlooks.filter((one) => {
    const of = partsOf(one);
    return keyOf({ account: one.account, environment: of.environment }) === keyOf({ account, environment }) && (!isBreaker(one) || of.operation === operation);
  });
  return shownPauses(concerns).map((pause) => ({ kind: 'paused', at: pause.since, pause }));
}

/** The decisions that are possible for a row now. */
function actionsOf(row: Row, sibling: Row | undefined, command: string): LifeAction[] {
  const name = quoted(row.id);
  const fits = (action: 'retry' | 'recorded' | 'dismissed') => typeof decided(row, { action, reason: '', at: 0 }, true) !== 'string';
  const lines = {
    retry: `${command} retry ${name} --reason "…"`,
    recorded: `${command} resolve ${name} --as recorded --reason "…"`,
    dismissed: `${command} resolve ${name} --as dismissed --reason "…"`,
  };
  const freed = sibling?.waitsFor === row.id && sibling.blocked ? `Its settlement ${printable(sibling.id)} is then sent.` : null;
  const actions: LifeAction[] = (['retry', 'recorded', 'dismissed'] as const)
    .filter((action) => fits(action) && !(row.blocked && action === 'retry'))
    .map((action) => ({ action, command: lines[action], decision: null, warning: action === 'dismissed' ? freed : null }));
  const decision = row.decisions.at(-1)?.id;
  if (decision === undefined || typeof takenBack(row, decision, { reason: '', at: 0, by: '' }) === 'string') return actions;
  return [...actions, { action: 'undo', command: null, decision, warning: null }];
}
