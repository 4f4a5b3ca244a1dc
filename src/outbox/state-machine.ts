import type { ErrorOutcome } from '../errors/errors.js';
import { type BackoffSettings, backoffMs } from '../platform/backoff.js';
import type { OperationName } from '../protocol/operations.js';
import { oneMore } from './counts.js';
import type { OutboxEnvironment, PauseReason } from './destination.js';
import type { Decision, Problem } from './problem.js';

import type { RowState } from './row-state.js';

export type { Decision, Problem, ProblemCode } from './problem.js';
export type { RowState };

/** The part of a row that its state machine reads and writes. */
export interface Progress {
  /** The state of the report. */
  readonly state: RowState;
  /** The number of claims. A write with an older number is not made. */
  readonly fence: number;
  /** The number of attempts, without those that ended in a pause, for example after a rate limit or a wrong key. */
  readonly attempts: number;
  /** Whether the gateway may have recorded an attempt. True from before the first byte is sent until an answer proves otherwise. */
  readonly inDoubt: boolean;
  /** `inDoubt` before the latest attempt. */
  readonly doubtBefore: boolean;
}

/** One report in a store. Times are milliseconds since 1970 by the store's clock. */
export interface Row extends Progress {
  /** Account, environment, operation and reference, with colons between them. Each report has one row. */
  readonly id: string;
  /** A rising number from the store: the order of enqueueing. */
  readonly sequence: number;
  /** The account of the report: the licence, as the option `account` names it. */
  readonly account: string;
  /** The environment to which the report goes. */
  readonly environment: OutboxEnvironment;
  /** The called function, for example `'reportBetEvent'`. */
  readonly operation: OperationName;
  /** The report's `bet_id` or `request_id`. */
  readonly reference: string;
  /** The id of the row that must be final first, if that row is in the store. */
  readonly waitsFor: string | undefined;
  /** Whether that row is in the store and not final. A blocked row is never claimed. */
  readonly blocked: boolean;
  /** The sealed bytes to send. Undefined once they are deleted. */
  readonly body: string | undefined;
  /** Identifies the bytes, also after the body was deleted. */
  readonly fingerprint: string;
  /** The time of enqueueing. */
  readonly enqueuedAt: number;
  /** The time from which it may be claimed. For a row in flight: the end of its lease. */
  readonly dueAt: number;
  /** The time of the last change of its state. */
  readonly changedAt: number;
  /** The result of a recorded row. `'accepted'`: the outbox behind the relay has stored it, and delivers it. */
  readonly outcome: 'recorded' | 'already-recorded' | 'accepted' | undefined;
  /** The message of the gateway when it recorded the report. All words except known ones are masked. */
  readonly message: string | undefined;
  /** The id that the gateway gave to the recorded request, with which its support finds it. */
  readonly requestId: string | undefined;
  /** The problem of the latest attempt. */
  readonly problem: Problem | undefined;
  /** The decisions of people about the report, the oldest first. */
  readonly decisions: readonly Decision[];
  /** The names of the parts that the store could not read. A damaged row is never sent: a worker quarantines it. */
  readonly damage?: string;
}

/** A change of a row: its complete new progress, and the other values that a store writes. */
export interface Change extends Progress {
  /** Milliseconds from now, by the store's clock, until it may be claimed. */
  readonly delayMs: number;
  /** The result, if the row becomes recorded. Otherwise undefined. */
  readonly outcome: Row['outcome'];
  /** The message of the gateway when it recorded the report. All words except known ones are masked. */
  readonly message: string | undefined;
  /** The id that the gateway gave to the recorded request, with which its support finds it. */
  readonly requestId: string | undefined;
  /** The problem of the latest attempt. */
  readonly problem: Problem | undefined;
  /** The decisions of people about the report, the oldest first. */
  readonly decisions: readonly Decision[];
  /** Whether the store keeps the body. Otherwise only the fingerprint remains. */
  readonly keepBody: boolean;
}

/** The end of an attempt that did not record the report. */
export interface Failed {
  /** `'same'`: the gateway holds this data. `'conflict'`: it holds other data. `'refused'`: any other 4xx. `'failed'`: a transient failure. */
  readonly kind: 'same' | 'conflict' | 'not-found' | 'refused' | 'failed';
  /** The outcome of this attempt alone. Every value except `'unknown'` proves that it recorded nothing. */
  readonly outcome: ErrorOutcome;
  /** The problem of this attempt. */
  readonly problem: Problem;
  /** The reason to pause the environment. The attempt is not counted. */
  readonly pause?: PauseReason;
  /** True if another server answered, for example a proxy. The report is not quarantined, and the breaker counts a strike. */
  readonly foreign?: true;
  /** The wait that the gateway asks for, in milliseconds. */
  readonly retryAfterMs?: number;
  /** False if nothing was sent. The attempt is not counted. */
  readonly counts?: false;
}

/** How an attempt ended. */
export type Ending =
  | { readonly kind: 'recorded'; readonly message: string | undefined; readonly requestId?: string | undefined; readonly outcome?: Row['outcome'] }
  | Failed;

/** The settings and the related row that decide about the end of an attempt. */
export interface EndingContext {
  /** The waits between attempts. */
  readonly schedule: BackoffSettings;
  readonly random: () => number;
  readonly keepBodies: boolean;
  /** The state of the row that this one waits for: not in the outbox, not final, or final. */
  readonly dependency: 'none' | 'open' | 'final';
}

/** The longest wait. Stores read a later time as a jump of the clock, and so as past. */
export const LONGEST_WAIT_MS = 24 * 60 * 60 * 1000;

/** Whether a row can no longer change. */
export const isFinal = (state: RowState): boolean => state === 'recorded' || state === 'dismissed';

/**
 * Whether a row may be claimed: a waiting row that is due, or a row in flight whose lease is over. A row that was never claimed is
 * due at once, since the clock may have been ahead when it was enqueued.
 */
export const isClaimable = ({ state, blocked, dueAt, fence }: Pick<Row, 'state' | 'blocked' | 'dueAt' | 'fence'>, now: number): boolean =>
  (state === 'in-flight' || (state === 'waiting' && !blocked)) && (fence === 0 || dueAt <= now || dueAt > now + LONGEST_WAIT_MS);

/** Whether a row must wait for an earlier row of the store. */
export const isBlocked = ({ state }: Pick<Row, 'state'>, before: Pick<Row, 'state'> | undefined): boolean =>
  state === 'waiting' && before !== undefined && !isFinal(before.state);

/** Whether a row still has the state and fence for which a change was decided. Otherwise the change is too late. */
export const isAsExpected = ({ state, fence }: Pick<Row, 'state' | 'fence'>, expected: Pick<Row, 'state' | 'fence'>): boolean =>
  state === expected.state && fence === expected.fence;

/**
 * The progress of a claimed row. It is in doubt from now on: if this worker dies, the next one cannot tell whether the report was
 * recorded. It counts as an attempt from now on, so that an attempt that crashes its worker is counted.
 */
export const claimed = (row: Progress): Progress => ({
  state: 'in-flight',
  fence: oneMore(row.fence),
  attempts: oneMore(row.attempts),
  inDoubt: true,
  doubtBefore: row.inDoubt,
});

/** The change of a claimed row after its attempt. */
export function ended(row: Progress & Pick<Row, 'decisions' | 'problem'>, ending: Ending, context: EndingContext): Change {
  if (ending.kind === 'recorded') return recorded(row, ending.outcome ?? 'recorded', context.keepBodies, ending);
  const { kind, outcome, problem } = ending;
  // A duplicate is this report only if an earlier attempt may have been recorded. Otherwise another sender reported it.
  if (kind === 'same' && row.doubtBefore) return recorded(row, 'already-recorded', context.keepBodies, { requestId: problem.requestId });

  // An attempt that recorded nothing restores the earlier doubt: an earlier attempt may have been recorded.
  const inDoubt = outcome === 'unknown' || row.doubtBefore;
  const waits = kind === 'failed' || (kind === 'not-found' && mayBeEarly(row, context));
  return {
    state: waits ? 'waiting' : 'quarantined',
    fence: row.fence,
    attempts: ending.pause || ending.counts === false ? row.attempts - 1 : row.attempts,
    inDoubt,
    doubtBefore: row.doubtBefore,
    delayMs: waits ? waitMs(row, ending, context) : 0,
    outcome: undefined,
    message: undefined,
    requestId: undefined,
    // If this attempt was given back unsent, an earlier 404 still counts as the first of two.
    problem: ending.counts === false && problem.code === 'aborted' && row.problem?.code === 'not-found' ? row.problem : problem,
    decisions: row.decisions,
    keepBody: true,
  };
}

/**
 * Whether a 404 may mean that the gateway did not hold the initiated report yet. The initiated report may have been recorded
 * during this attempt. So only a second 404 in a row is final, since a row is not sent while the row that it waits for is open.
 */
const mayBeEarly = ({ problem }: Pick<Row, 'problem'>, { dependency }: EndingContext): boolean =>
  dependency === 'open' || (dependency === 'final' && problem?.code !== 'not-found');

/** The longest wait of a report whose attempt ended in a pause, unless the gateway asks for a longer one. */
const TURNED_AWAY_CAP_MS = 60_000;
/**
 * An attempt that ended in a pause is not counted, so the wait follows the number of claims. So one report whose attempts always
 * end in a pause does not delay the others.
 */
function waitMs({ attempts, fence }: Pick<Row, 'attempts' | 'fence'>, { pause, retryAfterMs = 0 }: Failed, { schedule, random }: EndingContext): number {
  const capMs = pause ? Math.min(schedule.capMs, TURNED_AWAY_CAP_MS) : schedule.capMs;
  const backoff = backoffMs(pause ? fence : attempts, { baseMs: schedule.baseMs, capMs }, random);
  return Math.min(LONGEST_WAIT_MS, Math.max(backoff, retryAfterMs));
}

const recorded = (
  row: Progress & Pick<Row, 'decisions'>,
  outcome: Row['outcome'],
  keepBody: boolean,
  { message, requestId }: Partial<Pick<Row, 'message' | 'requestId'>> = {},
): Change => ({
  state: 'recorded',
  fence: row.fence,
  attempts: row.attempts,
  inDoubt: false,
  doubtBefore: row.doubtBefore,
  delayMs: 0,
  outcome,
  message,
  requestId,
  problem: undefined,
  decisions: row.decisions,
  keepBody,
});

/** The change of a row by a person's decision. A text: the reason why the decision is refused. */
export function decided(row: Row, decision: Decision, keepBodies: boolean): Change | string {
  const { state, fence, attempts, inDoubt, doubtBefore, problem } = row;
  const decisions = [...row.decisions, decision];
  const before = { fence, attempts, inDoubt, doubtBefore, delayMs: 0, outcome: undefined, message: undefined, requestId: undefined, decisions };
  if (decision.action === 'retry') {
    if (state !== 'quarantined' && state !== 'waiting') return `it is ${state}; only a quarantined or waiting report can be tried again`;
    // The doubt stays, so that the next answer is read as before. The problem is removed, so that an earlier 404 no longer counts.
    const kept = state === 'quarantined' ? [...row.decisions, { ...decision, before: { fence, ...(problem && { problem }) } }] : decisions;
    return { ...before, decisions: kept, state: 'waiting', problem: undefined, keepBody: true };
  }
  // A report whose key is lost waits for ever unless a person resolves it.
  const isLocked = state === 'waiting' && problem?.code === 'configuration';
  if (state !== 'quarantined' && !isLocked) return `it is ${state}; only a quarantined report, or one whose key is missing, can be resolved`;
  if (decision.action === 'recorded') return { ...recorded(row, 'already-recorded', keepBodies), decisions };
  return { ...before, state: 'dismissed', problem, keepBody: keepBodies };
}
