import { operations } from '../../core/protocol/operations.js';
import { type Destination, type DestinationOperation, keyOf, operationScope } from '../rules/destination.js';
import { isForUntried, isProbeDue, type Pause } from '../rules/pause.js';
import { type Change, type Ending, type EndingContext, isFinal, type Row } from '../rules/state-machine.js';
import { damageProblem } from '../rules/stored-row.js';
import { isServed } from '../store/claimants.js';
import type { Claimant, ClaimRequest, DestinationState, Turn } from '../store/store.js';

export interface Finished {
  readonly row: Row;
  readonly change: Change;
}

export interface WorkerState {
  readonly accounts: readonly Claimant[];
  /** The number of rows that it has claimed and not yet written. */
  readonly busy: number;
  /** The rows that it may send at once: the option, and one more for each probe under way. */
  readonly concurrency: number;
  /** The rows that it may claim: those that it sends at once, and the prefetched ones. */
  readonly places: number;
  readonly openBreakers: readonly DestinationOperation[];
  readonly leaseMs: number;
  readonly pollMs: number;
  readonly stopping: boolean;
}

interface LastRead {
  /** Whether its last turn wrote or claimed anything. */
  readonly worked: boolean;
  /** When it last read the destinations, by its own clock; NaN before the first one. */
  readonly readAt: number;
  readonly now: number;
}

interface IdlePlan {
  readonly probes: readonly Pause[];
  readonly waitMs: number;
}

const LONGEST_FAILURE_WAIT_MS = 30_000;

/** The number of tries to change a pause that other workers change at the same time. */
export const PAUSE_TRIES = 5;

/** The time after the limit of `stop` in which a worker writes the results of cancelled attempts, in milliseconds. */
export const STOP_MARGIN_MS = 1_000;

/** The time for which a turn waits for one more result, in milliseconds. */
export const GATHER_MS = 1;
const MOST_GATHERED = 128;

/** A worker prefetches the rows that it sends within this time, in milliseconds. */
export const PREFETCH_MS = 75;
const MOST_PREFETCHED = 128;

/**
 * The number of rows that a worker prefetches, so that the next attempts do not wait for a commit. None if the gateway
 * is slow or its speed is unknown: a claimed row is in doubt if the worker dies, even if it was not sent.
 */
export const rowsToPrefetch = (concurrency: number, tookMs: number | undefined): number =>
  tookMs !== undefined && tookMs > 0 ? Math.min(MOST_PREFETCHED, Math.floor((concurrency * PREFETCH_MS) / tookMs)) : 0;

/** Whether a turn waits for more results, so that they share a commit. The last attempt under way never waits. */
export const isGathering = (finished: number, { busy, places }: Pick<WorkerState, 'busy' | 'places'>): boolean =>
  finished > 0 && finished < busy && finished < Math.min(MOST_GATHERED, places * 0.75);

/** Plans a turn: all results, and rows for the free places. A probe claims one row and needs no free place. */
export function planTurn(
  finished: readonly Finished[],
  { accounts, busy, places, openBreakers, leaseMs, stopping }: WorkerState,
  probe?: Pause,
): Turn {
  const free = stopping ? 0 : probe ? 1 : places - (busy - finished.length);
  const still = accounts.map((one) => ({
    ...one,
    busy: one.busy - finished.filter(({ row }) => row.account === one.account).length,
  }));
  return {
    writes: finished.map(({ row, change }) => ({
      id: row.id,
      expected: { state: 'in-flight', fence: row.fence },
      change,
    })),
    claim:
      free > 0
        ? {
            accounts: still,
            limit: free,
            leaseMs,
            ...(probe ? asProbe(probe) : openBreakers.length > 0 && { without: openBreakers }),
          }
        : undefined,
  };
}

function asProbe(pause: Pause): Pick<ClaimRequest, 'limit' | 'probe' | 'untriedFirst' | 'without'> {
  const { account, environment, operation } = pause;
  const others = Object.values(operations).flatMap(({ name }) =>
    name === operation ? [] : [{ account, environment, operation: name }],
  );
  return {
    limit: 1,
    probe: operationScope(pause),
    untriedFirst: isForUntried(pause),
    ...(operation && { without: others }),
  };
}

export const outlookOf = (outlooks: readonly DestinationState[], row: Destination): DestinationState | undefined =>
  outlooks.find((one) => keyOf(one) === keyOf(row));

/**
 * Milliseconds until a worker looks for due probes. It looks now if it found nothing to do, and once per `pollMs`
 * during a backlog, which must not delay the probes of other destinations and operations.
 */
export function untilNextRead(
  { worked, readAt, now }: LastRead,
  { busy, concurrency, pollMs, stopping }: WorkerState,
): number {
  if (stopping) return pollMs;
  if (!worked && busy < concurrency) return 0;
  const since = now - readAt;
  // It looks now after the clock has jumped back. A shorter wait than a millisecond may not move the clock.
  return since >= 0 && since < pollMs ? Math.max(1, pollMs - since) : 0;
}

/** The due probes, which need no free place, and the time for which an idle worker sleeps. */
export function planIdle(
  outlooks: readonly DestinationState[],
  { accounts, busy, concurrency, pollMs }: WorkerState,
): IdlePlan {
  const hasRoom = busy < concurrency;
  const probes: Pause[] = [];
  let waitMs = pollMs;
  for (const outlook of outlooks) {
    const { pause, breakers, nextInMs } = outlook;
    if (nextInMs === undefined || !isServed(outlook, accounts)) continue;
    const open = breakers.filter(({ reason }) => reason !== undefined);
    // No breaker is probed while its whole destination is paused.
    for (const one of pause.reason === undefined ? [pause, ...open] : [pause]) {
      // A due row that was not claimed belongs to an open breaker, whose probe determines the wait.
      if (one.reason === undefined && nextInMs <= 0 && open.length > 0) continue;
      const due = one.reason === undefined || isProbeDue(one);
      if (one.reason !== undefined && due && nextInMs <= 0) probes.push(one);
      // Without a free place, the worker sleeps until an attempt ends and wakes it.
      else if (hasRoom) waitMs = Math.min(waitMs, Math.max(1, nextInMs, due ? 0 : one.remainingMs));
    }
  }
  return { probes, waitMs };
}

/** The wait doubles with `fruitlessReads`, so that a row which no turn can claim does not make the worker spin. */
export function idleWaitMs(waitMs: number, fruitlessReads: number, pollMs: number): number {
  const least = Math.min(pollMs, 2 ** Math.min(30, fruitlessReads));
  // With a damaged time, the wait is not a number.
  return waitMs > least ? waitMs : least;
}

/**
 * Whether an attempt that begins now ends within the lease, and so before the next worker's. If the worker's clock has
 * jumped back, the rest of the lease is unknown.
 */
export const isInTime = (
  askedAt: number,
  now: number,
  { leaseMs, attemptTimeoutMs }: { leaseMs: number; attemptTimeoutMs: number },
): boolean => now >= askedAt && now - askedAt <= leaseMs - attemptTimeoutMs;

/** The id of the row that must be read before an ending can be judged. */
export const asksFor = ({ waitsFor }: Pick<Row, 'waitsFor'>, { kind }: Ending): string | undefined =>
  kind === 'not-found' ? waitsFor : undefined;

export const dependencyOf = (before: Pick<Row, 'state'> | undefined): EndingContext['dependency'] =>
  before === undefined ? 'none' : isFinal(before.state) ? 'final' : 'open';

export const failureWaitMs = (failures: number, pollMs: number): number =>
  Math.min(LONGEST_FAILURE_WAIT_MS, pollMs * 2 ** Math.min(10, failures - 1));

/** The end of a row that was given back unsent: it was held back, or its attempt began too late. */
export const NOT_SENT: Ending = {
  kind: 'failed',
  outcome: 'not-sent',
  counts: false,
  problem: {
    code: 'aborted',
    message: 'Not sent: paused, stopped, or its lease was nearly over.',
  },
};

/** The wait of a row whose key is missing. After that, any process may try it. */
const MISSING_KEY_WAIT_MS = 300_000;

export const withoutKey = (message: string, keyId: string): Ending => ({
  kind: 'failed',
  outcome: 'not-sent',
  counts: false,
  retryAfterMs: MISSING_KEY_WAIT_MS,
  problem: { code: 'configuration', message, keyId },
});

export const damaged = (
  subject: string,
  damage = 'its bytes cannot be opened; the outbox of another store may have sealed them',
): Ending => ({
  kind: 'refused',
  outcome: 'not-sent',
  problem: damageProblem(damage, subject),
});
