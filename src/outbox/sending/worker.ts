import { createAborting, withTimeout } from '../../core/platform/time.js';
import { aboutReport, type Events, type StoreFailed } from '../events.js';
import { destinationScope } from '../rules/destination.js';
import { type Pause, probeReturned, probeTaken } from '../rules/pause.js';
import type { Ending, Row } from '../rules/state-machine.js';
import type { OutboxSettings } from '../settings.js';
import { createClaimants } from '../store/claimants.js';
import { type DestinationState, isDamage, type TurnResult } from '../store/store.js';
import { createAttemptRow } from './attempt-row.js';
import { createBindings } from './bindings.js';
import type { createUnlocking } from './missing-keys.js';
import { createPauses, type ProbeOf } from './pauses.js';
import type { createPipeline } from './pipeline.js';
import {
  asksFor,
  dependencyOf,
  type Finished,
  failureWaitMs,
  idleWaitMs,
  NOT_SENT,
  planIdle,
  planTurn,
  STOP_MARGIN_MS,
  untilNextRead,
  type WorkerState,
} from './plan.js';
import type { Waiters } from './receipt-waiters.js';
import { markInDoubtAfterRestore } from './restored-database.js';
import type { watchDestinations } from './watch-destinations.js';

/** The parts of a worker that only a server's outbox has. */
export interface WorkerParts {
  /** Prefetches rows and gathers results. Without it, a worker claims only the rows that it sends at once. */
  readonly makePipeline?: typeof createPipeline;
  /** Finds reports that wait for a key which this outbox has. A page has no keys. */
  readonly makeUnlocking?: typeof createUnlocking;
  /** Tells of destinations that get or answer nothing. A page is often offline. */
  readonly watchDestinations?: typeof watchDestinations;
}

/** Those who hear what a worker does. */
interface WorkerListeners {
  readonly events: Events;
  readonly waiters: Waiters;
  readonly storeFailed: StoreFailed;
  /** Called whenever the worker has nothing to do. */
  tellIdle(): void;
}

interface Claim {
  readonly row: Row;
  /** The time before the claim, by this worker's clock. The lease began later. */
  readonly askedAt: number;
  readonly probe: ProbeOf | undefined;
}

/** Emits the event of an ended attempt and settles its waiters. `done`: whether the change was written. */
function emitOutcome({ row, change }: Finished, done: boolean, events: Events, waiters: Waiters): void {
  const { delayMs, keepBody, ...progress } = change;
  const after: Row = { ...row, ...progress };
  const about = aboutReport(after);
  const { outcome, problem, inDoubt } = after;
  if (!done) events.emit('late', about);
  else if (after.state === 'recorded' && outcome !== undefined)
    events.emit('recorded', { ...about, outcome, waitedMs: row.changedAt - row.enqueuedAt });
  else if (problem && after.state === 'waiting')
    events.emit('delayed', { ...about, code: problem.code, inDoubt, delayMs });
  else if (problem)
    events.emit('quarantined', {
      ...about,
      code: problem.code,
      message: problem.message,
      inDoubt,
    });
  if (done) waiters.tell(after);
}

/**
 * The loop of a worker. Each turn writes results and claims rows in one commit, and starts the attempts. All decisions
 * are in `plan.ts`, `pauses.ts` and the files of `rules/`.
 */
export function createWorker(
  settings: OutboxSettings,
  { events, waiters, storeFailed, tellIdle }: WorkerListeners,
  { makePipeline, makeUnlocking, watchDestinations }: WorkerParts,
) {
  const { store, clock, leaseMs, pollMs, concurrency } = settings;
  const claimants = createClaimants(settings.accounts);
  const bindings = createBindings(settings, events);
  const unlock = makeUnlocking?.(settings);
  const watch = watchDestinations?.(settings, events);
  /** The number of rows that are claimed, and not yet written and announced. */
  let busy = 0;
  /** The number of probes under way. Each has an extra place, since a backlog may fill the others. */
  let probing = 0;
  let lookedAt = Number.NaN;
  let finished: Finished[] = [];
  /** Rows whose write was refused. An earlier turn may have made the write and then failed, so they are read again. */
  let refused: Finished[] = [];
  let stopping = false;
  let wakeUp: (() => void) | undefined;
  let woken = false;
  let failures = 0;
  /** The number of looks in a row that announced work before the next poll, while no turn found any. */
  let fruitlessReads = 0;
  let isStoreDamaged = false;
  const pipeline = makePipeline?.({
    concurrency,
    clock,
    isStopping: () => stopping,
    count: () => ({ busy, ended: finished.length }),
  });
  const abort = createAborting();
  const pauses = createPauses(settings, events);
  const attemptRow = createAttemptRow(settings, events, { signal: abort.signal, isStoreDamaged: () => isStoreDamaged });

  const workerState = (): WorkerState => ({
    ...settings,
    accounts: claimants.all(),
    concurrency: concurrency + probing,
    places: (pipeline?.places() ?? concurrency) + probing,
    openBreakers: pauses.openBreakers(),
    busy,
    stopping,
  });

  const releaseRow = (row: Row) => {
    busy -= 1;
    claimants.gave(row);
  };

  const wake = () => {
    woken = true;
    wakeUp?.();
  };

  async function sleep(milliseconds: number): Promise<void> {
    if (!woken) {
      const awake = new Promise<void>((resolve) => {
        wakeUp = resolve;
      });
      await withTimeout(() => awake, { clock, milliseconds });
    }
    woken = false;
  }

  async function attempt({ row, askedAt, probe }: Claim, isHeldBack: boolean): Promise<Ending | undefined> {
    let known: Ending | undefined;
    try {
      // A damaged row is not given back, which would hide its damage.
      const ending = isHeldBack && row.damage === undefined ? NOT_SENT : await attemptRow(row, askedAt);
      known = ending;
      watch?.tellUnanswered(row, ending);
      if (ending.kind !== 'recorded' && ending.pause) pipeline?.holdBack(destinationScope(row));
      const before = asksFor(row, ending);
      const dependency = dependencyOf(before === undefined ? undefined : (await store.get([before]))[0]);
      const { change, paused } = await pauses.judge({ row, ending, probe, dependency });
      // Again, for rows that were claimed while the pause was written.
      for (const one of paused) pipeline?.holdBack(one);
      finished.push({ row, change });
    } catch (cause) {
      storeFailed('The store could not be read after an attempt.', cause);
      // The row stays in flight and in doubt until its lease is over.
      releaseRow(row);
    }
    if (probe) probing -= 1;
    pipeline?.ended();
    wake();
    return known;
  }

  /** Announces the results of refused writes. If the store cannot be read, the next turn tries again. */
  async function tellRefused(): Promise<void> {
    if (!refused[0]) return;
    const rows = await store.get(refused.map(({ row }) => row.id));
    const told = refused;
    await markInDoubtAfterRestore(told, rows, { store, leaseMs, events, waiters });
    refused = [];
    for (const { row } of told) releaseRow(row);
    for (const [index, { row, change }] of told.entries()) if (!rows[index]) waiters.gone({ ...row, ...change });
    for (const [index, one] of told.entries())
      emitOutcome(
        one,
        rows[index]?.fence === one.change.fence && rows[index].state === one.change.state,
        events,
        waiters,
      );
  }

  /**
   * Runs one turn. Returns whether anything was written or claimed. The lease of a probe counts from the time at which
   * it was taken.
   */
  async function turn(probe?: { readonly pause: Pause; readonly takenAt: number }): Promise<boolean> {
    pipeline?.turn();
    const batch = finished;
    finished = [];
    const askedAt = probe?.takenAt ?? clock.now();
    let result: TurnResult;
    try {
      result = await store.turn(planTurn(batch, workerState(), probe?.pause));
    } catch (error) {
      finished = [...batch, ...finished];
      throw error;
    }
    busy += result.claimed.length;
    if (probe) probing += result.claimed.length;
    for (const row of result.claimed) {
      claimants.took(row);
      const claim = {
        row,
        askedAt,
        probe: probe && { scope: probe.pause, version: probe.pause.version + 1 },
      };
      if (pipeline) pipeline.send(row, (isHeldBack) => attempt(claim, isHeldBack), probe !== undefined);
      else void attempt(claim, false);
    }
    for (const [index, one] of batch.entries()) {
      if (!result.written[index]) refused.push(one);
      else {
        releaseRow(one.row);
        emitOutcome(one, true, events, waiters);
      }
    }
    await tellRefused();
    if (probe && !result.claimed[0]) await store.pause(probeReturned(probe.pause, Math.min(pollMs, leaseMs)));
    return batch.length + result.claimed.length > 0;
  }

  async function readDestinations(): Promise<readonly DestinationState[]> {
    const now = clock.now();
    const outlooks = await store.outlook(settings.accounts.map(({ account }) => account));
    lookedAt = now;
    bindings.compare(outlooks);
    watch?.tellUnserved(outlooks);
    pauses.seeAll(outlooks);
    return outlooks;
  }

  /** Sends the due probes. Returns the time for which the worker may sleep. */
  async function probeAndWait(): Promise<number> {
    const outlooks = await readDestinations();
    const { probes, waitMs } = planIdle(outlooks, workerState());
    fruitlessReads = waitMs >= pollMs ? 0 : fruitlessReads + 1;
    for (const pause of probes) {
      const takenAt = clock.now();
      if ((await store.pause(probeTaken(pause, leaseMs))) && (await turn({ pause, takenAt }))) fruitlessReads = 0;
    }
    return (await unlock?.()) ? 0 : idleWaitMs(waitMs, fruitlessReads, pollMs);
  }

  async function run(): Promise<void> {
    while (!stopping || busy > 0) {
      try {
        await bindings.bind();
        // Before the first claim: it must not take the reports of a breaker that is open already.
        if (Number.isNaN(lookedAt)) await readDestinations();
        await pipeline?.gather();
        // If all places are busy and no attempt has ended, a turn would have nothing to do.
        const worked = (finished.length + refused.length > 0 || busy < concurrency + probing) && (await turn());
        if (worked) failures = fruitlessReads = 0;
        const untilLook = untilNextRead({ worked, lookedAt, now: clock.now() }, workerState());
        const wait = untilLook > 0 ? untilLook : await probeAndWait();
        failures = 0;
        if (worked) continue;
        if (busy === 0) tellIdle();
        if (!(stopping && busy === 0)) await sleep(wait);
      } catch (cause) {
        failures += 1;
        isStoreDamaged = isDamage(cause);
        storeFailed('The store failed; the outbox tries again.', cause);
        if (isStoreDamaged || abort.signal.aborted) return;
        await sleep(failureWaitMs(failures, pollMs));
      }
    }
  }

  const running = run();
  return {
    wake,
    /**
     * Lets attempts under way end within the time limit, then cancels them. The rows of cancelled attempts are in
     * doubt.
     */
    async stop(timeoutMs: number): Promise<void> {
      stopping = true;
      wake();
      const ended = await withTimeout(() => running, { clock, milliseconds: timeoutMs });
      if (ended.ended === 'done') return;
      abort.abort();
      wake();
      await withTimeout(() => running, { clock, milliseconds: STOP_MARGIN_MS });
    },
  };
}

export type Worker = ReturnType<typeof createWorker>;
