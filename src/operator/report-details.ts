import { printable, quoted, shownName } from '../core/platform/messages.js';
import { inLargestUnit } from '../core/platform/time.js';
import { relatedRows } from '../outbox/decisions/decide-rows.js';
import { createReceiptFinder } from '../outbox/receipts/find-receipt.js';
import { decisionsFor } from '../outbox/rules/decisions.js';
import { keyOf } from '../outbox/rules/destination.js';
import { parseEntry, type ReceiptEntry } from '../outbox/rules/receipt-entry.js';
import { type Decision, isFinal, mustStay, type Row } from '../outbox/rules/state-machine.js';
import { erasedBy } from '../outbox/seal/excerpt.js';
import { keyIdOf } from '../outbox/seal/standard-seal.js';
import { type DestinationState, pausesOf, type ReceiptLog } from '../outbox/store/store.js';
import { isShown, type OperatorContext } from './context.js';
import type { DecisionRecord } from './decision-log.js';
import { type ReportSummary, type ShownProblem, shownProblem, shownText, summaryOf } from './reports.js';
import { type ShownPause, shownPauses } from './resume.js';

/** A null is a fact that it does not have. */
export interface ReportDetails extends ReportSummary {
  readonly means: string;
  readonly waitsFor: string | null;
  /** It may be sent from then on. */
  readonly dueAt: number | null;
  readonly outcome: 'recorded' | 'already-recorded' | 'accepted' | null;
  readonly message: string | null;
  readonly requestId: string | null;
  readonly fingerprint: string;
  readonly body: {
    readonly kept: boolean;
    readonly keyId: string | null;
    readonly erased: Pick<DecisionRecord, 'at' | 'who' | 'reason'> | null;
  };
  /** The settled report of an initiated one, or the other way round. */
  readonly sibling: ReportSummary | null;
  readonly timeline: readonly TimelineEvent[];
  readonly actions: readonly OfferedAction[];
}

/**
 * An event of a report. The store keeps the problem of the latest attempt, and each decision with the problem before
 * it: storing every attempt would slow down all reports.
 */
export type TimelineEvent =
  | { readonly kind: 'enqueued'; readonly at: number }
  /** The latest failed attempt, or the last one before a decision. `at`: null where the time is not stored. */
  | { readonly kind: 'attempt'; readonly at: number | null; readonly problem: ShownProblem }
  /** `until`: the time from which another worker may claim it. */
  | { readonly kind: 'in-flight'; readonly at: number; readonly until: number }
  | { readonly kind: 'doubt'; readonly at: number | null }
  /** A present pause. Earlier ones are not stored. */
  | { readonly kind: 'paused'; readonly at: number; readonly pause: ShownPause }
  /** `who` and `decision` are null if a program decided. */
  | {
      readonly kind: 'decided';
      readonly at: number;
      readonly action: Decision['action'];
      readonly who: string | null;
      readonly reason: string;
      readonly decision: string | null;
      readonly file: string | null;
      readonly undone: { readonly at: number; readonly who: string; readonly reason: string } | null;
    }
  | { readonly kind: 'quarantined'; readonly at: number }
  | {
      readonly kind: 'ended';
      readonly at: number;
      readonly state: 'recorded' | 'dismissed';
      readonly requestId: string | null;
    }
  /** Its line in the receipt log. Nulls: there is none yet, or it was not found near the time of the end. */
  | { readonly kind: 'receipt'; readonly at: number; readonly index: number | null; readonly hash: string | null };

export interface OfferedAction {
  /** `'replaced'` needs the new data, which only the command line and the program take. */
  readonly action: Decision['action'] | 'undo';
  /** The command line, with `"…"` in place of the reason. */
  readonly command: string;
  /** For `'undo'`: the decision to undo. It reopens, or quarantines again, all reports of that decision. */
  readonly decision: string | null;
  readonly warning: string | null;
}

/** Undefined if it does not exist, or its account is not shown. */
export async function findRow(context: OperatorContext, id: string): Promise<Row | undefined> {
  const [row] = await context.store.get([id]);
  return row && isShown(context, row.account) ? row : undefined;
}

export async function readDetails(context: OperatorContext, name: string): Promise<ReportDetails | undefined> {
  const { store, command } = context;
  const row = await findRow(context, name);
  if (!row) return undefined;
  const { id, state, blocked, body, waitsFor } = row;
  const sibling = (await relatedRows(store, row)).find((one) => one.id === waitsFor || one.waitsFor === id);
  const isOpen = !isFinal(state) && state !== 'quarantined';
  const pauses = isOpen ? pausesAbout(row, await store.outlook([row.account])) : [];
  const receipt = isFinal(state) ? await findReceipt(store.receipts, row) : undefined;
  return {
    ...summaryOf(row),
    means: meaningOf(row, pauses[0], context.clock.now()),
    waitsFor: blocked && waitsFor !== undefined ? shownName(waitsFor) : null,
    dueAt: state === 'waiting' && !blocked ? row.dueAt : null,
    outcome: row.outcome ?? null,
    message: shownText(row.message),
    requestId: shownText(row.requestId),
    fingerprint: printable(row.fingerprint),
    body: {
      kept: body !== undefined,
      keyId: shownText(body === undefined ? undefined : keyIdOf(body)),
      erased: await erasureOf(context, row),
    },
    sibling: sibling ? summaryOf(sibling) : null,
    timeline: [
      ...timelineOf(row),
      ...pauses.map((pause) => ({ kind: 'paused' as const, at: pause.since, pause })),
      ...(isFinal(state)
        ? [{ kind: 'receipt' as const, at: row.changedAt, index: receipt?.index ?? null, hash: receipt?.hash ?? null }]
        : []),
    ],
    actions: actionsOf(row, sibling, command),
  };
}

export async function erasureOf({ operator }: OperatorContext, row: Row): Promise<ReportDetails['body']['erased']> {
  const id = erasedBy(row);
  const kept = id === undefined ? undefined : await operator.decision(id);
  return kept ? { at: kept.at, who: printable(kept.who), reason: printable(kept.reason) } : null;
}

/** If it waits: the reason, and the event or the action that ends the wait. */
function meaningOf(row: Row, pause: ShownPause | undefined, now: number): string {
  const { state, blocked, dueAt, fence, problem } = row;
  if (state === 'recorded')
    return row.decisions.at(-1)?.action === 'recorded'
      ? 'A person decided that the gateway holds it.'
      : 'The gateway holds it.';
  if (state === 'dismissed') {
    const { reopened } = decisionsFor(row);
    return `A person decided that it is not sent. ${reopened === undefined ? 'To take that back, reopen it.' : `It cannot be reopened: ${reopened}.`}`;
  }
  if (state === 'quarantined') return 'It is not sent until a person decides.';
  if (state === 'in-flight')
    return dueAt > now
      ? 'A worker sends it. If that worker dies, another one takes it after the lease.'
      : 'Its worker has not finished within the lease. The next worker takes it: start one if none runs.';
  if (blocked)
    return 'It waits for its initiated report. It is sent once that one is recorded or dismissed. If that one is quarantined, decide about it.';
  if (pause)
    return `It waits, since ${pause.operation ?? pause.environment} is paused (${pause.reason}). ${pause.cause} ${pause.action}`;
  if (problem?.keyId !== undefined)
    return `It waits for the encryption key ${printable(problem.keyId)}. Add the key to encryption.keys of every process that sends, and restart it.`;
  // A report that was never claimed is due by any clock.
  if (dueAt > now && fence > 0) {
    const { count, unit } = inLargestUnit(dueAt - now);
    return `It waits for its next attempt, in ${count} ${unit}. The command retry sends it at once.`;
  }
  return 'It is due, and the next free worker sends it. If it stays due, the gateway does not answer (run check), or no running worker serves its account and its gateway (see stats, and start one).';
}

function timelineOf(row: Row): TimelineEvent[] {
  const { enqueuedAt, changedAt, dueAt, state, decisions, problem, inDoubt, requestId } = row;
  const events: TimelineEvent[] = [{ kind: 'enqueued', at: enqueuedAt }];
  const unsent = unsentSince(row);
  for (const [place, { action, reason, at, by, id, file = null, before, undone }] of decisions.entries()) {
    if (problem && place === unsent) events.push({ kind: 'attempt', at: null, problem: shownProblem(problem) });
    if (before?.problem) events.push({ kind: 'attempt', at: null, problem: shownProblem(before.problem) });
    events.push({
      kind: 'decided',
      at,
      action,
      who: shownText(by),
      reason: printable(reason),
      decision: id ?? null,
      file,
      undone: undone ? { at: undone.at, who: printable(undone.by), reason: printable(undone.reason) } : null,
    });
  }
  const last = decisions.at(-1);
  const isKept = last?.undone !== undefined && JSON.stringify(last.before?.problem) === JSON.stringify(problem);
  if (problem && !isKept && unsent === decisions.length)
    events.push({ kind: 'attempt', at: state === 'in-flight' ? null : changedAt, problem: shownProblem(problem) });
  if (inDoubt && state !== 'in-flight') events.push({ kind: 'doubt', at: null });
  if (state === 'in-flight') events.push({ kind: 'in-flight', at: changedAt, until: dueAt });
  if (state === 'quarantined') events.push({ kind: 'quarantined', at: changedAt });
  if (state === 'recorded' || state === 'dismissed')
    events.push({ kind: 'ended', at: changedAt, state, requestId: shownText(requestId) });
  return events;
}

/**
 * The index of the first of the latest decisions after which the report was not sent: the failed attempt was before it.
 * The number of decisions if there is none.
 */
function unsentSince({ state, decisions }: Row): number {
  if (state === 'waiting' || state === 'in-flight') return decisions.length;
  const sent = decisions.map(({ action }) => action === 'retry' || action === 'replaced');
  return sent.lastIndexOf(true) + 1;
}

const pausesAbout = (row: Row, outlooks: readonly DestinationState[]): ShownPause[] =>
  shownPauses(
    pausesOf(outlooks).filter((one) => keyOf(one) === keyOf(row) && (one.operation ?? row.operation) === row.operation),
  );

function actionsOf(row: Row, sibling: Row | undefined, command: string): OfferedAction[] {
  const name = quoted(shownName(row.id));
  const why = decisionsFor(row);
  const isSettlementSent = sibling?.waitsFor === row.id && mustStay(row, sibling);
  const { id: decision = null } = row.decisions.at(-1) ?? {};
  const freed =
    sibling?.waitsFor === row.id && sibling.blocked ? `Its settlement ${shownName(sibling.id)} is then sent.` : null;
  const lines: Readonly<Record<OfferedAction['action'], string>> = {
    retry: `retry ${name}`,
    recorded: `resolve ${name} --as recorded`,
    dismissed: `resolve ${name} --as dismissed`,
    reopened: `reopen ${name}`,
    replaced: `replace ${name} corrected.json`,
    undo: `reopen --decision ${decision}`,
  };
  return (Object.keys(lines) as OfferedAction['action'][])
    .filter((one) => why[one] === undefined && !isSettlementSent && (one !== 'undo' || decision !== null))
    .map((one) => ({
      action: one,
      command: `${command} ${lines[one]} --reason "…"`,
      decision: one === 'undo' ? decision : null,
      warning: one === 'dismissed' ? freed : null,
    }));
}

/** The line of a final row. Undefined if it was not found, or is not written yet. */
export async function findReceipt(log: ReceiptLog, row: Row): Promise<Partial<ReceiptEntry> | undefined> {
  const index = await createReceiptFinder(log)(row);
  const [line] = index === undefined ? [] : await log.read(index, 1);
  return line && parseEntry(line.line);
}
