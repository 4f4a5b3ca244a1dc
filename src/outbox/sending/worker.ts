import { type Clock, withTimeout } from '../../core/platform/time.js';
import { probeTaken } from '../rules/pause.js';
import type { OutboxSettings } from '../settings.js';
import { type DestinationState, isDamage } from '../store/store.js';
import { createAttemptRow } from './attempt-row.js';
import { createBindings } from './bindings.js';
import type { createUnlocking } from './missing-keys.js';
import type { createPacing } from './pacing.js';
import { createPauses } from './pauses.js';
import type { createPipeline } from './pipeline.js';
import { createPlaces } from './places.js';
import { failureWaitMs, idleWaitMs, planIdle, STOP_MARGIN_MS, untilNextRead, type WorkerState } from './plan.js';
import type { markInDoubtAfterRestore } from './restored-database.js';
import { createTurn, type WorkerListeners } from './turns.js';
import type { watchDestinations } from './watch-destinations.js';

/** The parts of a worker that only a server's outbox has. */
export interface WorkerParts {
  /** Prefetches rows and gathers results. Without it, a worker claims only the rows that it sends at once. */
  readonly makePipeline?: typeof createPipeline;
  /** Keeps the rate of a destination. It needs a pipeline. */
  readonly makePacing?: typeof createPacing;
  /** Finds reports that wait for a key which this outbox has. A page has no keys. */
  readonly makeUnlocking?: typeof createUnlocking;
  /** Repairs a store that went back to an older state. A page's store does so only while no page is open. */
  readonly afterRestore?: typeof markInDoubtAfterRestore;
  /** Tells of destinations that get, answer or record nothing. A page is often offline. */
  readonly watchDestinations?: typeof watchDestinations;
}

/**
 * The loop of a worker: turns while there is work, then probes and sleep. All decisions are in `plan.ts`, `pauses.ts`
 * and the files of `rules/`.
 */
export function createWorker(
  given: OutboxSettings,
  listeners: WorkerListeners,
  { makePipeline, makePacing, makeUnlocking, watchDestinations, afterRestore }: WorkerParts,
) {
  const pacing = makePacing?.(given);
  const settings = pacing?.settings ?? given;
  const { store, clock, leaseMs, pollMs, concurrency, breakerAfter } = settings;
  const { events, storeFailed, tellIdle } = listeners;
  let stopping = false;
  let isStoreDamaged = false;
  let readAt = Number.NaN;
  let failures = 0;
  /** The number of reads in a row that announced work before the next poll, while no turn found any. */
  let fruitlessReads = 0;
  const abort = new AbortController();
  const { wake, sleep } = createSleep(clock);
  const places = createPlaces(settings);
  const pauses = createPauses(settings, events);
  const bindings = createBindings(settings, events);
  const unlock = makeUnlocking?.(settings, events);
  const watch = watchDestinations?.(settings, events);
  const pipeline = makePipeline?.({
    concurrency,
    breakerAfter,
    clock,
    pacing,
    isStopping: () => stopping,
    count: places.count,
  });
  const attemptRow = createAttemptRow(settings, events, { signal: abort.signal, isStoreDamaged: () => isStoreDamaged });
  const turn = createTurn({
    settings,
    listeners,
    places,
    pauses,
    pipeline,
    watch,
    attemptRow,
    afterRestore,
    workerState,
    // The end of an attempt does not mend a store: it would only make the wait longer.
    wake: () => (failures === 0 || stopping) && wake(),
  });

  function workerState(): WorkerState {
    const { accounts, busy, probing } = places.count();
    return {
      ...settings,
      accounts,
      concurrency: concurrency + probing,
      places: (pipeline?.places() ?? concurrency) + probing,
      openBreakers: pauses.openBreakers(),
      busy,
      stopping,
    };
  }

  async function readDestinations(): Promise<readonly DestinationState[]> {
    const now = clock.now();
    const outlooks = await store.outlook(settings.accounts.map(({ account }) => account));
    readAt = now;
    bindings.compare(outlooks);
    watch?.tellUnserved(outlooks);
    pauses.seeAll(outlooks);
    return outlooks;
  }

  /** Sends the due probes. Returns the time for which the worker may sleep. */
  async function probeAndWait(): Promise<number> {
    const { probes, waitMs } = planIdle(await readDestinations(), workerState());
    fruitlessReads = waitMs >= pollMs ? 0 : fruitlessReads + 1;
    for (const pause of probes) {
      const takenAt = clock.now();
      if ((await store.pause(probeTaken(pause, leaseMs))) && (await turn({ pause, takenAt }))) fruitlessReads = 0;
    }
    return (await unlock?.()) ? 0 : idleWaitMs(waitMs, fruitlessReads, pollMs);
  }

  async function run(): Promise<void> {
    const isBusy = () => places.count().busy > 0;
    while (!stopping || isBusy()) {
      try {
        await bindings.bind();
        // Before the first claim: it must not take the reports of a breaker that is open already.
        if (Number.isNaN(readAt)) await readDestinations();
        await pipeline?.gather();
        const worked = places.hasWork() && (await turn());
        if (worked) failures = fruitlessReads = 0;
        const untilRead = untilNextRead({ worked, readAt, now: clock.now() }, workerState());
        const wait = untilRead > 0 ? untilRead : await probeAndWait();
        failures = 0;
        if (worked) continue;
        if (!isBusy()) tellIdle();
        if (!stopping || isBusy()) await sleep(wait);
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

/** A sleep that `wake` ends. A `wake` before it counts, too. */
function createSleep(clock: Clock) {
  let wakeUp: (() => void) | undefined;
  let woken = false;
  return {
    wake(): void {
      woken = true;
      wakeUp?.();
    },
    async sleep(milliseconds: number): Promise<void> {
      const awake = () =>
        new Promise<void>((resolve) => {
          wakeUp = resolve;
        });
      if (!woken) await withTimeout(awake, { clock, milliseconds });
      woken = false;
    },
  };
}
