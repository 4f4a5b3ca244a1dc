import { asRecord } from '../../core/platform/as-record.js';
import type { Refused } from '../../core/platform/refused.js';
import { operations } from '../../core/protocol/operations.js';
import {
  type Change,
  type Decision,
  mayBeRepeat,
  oneMore,
  type Problem,
  REFUSED,
  type Row,
  recorded,
  unchanged,
} from './state-machine.js';

export const isChange = (result: Change | Refused): result is Change => !('why' in result);

/** For each decision undefined, or why it would be wrong. `'undo'`: to take the latest decision back. */
type Decisions = Readonly<Record<Decision['action'] | 'undo', string | undefined>>;

/**
 * The decisions that a person may make about a report now. Outbox, command line and console ask this function, so that
 * none of them offers what another one refuses.
 */
export function decisionsFor(row: Row): Decisions {
  const resolved = whyNotResolve(row);
  return {
    retry: whyNotRetry(row),
    recorded: resolved ?? (isRefused(row) ? 'the gateway has refused it, and no attempt is in doubt' : undefined),
    dismissed: resolved,
    reopened: whyNotReopen(row),
    replaced: whyNotReplace(row),
    undo: whyNotUndo(row),
  };
}

const damageOf = ({ damage }: Row): string | undefined =>
  damage === undefined ? undefined : `its stored row is damaged (${damage})`;

function whyNotRetry(row: Row): string | undefined {
  const { state, blocked, waitsFor } = row;
  if (state !== 'quarantined' && state !== 'waiting')
    return `it is ${state}; only a quarantined or waiting report can be tried again`;
  if (blocked)
    return `it is blocked: it is sent once ${waitsFor ?? 'another report'} is recorded or dismissed; decide on that one`;
  return damageOf(row);
}

function whyNotResolve({ state, problem }: Row): string | undefined {
  // A report whose key is lost waits for ever unless a person resolves it.
  const isLocked = state === 'waiting' && problem?.code === 'configuration';
  return state === 'quarantined' || isLocked
    ? undefined
    : `it is ${state}; only a quarantined report, or one whose key is missing, can be resolved`;
}

/** Why a file that proves that the gateway holds a report does not make it recorded: it may also have been refused. */
function whyNotProven({ state }: Row): string | undefined {
  if (state === 'in-flight') return 'it is in flight: run the command again';
  if (state === 'dismissed') return 'it is dismissed: reopen it, and run the command again';
  return state === 'recorded' ? 'it is recorded already' : undefined;
}

function whyNotReopen(row: Row): string | undefined {
  const { state, body } = row;
  if (state !== 'dismissed') return `it is ${state}; only a dismissed report can be reopened`;
  const why = damageOf(row);
  if (why !== undefined || body !== undefined) return why;
  return `its data was deleted, so it cannot be sent${whyNotReplace(row) === undefined ? '; replace it with the data' : ''}`;
}

/** Other data may be sent under a reference only while it is certain that the gateway holds nothing under it. */
function whyNotReplace(row: Row): string | undefined {
  const { state, inDoubt } = row;
  if (state === 'recorded') return 'it is recorded with the data that was sent, and recorded is final';
  if (state === 'in-flight') return 'it is in flight: a worker may be sending it now';
  if (inDoubt) return 'it is in doubt: the gateway may hold the earlier data';
  if (problemsOf(row).some(mayBeRepeat)) return 'the gateway may hold a report under its reference';
  return (
    damageOf(row) ??
    (provesNothingHeld(row) || isUnprocessed(row)
      ? undefined
      : 'only a report that was never processed, or refused with 400 or 422, can be replaced')
  );
}

/**
 * Whether the gateway has processed no attempt of a waiting report that is not in doubt, or none since the latest
 * decision, before which it held nothing. An attempt that it did process leaves its refusal as the problem, or doubt.
 */
function isUnprocessed({ state, operation, attempts, problem, decisions }: Row): boolean {
  if (state !== 'waiting' || problem?.postponed) return false;
  const { action, before } = decisions.at(-1) ?? {};
  return attempts === 0 || action === 'replaced' || provesNothingHeld({ operation, problem: before?.problem });
}

const DECIDED_SINCE = 'another decision was made about it since';

function whyNotUndo(row: Row): string | undefined {
  const { state, fence, decisions } = row;
  const last = decisions.at(-1);
  if (last?.action === 'dismissed') return whyNotReopen(row);
  if (last?.action !== 'retry' || last.undone) return DECIDED_SINCE;
  if (!last.before) return 'it was not quarantined before';
  return state === 'waiting' && fence === last.before.fence
    ? undefined
    : 'a worker has claimed it since: it may have been sent';
}

/** Whether the gateway has refused a report, no attempt may have arrived, and no answer spoke of a repeat. */
const isRefused = (row: Row): boolean =>
  row.damage === undefined &&
  !row.inDoubt &&
  row.problem !== undefined &&
  REFUSED.includes(row.problem.code) &&
  !problemsOf(row).some(mayBeRepeat);

/** Whether a refusal concerns the data, or says that not even the initiated report is there. */
const provesNothingHeld = ({ operation, problem }: Pick<Row, 'operation' | 'problem'>): boolean =>
  problem?.code === 'unprocessable' ||
  problem?.code === 'validation' ||
  (problem?.code === 'bad-request' && problem.status === 400) ||
  (problem?.code === 'not-found' && asRecord(operations[operation]).after !== undefined);

/**
 * Whether the gateway has refused a waiting report: an open circuit breaker holds it back, and it would be refused again.
 * After a 404 its initiated report may be there now.
 */
export const isRefusedData = ({ state, problem }: Row): boolean =>
  state === 'waiting' && problem?.postponed === true && problem.code !== 'not-found';

/** The latest problem of a row, and those before each decision. */
const problemsOf = ({ problem, decisions }: Row): readonly (Problem | undefined)[] => [
  problem,
  ...decisions.map(({ before }) => before?.problem),
];

export function decided(row: Row, decision: Decision, keepBodies: boolean): Change | Refused {
  const { action } = decision;
  const why = action === 'recorded' && decision.file !== undefined ? whyNotProven(row) : decisionsFor(row)[action];
  if (why !== undefined) return { why };
  const { state, problem } = row;
  const decisions = [...row.decisions, decision];
  if (action === 'reopened') return reopened(row, decision);
  if (action === 'replaced') return { why: 'its new data is missing' };
  if (action === 'retry') {
    // The doubt stays, so that the next answer is read as before. The problem is removed, so that an earlier 404 no
    // longer counts, unless a waiting report would lose the sign of a repeat with it.
    const isQuarantined = state === 'quarantined';
    return {
      ...unchanged(row),
      state: 'waiting',
      problem: !isQuarantined && mayBeRepeat(problem) ? problem : undefined,
      decisions: isQuarantined ? [...row.decisions, { ...decision, before: beforeOf(row) }] : decisions,
    };
  }
  if (action === 'recorded') return { ...recorded(row, 'already-recorded', keepBodies), decisions };
  // The body stays, so that the report can be reopened.
  return { ...unchanged(row), state: 'dismissed', decisions };
}

const beforeOf = ({ fence, problem }: Row) => ({ fence, ...(problem && { problem }) });

export const DISMISSED_WITH_REPORT: Problem = {
  code: 'not-found',
  message: 'A person dismissed its initiated report. Dismiss this settlement, too, or retry it.',
};

/** The change of a settlement that is dismissed in the commit of its open initiated report. */
export const dismissedWithReport = (settlement: Row, decision: Decision): Change | Refused =>
  settlement.state === 'waiting'
    ? {
        ...unchanged(settlement),
        state: 'dismissed',
        problem: DISMISSED_WITH_REPORT,
        decisions: [...settlement.decisions, { ...decision, before: beforeOf(settlement) }],
      }
    : decided(settlement, decision, true);

/**
 * The change of a dismissed row that is reopened: it is as before its dismissal. The fence rises, so that a late
 * repetition of an earlier decision changes nothing. A settlement that was dismissed with its initiated report is
 * quarantined: nothing would block it, and a worker would send it.
 */
function reopened(row: Row, decision: Decision): Change | Refused {
  const { fence, problem, decisions } = row;
  const why = whyNotReopen(row);
  if (why !== undefined) return { why };
  return {
    ...unchanged(row),
    state: problem?.code === 'configuration' ? 'waiting' : 'quarantined',
    fence: oneMore(fence),
    decisions: [...decisions, decision],
  };
}

/** The change of a settlement that is reopened with its initiated report, which blocks it again. */
export function reopenedWithReport(row: Row, decision: Decision): Change | Refused {
  const change = reopened(row, { ...decision, action: 'reopened' });
  return isChange(change) && change.problem?.message === DISMISSED_WITH_REPORT.message
    ? { ...change, state: 'waiting', problem: undefined }
    : change;
}

/**
 * The change of a row that gets other data: it waits at its earlier place in the queue, before all reports that were
 * enqueued after it, and is sent as a new report. The fence rises, so that no late answer to the earlier data changes it.
 */
export function replaced(
  row: Row,
  decision: Decision,
  replacement: NonNullable<Change['replacement']>,
): Change | Refused {
  const why = whyNotReplace(row);
  if (why !== undefined) return { why };
  const { fence, fingerprint, decisions } = row;
  return {
    ...unchanged(row),
    state: 'waiting',
    fence: oneMore(fence),
    doubtBefore: false,
    problem: undefined,
    decisions: [...decisions, { ...decision, fingerprint, before: beforeOf(row) }],
    replacement,
  };
}

/** Whether one decision has dismissed a report and its settlement. Both are reopened together. */
export const wasDismissedWith = (settlement: Row, { id, state, decisions }: Row): boolean => {
  const decision = decisions.at(-1)?.id;
  return (
    state === 'dismissed' &&
    settlement.state === 'dismissed' &&
    settlement.waitsFor === id &&
    decision !== undefined &&
    settlement.decisions.at(-1)?.id === decision
  );
};

/**
 * The change of a row whose retry or dismissal is undone: a retried row is quarantined as before, and a dismissed one
 * is reopened. The fence rises, so that a late repetition of the decision changes nothing: it expects the old fence.
 */
export function undone(row: Row, of: string, by: NonNullable<Decision['undone']>, id?: string): Change | Refused {
  const { fence, decisions } = row;
  const last = decisions.at(-1);
  if (last?.id !== of) return { why: DECIDED_SINCE };
  if (last.action === 'dismissed') return reopened(row, { action: 'reopened', ...by, ...(id !== undefined && { id }) });
  const why = whyNotUndo(row);
  if (why !== undefined) return { why };
  return {
    ...unchanged(row),
    state: 'quarantined',
    fence: oneMore(fence),
    problem: last.before?.problem,
    decisions: [...decisions.slice(0, -1), { ...last, undone: by }],
  };
}
