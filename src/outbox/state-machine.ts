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
  /** Where the report stands. */
  readonly state: RowState;
  /** Counts the claims: who holds an older number writes nothing. */
  readonly fence: number;
  /** Attempts that count: those that a rate limit or a wrong key turned away do not. */
  readonly attempts: number;
  /** Whether an attempt may have landed. True from before the first byte leaves until an answer proves otherwise. */
  readonly inDoubt: boolean;
  /** `inDoubt` as it was before the attempt that is, or was last, in flight. */
  readonly doubtBefore: boolean;
}

/** One report in a store. Times are milliseconds since 1970 by the store's clock. */
export interface Row extends Progress {
  /** Account, environment, operation and reference: one row for each report. */
  readonly id: string;
  /** Given by the store, rising: the order of enqueueing. */
  readonly sequence: number;
  /** Whose report it is: the licence, as the option `account` names it. */
  readonly account: string;
  /** Where the report goes. */
  readonly environment: OutboxEnvironment;
  /** The called function, for example `'reportBetEvent'`. */
  readonly operation: OperationName;
  /** The report's `bet_id` or `request_id`. */
  readonly reference: string;
  /** The id of the row that must be final first, where there is one in the store. */
  readonly waitsFor: string | undefined;
  /** Whether that row is in the store and not final. A blocked row is never claimed. */
  readonly blocked: boolean;
  /** The bytes to send, sealed; undefined once they are no longer kept. */
  readonly body: string | undefined;
  /** Tells the same bytes from others, also once the body is gone. */
  readonly fingerprint: string;
  /** When it was enqueued: milliseconds since 1970. */
  readonly enqueuedAt: number;
  /** When it may be claimed: for a row in flight, when its lease ends. */
  readonly dueAt: number;
  /** When its state last changed. */
  readonly changedAt: number;
  /** How a recorded row came to be so; `'accepted'`: the outbox behind the relay has stored it, and delivers it. */
  readonly outcome: 'recorded' | 'already-recorded' | 'accepted' | undefined;
  /** The gateway's words when it recorded, with everything but known words masked. */
  readonly message: string | undefined;
  /** The id that the gateway gave to the request that it recorded, by which its operator finds it. */
  readonly requestId: string | undefined;
  /** Why the latest attempt did not end well. */
  readonly problem: Problem | undefined;
  /** What people decided about it, the oldest first. */
  readonly decisions: readonly Decision[];
  /** The names of the parts that the store could not read. A damaged row is never sent: its worker quarantines it. */
  readonly damage?: string;
}

/** What a row becomes: its whole new progress, and what a store writes beside it. */
export interface Change extends Progress {
  /** Milliseconds from now, by the store's clock, until it may be claimed. */
  readonly delayMs: number;
  /** How a row that becomes recorded came to be so; else undefined. */
  readonly outcome: Row['outcome'];
  /** The gateway's words when it recorded, with everything but known words masked. */
  readonly message: string | undefined;
  /** The id that the gateway gave to the request that it recorded, by which its operator finds it. */
  readonly requestId: string | undefined;
  /** Why the latest attempt did not end well. */
  readonly problem: Problem | undefined;
  /** What people decided about it, the oldest first. */
  readonly decisions: readonly Decision[];
  /** Whether the store keeps the body; once it is gone only the fingerprint remains. */
  readonly keepBody: boolean;
}

/** How an attempt ended that did not end well. */
export interface Failed {
  /** `'same'`, `'conflict'`: the gateway holds this data, or other data; `'refused'`: any other 4xx; `'failed'`: it may pass. */
  readonly kind: 'same' | 'conflict' | 'not-found' | 'refused' | 'failed';
  /** What this attempt alone tells. All but `'unknown'` proves that it recorded nothing. */
  readonly outcome: ErrorOutcome;
  /** Why this attempt did not end well. */
  readonly problem: Problem;
  /** Why nothing more should be sent to this environment for now; such an attempt does not count. */
  readonly pause?: PauseReason;
  /** True where the answer is not the gateway's own, such as a proxy's page, and condemns nothing: a strike for its operation's breaker. */
  readonly foreign?: true;
  /** How long the gateway asks to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** False where nothing was even tried. */
  readonly counts?: false;
}

/** How an attempt ended. */
export type Ending =
  | { readonly kind: 'recorded'; readonly message: string | undefined; readonly requestId?: string | undefined; readonly outcome?: Row['outcome'] }
  | Failed;

/** What else decides about the end of an attempt. */
export interface EndingContext {
  /** How long a row waits between attempts. */
  readonly schedule: BackoffSettings;
  readonly random: () => number;
  readonly keepBodies: boolean;
  /** The row that this one waits for, as it is now: not in the outbox, not final, or final. */
  readonly dependency: 'none' | 'open' | 'final';
}

/** No wait is longer. A time further ahead is the mark of a clock that jumped, and stores take it as past. */
export const LONGEST_WAIT_MS = 24 * 60 * 60 * 1000;

/** Whether nothing more can happen to a row. */
export const isFinal = (state: RowState): boolean => state === 'recorded' || state === 'dismissed';

/** Whether a row may be claimed: a waiting one when its time has come, one in flight when its lease is over. */
export const isClaimable = ({ state, blocked, dueAt }: Pick<Row, 'state' | 'blocked' | 'dueAt'>, now: number): boolean =>
  (state === 'in-flight' || (state === 'waiting' && !blocked)) && (dueAt <= now || dueAt > now + LONGEST_WAIT_MS);

/** Whether a row has to wait for the one before it, as that is in the store. */
export const isBlocked = ({ state }: Pick<Row, 'state'>, before: Pick<Row, 'state'> | undefined): boolean =>
  state === 'waiting' && before !== undefined && !isFinal(before.state);

/** Whether a row is still as it was when a change of it was decided: else the change comes too late. */
export const isAsExpected = ({ state, fence }: Pick<Row, 'state' | 'fence'>, expected: Pick<Row, 'state' | 'fence'>): boolean =>
  state === expected.state && fence === expected.fence;

/**
 * A claim. In doubt from here on: whoever finds the row later cannot know whether this attempt landed. Counts as an
 * attempt until it ends otherwise, so that one which takes its worker down is seen.
 */
export const claimed = (row: Progress): Progress => ({
  state: 'in-flight',
  fence: oneMore(row.fence),
  attempts: oneMore(row.attempts),
  inDoubt: true,
  doubtBefore: row.inDoubt,
});

/** What the end of an attempt makes of a row that was claimed for it. */
export function ended(row: Progress & Pick<Row, 'decisions' | 'problem'>, ending: Ending, context: EndingContext): Change {
  if (ending.kind === 'recorded') return recorded(row, ending.outcome ?? 'recorded', context.keepBodies, ending);
  const { kind, outcome, problem } = ending;
  // A duplicate is this report only if an attempt before this one may have landed; else somebody else's.
  if (kind === 'same' && row.doubtBefore) return recorded(row, 'already-recorded', context.keepBodies, { requestId: problem.requestId });

  // An attempt that recorded nothing leaves the doubt as it found it: an earlier one may have landed.
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
    // A 404 from before stays the first of two, where this attempt was given back unsent.
    problem: ending.counts === false && problem.code === 'aborted' && row.problem?.code === 'not-found' ? row.problem : problem,
    decisions: row.decisions,
    keepBody: true,
  };
}

/**
 * Whether a 404 may only mean that the gateway did not hold the initiated report yet. It may have been recorded while
 * this one was on its way: then only a second 404 in a row tells, since a row is not sent while what it waits for is open.
 */
const mayBeEarly = ({ problem }: Pick<Row, 'problem'>, { dependency }: EndingContext): boolean =>
  dependency === 'open' || (dependency === 'final' && problem?.code !== 'not-found');

/** The longest wait of a report that a pause turned away, where the gateway asks for no longer one. */
const TURNED_AWAY_CAP_MS = 60_000;
/**
 * An attempt that a pause turned away does not count, so such a report waits by the number of its claims: one report that is
 * always turned away does not hold up the others.
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

/** What a person's decision makes of a row; a text says why it cannot. */
export function decided(row: Row, decision: Decision, keepBodies: boolean): Change | string {
  const { state, fence, attempts, inDoubt, doubtBefore, problem } = row;
  const decisions = [...row.decisions, decision];
  const before = { fence, attempts, inDoubt, doubtBefore, delayMs: 0, outcome: undefined, message: undefined, requestId: undefined, decisions };
  if (decision.action === 'retry') {
    if (state !== 'quarantined' && state !== 'waiting') return `it is ${state}; only a quarantined or waiting report can be tried again`;
    // The doubt stays: the next answer is read as if the person had not looked. The problem goes: a 404 from before is not the first of two.
    const kept = state === 'quarantined' ? [...row.decisions, { ...decision, before: { fence, ...(problem && { problem }) } }] : decisions;
    return { ...before, decisions: kept, state: 'waiting', problem: undefined, keepBody: true };
  }
  // A key that is lost for ever keeps its reports waiting: only a person can end that.
  const isLocked = state === 'waiting' && problem?.code === 'configuration';
  if (state !== 'quarantined' && !isLocked) return `it is ${state}; only a quarantined report, or one whose key is missing, can be resolved`;
  if (decision.action === 'recorded') return { ...recorded(row, 'already-recorded', keepBodies), decisions };
  return { ...before, state: 'dismissed', problem, keepBody: keepBodies };
}
