import { type Clock, withTimeout } from '../../core/platform/time.js';
import { destinationScope, operationScope, type PauseScope, pauseKeyOf } from '../rules/destination.js';
import { type AttemptEnd, isStrike } from '../rules/pause.js';
import type { Ending, Row } from '../rules/state-machine.js';
import type { Pacing } from './pacing.js';
import { GATHER_MS, isGathering, PREFETCH_MS, rowsToPrefetch } from './plan.js';

/** Attempts a claimed row, unless it is held back. Returns the end of the attempt, if known. Must not reject. */
type Attempt = (isHeldBack: boolean) => Promise<Ending | undefined>;

interface Prefetched {
  readonly row: Row;
  readonly attempt: Attempt;
  readonly since: number;
  readonly turn: number;
  /** The time before which it is not sent. */
  readonly at: number | undefined;
}

interface PipelineOptions {
  readonly concurrency: number;
  readonly breakerAfter: number;
  readonly clock: Clock;
  readonly pacing?: Pick<Pacing, 'slotOf' | 'ended'> | undefined;
  readonly isStopping: () => boolean;
  /** The rows that the worker has claimed and not yet written, and those of them whose attempt has ended. */
  readonly count: () => { readonly busy: number; readonly ended: number };
}

/** The longest time that a row stays prefetched, in milliseconds. After that, another worker may take it. */
const LONGEST_MS = 1_000;
const WEIGHT = 1 / 8;

/**
 * Holds the rows of a worker between their claim and their write, so that attempts do not wait for commits and rows
 * share commits. A claimed row passes through four states:
 *
 * 1. Prefetched: the row waits for one of the `concurrency` places, in the order of the claims. It is held back, and so
 *    given back unsent, if its destination or operation pauses, if the worker stops, or if the row waits too long.
 * 2. Sending: its attempt is under way. A probe is sent at once, in a place of its own.
 * 3. Ended: the result is known, and waits a moment for other results.
 * 4. Written: a turn has committed the result, and the row leaves.
 *
 * The outbox of a page has no pipeline: it claims as many rows as it sends at once, and writes each result at once.
 */
export function createPipeline({ concurrency, breakerAfter, clock, pacing, isStopping, count }: PipelineOptions) {
  const prefetched: Prefetched[] = [];
  /** The last turn whose rows are held back, for each pause. */
  const heldBack = new Map<string, number>();
  let sending = 0;
  let run = 0;
  let turns = 0;
  let tookMs: number | undefined;
  let endedAt = Number.NaN;
  /** Ends the wait for more results. */
  let enough: (() => void) | undefined;
  /** Whether prefetched rows keep the gateway busy during that wait. */
  let hasTime = false;

  const isWithin = (milliseconds: number): boolean => milliseconds >= 0 && milliseconds <= LONGEST_MS;
  const places = (): number => concurrency + rowsToPrefetch(concurrency, tookMs);
  const isPaused = (scope: PauseScope, turn: number): boolean => turn <= (heldBack.get(pauseKeyOf(scope)) ?? -1);
  const isGatheringNow = (): boolean => isGathering(count().ended, { busy: count().busy, places: places() });

  /** Holds back the prefetched rows of a scope. Rows of later turns are sent. */
  function holdBack(scope: PauseScope): void {
    heldBack.set(pauseKeyOf(scope), turns);
  }

  const attemptOne = ({ row, attempt, since, turn }: Prefetched, began: number) =>
    attempt(
      isStopping() ||
        !isWithin(began - since) ||
        isPaused(destinationScope(row), turn) ||
        isPaused(operationScope(row), turn),
    );

  async function fillPlace(first: Prefetched): Promise<void> {
    sending += 1;
    for (let next: Prefetched | undefined = first; next; next = prefetched.shift()) {
      const early = (next.at ?? 0) - clock.now();
      if (early > 0 && early <= LONGEST_MS) await pause(early);
      const began = clock.now();
      const ending = await attemptOne(next, began);
      endedAt = clock.now();
      pacing?.ended(next.row, ending);
      const took = endedAt - began;
      const wasSent = ending?.kind === 'recorded' || (ending !== undefined && ending.counts !== false);
      if (wasSent) tookMs = took >= 0 ? (tookMs ?? took) * (1 - WEIGHT) + took * WEIGHT : undefined;
    }
    sending -= 1;
  }

  const pause = (milliseconds: number) =>
    withTimeout(() => new Promise<void>(() => undefined), { clock, milliseconds });
  const waitForMore = (milliseconds: number) =>
    withTimeout(() => new Promise<void>((resolve) => (enough = resolve)), { clock, milliseconds });

  return {
    /** The number of rows that may be claimed and not yet written, without probes. */
    places,
    turn(): void {
      turns += 1;
      // After an idle time the old measurements no longer describe the gateway.
      if (sending === 0 && !isWithin(clock.now() - endedAt)) tookMs = undefined;
    },
    /** Takes a row that the last turn claimed. A probe is not measured, since its route may be broken. */
    send(row: Row, attempt: Attempt, isProbe: boolean): void {
      const at = isProbe ? undefined : pacing?.slotOf(row);
      const claimed = { row, attempt, since: clock.now(), turn: turns, at };
      if (isProbe) void attemptOne(claimed, claimed.since);
      else if (sending < concurrency) void fillPlace(claimed);
      else prefetched.push(claimed);
    },
    holdBack,
    /** Waits while prefetched rows are sent, and then while each moment brings one more result. */
    async gather(): Promise<void> {
      hasTime = isGatheringNow() && prefetched.length > 0;
      if (hasTime) await waitForMore(PREFETCH_MS);
      hasTime = false;
      for (let seen = 0; isGatheringNow() && count().ended > seen; ) {
        seen = count().ended;
        await waitForMore(GATHER_MS);
      }
    },
    /**
     * Called when an attempt has ended. It may be the last one that `gather` waits for. After as many refusals in a row
     * as open the breaker, the turn comes at once, and until then no other report of the operation is sent.
     */
    ended(end: (Pick<AttemptEnd, 'ending' | 'change'> & { readonly row: Row }) | undefined): void {
      if (end) run = isStrike(end) ? run + 1 : 0;
      const isRun = run >= breakerAfter;
      if (end && isRun) holdBack(operationScope(end.row));
      if (isRun || !isGatheringNow() || (hasTime && prefetched.length === 0)) enough?.();
    },
  };
}

export type Pipeline = ReturnType<typeof createPipeline>;
