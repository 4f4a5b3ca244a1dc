import type { Recorded } from '../../core/delivery/channel.js';
import type { ErrorCode, ErrorOutcome } from '../../core/errors/errors.js';
import { type BackoffSettings, backoffMs } from '../../core/platform/time.js';
import type { OperationName } from '../../core/protocol/operations.js';
import type { OutboxEnvironment, PauseReason } from './destination.js';

/**
 * The state of a report. `'waiting'`: it waits for its next attempt. `'in-flight'`: a worker has it. `'recorded'`: the
 * gateway holds it. `'quarantined'`: it needs a person. `'dismissed'`: a person decided that it is never sent.
 * `'recorded'` and `'dismissed'` are final.
 */
export type RowState = 'waiting' | 'in-flight' | 'recorded' | 'quarantined' | 'dismissed';

export const ROW_STATES: readonly RowState[] = ['waiting', 'in-flight', 'recorded', 'quarantined', 'dismissed'];

/** The state as an operator sees it. `'blocked'`: it waits for another report. */
export type ShownState = RowState | 'blocked';

export const SHOWN_STATES = [
  'waiting',
  'blocked',
  'in-flight',
  'quarantined',
  'recorded',
  'dismissed',
] as const satisfies readonly ShownState[];

/**
 * A stable name of the kind of failure: the code of an error, `'conflict'` if the gateway holds other data than this
 * report's, or `'damaged'` for a damaged stored row.
 */
export type ProblemCode = ErrorCode | 'conflict' | 'damaged';

/** The problem of the latest attempt, without secrets and personal data. */
export interface Problem {
  /** A stable name of the kind of failure, to branch on. */
  readonly code: ProblemCode;
  /** The problem in a sentence, without secrets and personal data. */
  readonly message: string;
  /** The id of the missing key, if the report could not be opened without it. */
  readonly keyId?: string;
  /** The HTTP status of the answer. */
  readonly status?: number;
  /** Present if an earlier answer to the report may mean that the gateway holds one under its reference. */
  readonly mayBeHeld?: true;
  /** Present if the gateway refused the report, and a pause keeps it from quarantine: it waits, and may need a person. */
  readonly postponed?: true;
  /** The id that the gateway gave to the request, with which its support finds it. */
  readonly requestId?: string;
  /** The answer of the gateway as JSON: known words and an HTTP status, like its message. All else is masked. */
  readonly details?: unknown;
}

/** The most characters of a reason: each line of the receipt log contains those of its report. */
export const LONGEST_REASON = 2_000;

/** The decision of a person about a row, and its reason. */
export interface Decision {
  /**
   * The action that was decided. `'reopened'`: a dismissed report is as it was before its dismissal. `'replaced'`:
   * other data is sent under its reference.
   */
  readonly action: 'retry' | 'recorded' | 'dismissed' | 'reopened' | 'replaced';
  /** The reason, in the words of the person who decided. */
  readonly reason: string;
  /** The time, in milliseconds since 1970, by the clock of the process that decided. */
  readonly at: number;
  /** The person who decided, if known. */
  readonly by?: string;
  /** The id of the decision about many reports that this is a part of. Each of those changes a row once. */
  readonly id?: string;
  /** Of a decision about a file: the SHA-256 of the file, in hexadecimal digits. */
  readonly file?: string;
  /** For `'replaced'`: the fingerprint of the data before. */
  readonly fingerprint?: string;
  /** The row before a retry or a replacement, or before a dismissal with its report. A retry can be undone. */
  readonly before?: {
    /** Its fence. A higher one means that a worker has claimed the row since. */
    readonly fence: number;
    /** Its problem. */
    readonly problem?: Problem | undefined;
  };
  /** Present if the retry was undone before the report was sent. */
  readonly undone?: Required<Pick<Decision, 'reason' | 'at' | 'by'>>;
}

/** The length at which the words of a group are cut: they are part of a database index. */
export const MOST_WORDS = 400;

/** Counters end here, so that a damaged one stays in the range of its column. */
export const LARGEST_COUNT = 1_000_000_000;

export const oneMore = (count: number): number => Math.min(count + 1, LARGEST_COUNT);

/** The part of a row that its state machine reads and writes. */
export interface Progress {
  /** The state of the report. */
  readonly state: RowState;
  /** The number of claims. A write with an older number is not made. */
  readonly fence: number;
  /** The number of attempts, without those that ended in a pause, for example after a rate limit or a wrong key. */
  readonly attempts: number;
  /**
   * Whether the gateway may have recorded an attempt. True from before the first byte is sent until an answer proves
   * otherwise.
   */
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
  /** The keyed fingerprint of the bytes: it identifies them, also after the body was deleted. */
  readonly fingerprint: string;
  /** A sealed excerpt of the body that outlives it, or the mark of its erasure. See `excerpt.ts`. */
  readonly excerpt: string | undefined;
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
  /** The problem of the latest attempt. A refusal outlives attempts that the gateway did not process. */
  readonly problem: Problem | undefined;
  /** The decisions of people about the report, the oldest first. */
  readonly decisions: readonly Decision[];
  /** The names of the parts that the store could not read. A damaged row is never sent: a worker quarantines it. */
  readonly damage?: string;
}

/** A change of a row: all values that a store writes. */
export interface Change extends Progress, Pick<Row, 'outcome' | 'message' | 'requestId' | 'problem' | 'decisions'> {
  /** Milliseconds from now, by the store's clock, until it may be claimed. */
  readonly delayMs: number;
  /** Whether the store keeps the body. Otherwise only the fingerprint remains. */
  readonly keepBody: boolean;
  /** The sealed bytes that take the place of the stored ones. */
  readonly replacement?:
    | (Pick<Row, 'fingerprint'> & { readonly body: string; readonly excerpt?: string | undefined })
    | undefined;
}

/**
 * A change that is made only if the row still has the expected state and fence. A final row is only changed once it has
 * its line in the receipt log, and not while `mustStay` holds for the row after it.
 */
export interface Write {
  readonly id: string;
  readonly expected: Pick<Row, 'state' | 'fence'>;
  readonly change: Change;
}

/** The write of a change that is made only if the row is still as it was read. */
export const writeOf = ({ id, sequence, state, fence }: Row, change: Change): Write & Pick<Row, 'sequence'> => ({
  id,
  sequence,
  expected: { state, fence },
  change,
});

/** The end of an attempt that did not record the report. */
export interface Failed {
  /**
   * `'same'`: the gateway holds this data. `'refused'`: it holds other data, or any other 4xx. `'failed'`: a transient
   * failure.
   */
  readonly kind: 'same' | 'not-found' | 'refused' | 'failed';
  /** The outcome of this attempt alone. Every value except `'unknown'` proves that it recorded nothing. */
  readonly outcome: ErrorOutcome;
  readonly problem: Problem;
  /** The reason to pause the environment. The attempt is not counted. */
  readonly pause?: PauseReason;
  /** Another server answered, for example a proxy. The report is not quarantined, and the breaker counts a strike. */
  readonly foreign?: true;
  /** The wait that the gateway asks for, in milliseconds. */
  readonly retryAfterMs?: number;
  /** False if nothing was sent. The attempt is not counted. */
  readonly counts?: false;
}

/** The end of an attempt: the result itself if it recorded the report. */
export type Ending = Recorded | Failed;

export interface EndingContext {
  /** The waits between attempts. */
  readonly retry: BackoffSettings;
  readonly random: () => number;
  readonly keepBodies: boolean;
  /** The state of the row that this one waits for: not in the outbox, not final, or final. */
  readonly dependency: 'none' | 'open' | 'final';
}

/** The longest wait. Stores read a later time as a jump of the clock, and so as due. */
export const LONGEST_WAIT_MS = 24 * 60 * 60 * 1000;

/** Whether a row is sent no more. A person may reopen a dismissed row. */
export const isFinal = (state: RowState): boolean => state === 'recorded' || state === 'dismissed';

/**
 * Whether a row may be claimed: a waiting row that is due, or a row in flight whose lease is over. A row that was never
 * claimed is due at once, since the clock may have been ahead when it was enqueued.
 */
export const isClaimable = (
  { state, blocked, dueAt, fence }: Pick<Row, 'state' | 'blocked' | 'dueAt' | 'fence'>,
  now: number,
): boolean =>
  (state === 'in-flight' || (state === 'waiting' && !blocked)) &&
  (fence === 0 || dueAt <= now || dueAt > now + LONGEST_WAIT_MS);

/** Whether a row was refused and waits. */
export const isPostponed = ({ state, blocked, problem }: Pick<Row, 'state' | 'blocked' | 'problem'>): boolean =>
  state === 'waiting' && !blocked && problem?.postponed === true;

/** Whether the rows after a row wait for it. */
export const isOpen = (row: Pick<Row, 'state'> | undefined): boolean => row !== undefined && !isFinal(row.state);

/** Whether a row must wait for an earlier row of the store. */
export const isBlocked = ({ state }: Pick<Row, 'state'>, before: Pick<Row, 'state'> | undefined): boolean =>
  state === 'waiting' && isOpen(before);

/**
 * Whether a final row must stay so, since the row after it is in flight: a slow worker may send that at any time, also
 * after the end of the lease.
 */
export const mustStay = (expected: Pick<Row, 'state'>, after: Pick<Row, 'state'> | undefined): boolean =>
  isFinal(expected.state) && after?.state === 'in-flight';

export const isAsExpected = (
  { state, fence }: Pick<Row, 'state' | 'fence'>,
  expected: Pick<Row, 'state' | 'fence'>,
): boolean => state === expected.state && fence === expected.fence;

/**
 * The progress of a claimed row. It is in doubt at once: if this worker dies, the next one cannot tell whether the
 * report was recorded. Its attempt counts at once, so that an attempt which crashes its worker is counted.
 */
export const claimed = (row: Progress): Progress => ({
  state: 'in-flight',
  fence: oneMore(row.fence),
  attempts: oneMore(row.attempts),
  inDoubt: true,
  doubtBefore: row.inDoubt,
});

/**
 * The change of a row whose lease is over while the row that it waits for is open: that one was enqueued after the
 * claim. It waits, in doubt. The fence rises as at a claim, since the worker may only be slow.
 */
export const takenFromWorker = (row: Row): Write => ({
  id: row.id,
  expected: row,
  change: { ...unchanged(row), state: 'waiting', fence: oneMore(row.fence) },
});

/** The change of a claimed row after its attempt. */
export function ended(
  row: Progress & Pick<Row, 'decisions' | 'problem'>,
  ending: Ending,
  context: EndingContext,
): Change {
  if (ending.kind === 'recorded') return recorded(row, ending.outcome, context.keepBodies, ending);
  const { kind, outcome, problem } = ending;
  // A duplicate is this report only if an earlier attempt may have been recorded. Otherwise another sender reported it.
  if (kind === 'same' && row.doubtBefore)
    return recorded(row, 'already-recorded', context.keepBodies, { requestId: problem.requestId });

  // An attempt that recorded nothing restores the earlier doubt: an earlier attempt may have been recorded.
  const inDoubt = outcome === 'unknown' || row.doubtBefore;
  // An attempt that was turned away or given back leaves a refusal, and an earlier 404 as the first of two. A pause has
  // its own words; a missing key has only its report.
  const isTurnedAway = kind === 'failed' && outcome !== 'unknown' && !problem.postponed && !problem.keyId;
  const isKept = isTurnedAway && (row.problem?.postponed || row.problem?.code === 'not-found');
  const waits = kind === 'failed' || (kind === 'not-found' && mayBeEarly(row, context));
  return {
    ...unchanged(row),
    state: waits ? 'waiting' : 'quarantined',
    attempts: ending.pause || ending.counts === false ? row.attempts - 1 : row.attempts,
    inDoubt,
    delayMs: waits ? waitMs(row, ending, context) : 0,
    problem: isKept ? row.problem : afterProblem(row.problem, problem),
  };
}

/** The next problem of a report. The sign of a repeat stays. */
const afterProblem = (earlier: Problem | undefined, problem: Problem): Problem =>
  mayBeRepeat(earlier) ? { ...problem, mayBeHeld: true } : problem;

/**
 * Whether a 404 may mean that the gateway did not hold the initiated report yet: that one may have been recorded during
 * this attempt. So only a second 404 in a row is final.
 */
const mayBeEarly = ({ problem }: Pick<Row, 'problem'>, { dependency }: EndingContext): boolean =>
  dependency === 'open' || (dependency === 'final' && problem?.code !== 'not-found');

/** The longest wait of a report whose attempt ended in a pause. */
const PAUSED_CAP_MS = 60_000;
/**
 * The longest wait during an outage: the first attempt after it comes within ten seconds. A probe is one report, however
 * many workers there are.
 */
export const OUTAGE_CAP_MS = 8_000;

export const isOutage = (reason: PauseReason | undefined): boolean =>
  reason === 'unavailable' || reason === 'unreachable';

/**
 * An attempt that ended in a pause is not counted, so its wait follows the number of claims: a report whose attempts
 * always end in a pause does not delay the others. Only the pause lasts as long as the gateway asks, so that a person
 * who ends it makes its reports due.
 */
function waitMs(
  { attempts, fence }: Pick<Row, 'attempts' | 'fence'>,
  { pause, retryAfterMs = 0 }: Failed,
  { retry: { baseMs, capMs }, random }: EndingContext,
): number {
  const longestMs = isOutage(pause) ? OUTAGE_CAP_MS : PAUSED_CAP_MS;
  if (pause) return backoffMs(fence, { baseMs, capMs: Math.min(capMs, longestMs) }, random);
  return Math.min(LONGEST_WAIT_MS, Math.max(backoffMs(attempts, { baseMs, capMs }, random), retryAfterMs));
}

export const recorded = (
  row: Progress & Pick<Row, 'decisions' | 'problem'>,
  outcome: Row['outcome'],
  keepBody: boolean,
  { message, requestId }: Partial<Pick<Row, 'message' | 'requestId'>> = {},
): Change => ({
  ...unchanged(row),
  state: 'recorded',
  inDoubt: false,
  outcome,
  message,
  requestId,
  problem: undefined,
  keepBody,
});

/** The change that leaves a row as it is and makes it due at once. */
export const unchanged = ({
  state,
  fence,
  attempts,
  inDoubt,
  doubtBefore,
  problem,
  decisions,
}: Progress & Pick<Row, 'problem' | 'decisions'>): Change => ({
  state,
  fence,
  attempts,
  inDoubt,
  doubtBefore,
  delayMs: 0,
  outcome: undefined,
  message: undefined,
  requestId: undefined,
  problem,
  decisions,
  keepBody: true,
});

export const REFUSED: readonly ProblemCode[] = ['unprocessable', 'bad-request', 'validation', 'not-found'];

const REPEAT =
  /duplicat|already|exists|repeat|replay|conflict|unique|twice|taken|in use|previously|\b(?:is|was|been) (?:reported|recorded|submitted|settled)\b/i;
/** A text that is cut, or too long to be shown: the rest may say anything. */
const UNSEEN = /…"|too long to show/;

/** Whether an answer may mean that the gateway holds a report under the reference. A 409 may with any words. */
export function mayBeRepeat(problem: Problem | undefined): boolean {
  if (problem?.mayBeHeld) return true;
  if (!problem) return false;
  const { code, status, message, details } = problem;
  if (code === 'duplicate' || code === 'conflict') return true;
  if (!REFUSED.includes(code)) return false;
  // A message begins with the name of its report and a colon.
  const words = message.slice(message.indexOf(': ') + 2);
  const answer = JSON.stringify(details) ?? words;
  return status === 409 || REPEAT.test(`${words} ${answer}`) || UNSEEN.test(answer);
}

/** The row after a change. The caller sets the times that follow from it. */
export const changedRow = (row: Row, { delayMs: _, keepBody, replacement, ...progress }: Change): Row => ({
  ...row,
  ...progress,
  ...bytesAfter(row, { keepBody, replacement }),
});

/** The bytes after a change. With replaced data, a row has its earlier place in the queue. */
export const bytesAfter = (
  { body, fingerprint, excerpt, enqueuedAt }: Pick<Row, 'body' | 'fingerprint' | 'excerpt' | 'enqueuedAt'>,
  { keepBody, replacement }: Pick<Change, 'keepBody' | 'replacement'>,
): Pick<Row, 'body' | 'fingerprint' | 'excerpt'> & Partial<Pick<Row, 'dueAt'>> =>
  replacement
    ? { excerpt: undefined, dueAt: enqueuedAt, ...replacement }
    : { body: keepBody ? body : undefined, fingerprint, excerpt };
