import { operations } from '../protocol/operations.js';
import { isServed } from './claimants.js';
import { type Destination, type DestinationOperation, isBreaker, keyOf, partsOf } from './destination.js';
import { isForUntried, isProbeDue } from './pause.js';
import { type Change, type Ending, type EndingContext, isFinal, type Row } from './state-machine.js';
import type { Claimant, ClaimRequest, Outlook, Turn } from './store.js';
import { damageProblem } from './stored-row.js';

/** An attempt that ended, and what its row is to become. */
export interface Finished {
  readonly row: Row;
  readonly change: Change;
}

/** Where a worker stands when it plans. */
export interface Standing {
  /** The accounts whose reports it sends. */
  readonly accounts: readonly Claimant[];
  /** How many rows it has claimed and not yet written back. */
  readonly busy: number;
  /** How many of them it may send at once: the option, and one more for each probe under way. */
  readonly concurrency: number;
  /** How many those may be: the attempts under way, and what is claimed ahead of them. */
  readonly places: number;
  /** The operations of which it claims nothing, since their breaker is open. */
  readonly held: readonly DestinationOperation[];
  readonly leaseMs: number;
  readonly pollMs: number;
  /** Whether it claims nothing more. */
  readonly stopping: boolean;
}

/** What a worker did last. */
export interface Looked {
  /** Whether its last turn wrote or claimed anything. */
  readonly worked: boolean;
  /** When it last looked for due probes, by its own clock; NaN before the first look. */
  readonly lookedAt: number;
  readonly now: number;
}

/** What a worker does after a look. */
export interface IdlePlan {
  /** Destinations whose pause may be over: one report is sent to each, if nobody else takes the probe first. */
  readonly probes: readonly Outlook[];
  /** Milliseconds to sleep after that, unless something ends or is enqueued before. */
  readonly waitMs: number;
}

const LONGEST_FAILURE_WAIT_MS = 30_000;

/** Tries to change a pause that others change too. */
export const PAUSE_TRIES = 5;

/** How long a worker takes, beyond its time to stop, to write how attempts ended that were cut off, in milliseconds. */
export const STOP_MARGIN_MS = 1_000;

/** How long a turn waits for one more attempt to end, in milliseconds. */
export const GATHER_MS = 1;
const MOST_GATHERED = 128;

/** For how long a worker claims ahead of its attempts, in milliseconds. */
export const AHEAD_MS = 75;
const MOST_AHEAD = 128;

/**
 * How many rows a worker claims beyond those that it sends at once: as many as it sends in the next moment, so that the
 * next attempts need not wait for a commit, and none is held long. Where the gateway is slow, or nobody knows, none: a
 * row that is claimed is in doubt should the worker die, although nothing was sent.
 */
export const claimsAhead = (concurrency: number, tookMs: number | undefined): number =>
  tookMs !== undefined && tookMs > 0 ? Math.min(MOST_AHEAD, Math.floor((concurrency * AHEAD_MS) / tookMs)) : 0;

/**
 * Whether a turn waits for more attempts to end, as long as each moment brings one, so that their ends and the next
 * claims share a commit: what a commit costs is the wait for the disk. An end with nothing else on its way never waits.
 */
export const isGathering = (finished: number, { busy, places }: Pick<Standing, 'busy' | 'places'>): boolean =>
  finished > 0 && finished < busy && finished < Math.min(MOST_GATHERED, places * 0.75);

/** A turn: what ended is written, and as many rows are claimed as there is room for, or one as a probe, which needs no room. */
export function planTurn(finished: readonly Finished[], { accounts, busy, places, held, leaseMs, stopping }: Standing, probe?: Pick<Outlook, 'pause'>): Turn {
  const free = stopping ? 0 : probe ? 1 : places - (busy - finished.length);
  const still = accounts.map((one) => ({ ...one, busy: one.busy - finished.filter(({ row }) => row.account === one.account).length }));
  return {
    writes: finished.map(({ row, change }) => ({ id: row.id, expected: { state: 'in-flight', fence: row.fence }, change })),
    claim: free > 0 ? { accounts: still, limit: free, leaseMs, ...(probe ? asProbe(probe) : held.length > 0 && { without: held }) } : undefined,
  };
}

/** A destination is probed with any of its reports, and a breaker with one of its operation. */
function asProbe({ pause }: Pick<Outlook, 'pause'>): Pick<ClaimRequest, 'limit' | 'probe' | 'untriedFirst' | 'without'> {
  const { account } = pause;
  const { environment, operation } = partsOf(pause);
  const others = Object.values(operations).flatMap(({ name }) => (name === operation ? [] : [{ account, environment, operation: name }]));
  return { limit: 1, probe: { account, environment }, untriedFirst: isForUntried(pause), ...(operation && { without: others }) };
}

/** What a store tells of a destination or of a breaker. */
export const outlookOf = (outlooks: readonly Outlook[], row: Destination): Outlook | undefined => outlooks.find((one) => keyOf(one) === keyOf(row));

/**
 * Milliseconds until a worker looks for due probes. It looks now where it found nothing to do, and once per `pollMs` while a
 * backlog keeps it busy: the backlog of one destination or operation must not delay the probes of the others.
 */
export function lookInMs({ worked, lookedAt, now }: Looked, { busy, concurrency, pollMs, stopping }: Standing): number {
  if (stopping) return pollMs;
  if (!worked && busy < concurrency) return 0;
  const since = now - lookedAt;
  // Before the first look, and after the clock jumped back, it looks now.
  return since >= 0 && since < pollMs ? pollMs - since : 0;
}

/** The due probes, which need no room, and how long a worker sleeps that found nothing to do. */
export function lookAhead(outlooks: readonly Outlook[], { accounts, busy, concurrency, pollMs }: Standing): IdlePlan {
  const hasRoom = busy < concurrency;
  const probes: Outlook[] = [];
  let waitMs = pollMs;
  for (const outlook of outlooks) {
    const { pause } = outlook;
    // A breaker has no rows of its own, and is not probed while its whole destination is paused.
    const of = isBreaker(outlook) ? outlookOf(outlooks, { account: outlook.account, environment: partsOf(outlook).environment }) : outlook;
    if (of?.nextInMs === undefined || !isServed(of, accounts) || (of !== outlook && (pause.reason === undefined || of.pause.reason !== undefined))) continue;
    const { nextInMs } = of;
    // What is due now, and was not claimed, is of an operation whose breaker is open: its probe decides how long to wait.
    if (of === outlook && pause.reason === undefined && nextInMs <= 0 && isHeld(outlook, outlooks)) continue;
    const due = pause.reason === undefined || isProbeDue(pause);
    if (pause.reason !== undefined && due && nextInMs <= 0) probes.push(outlook);
    // Without room, the worker has nothing to do before an attempt ends, which wakes it.
    else if (hasRoom) waitMs = Math.min(waitMs, Math.max(1, nextInMs, due ? 0 : pause.remainingMs));
  }
  return { probes, waitMs };
}

/** Whether the breaker of any operation of a destination is open. */
const isHeld = ({ account, environment }: Destination, outlooks: readonly Outlook[]): boolean =>
  outlooks.some(({ pause }) => pause.reason !== undefined && pause.account === account && isBreaker(pause) && partsOf(pause).environment === environment);

/**
 * Whether an attempt that begins now ends within the lease; sent too late it could meet the attempt of the next worker.
 * Both times are by the worker's clock; once that has jumped back, nobody knows how much of the lease is left.
 */
export const isInTime = (askedAt: number, now: number, { leaseMs, attemptTimeoutMs }: { leaseMs: number; attemptTimeoutMs: number }): boolean =>
  now >= askedAt && now - askedAt <= leaseMs - attemptTimeoutMs;

/** Which row must be read before it is known what an ending means. */
export const asksFor = ({ waitsFor }: Pick<Row, 'waitsFor'>, { kind }: Ending): string | undefined => (kind === 'not-found' ? waitsFor : undefined);

/** What that row says. */
export const dependencyOf = (before: Pick<Row, 'state'> | undefined): EndingContext['dependency'] =>
  before === undefined ? 'none' : isFinal(before.state) ? 'final' : 'open';

/** How long to wait when the store failed this often in a row. */
export const failureWaitMs = (failures: number, pollMs: number): number => Math.min(LONGEST_FAILURE_WAIT_MS, pollMs * 2 ** Math.min(10, failures - 1));

/** The end of an attempt that was not begun. */
export const NOT_SENT: Ending = {
  kind: 'failed',
  outcome: 'not-sent',
  counts: false,
  problem: { code: 'aborted', message: 'Its lease, or the time of the outbox, was nearly over before it could be sent.' },
};

/** The end of an attempt that was claimed ahead when its environment was paused, the worker was stopped, or the gateway became slow. */
export const HELD_BACK: Ending = {
  kind: 'failed',
  outcome: 'not-sent',
  counts: false,
  problem: {
    code: 'aborted',
    message: 'It was given back before it was sent: its environment was paused, the outbox was stopped, or the gateway became slow.',
  },
};

/** How long a row waits for a missing key; a process that has it takes the row then. */
const MISSING_KEY_WAIT_MS = 300_000;

/** The end of an attempt that was not begun, since its bytes cannot be opened without a key that is not there. */
export const withoutKey = (message: string, keyId: string): Ending => ({
  kind: 'failed',
  outcome: 'not-sent',
  counts: false,
  retryAfterMs: MISSING_KEY_WAIT_MS,
  problem: { code: 'configuration', message, keyId },
});

/** The end of an attempt that was not begun, since the bytes are gone or a part of the row is not as it was written. */
export const damaged = (subject: string, damage = 'its bytes cannot be opened; the outbox of another store may have sealed them'): Ending => ({
  kind: 'refused',
  outcome: 'not-sent',
  problem: damageProblem(damage, subject),
});
