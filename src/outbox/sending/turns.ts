import { numbered } from '../../core/platform/portable.js';
import { aboutReport, type Events, type StoreFailed } from '../events.js';
import { destinationScope, operationScope, pauseKeyOf } from '../rules/destination.js';
import { type Pause, probeReturned } from '../rules/pause.js';
import type { Ending, Row } from '../rules/state-machine.js';
import type { OutboxSettings } from '../settings.js';
import type { createAttemptRow } from './attempt-row.js';
import type { Attempted, createPauses, ProbeOf } from './pauses.js';
import type { Pipeline } from './pipeline.js';
import type { Places } from './places.js';
import { asksFor, dependencyOf, type Finished, NOT_SENT, planTurn, type WorkerState } from './plan.js';
import type { Waiters } from './receipt-waiters.js';
import type { markInDoubtAfterRestore } from './restored-database.js';
import type { watchDestinations } from './watch-destinations.js';

export interface WorkerListeners {
  readonly events: Events;
  readonly waiters: Waiters;
  readonly storeFailed: StoreFailed;
  /** Called whenever the worker has nothing to do. */
  tellIdle(): void;
}

interface TurnParts {
  readonly settings: OutboxSettings;
  readonly listeners: WorkerListeners;
  readonly places: Places;
  readonly pauses: ReturnType<typeof createPauses>;
  readonly pipeline: Pipeline | undefined;
  readonly watch: ReturnType<typeof watchDestinations> | undefined;
  readonly attemptRow: ReturnType<typeof createAttemptRow>;
  readonly afterRestore: typeof markInDoubtAfterRestore | undefined;
  workerState(): WorkerState;
  wake(): unknown;
}

interface Claim {
  readonly row: Row;
  /** The time before the claim, by this worker's clock. The lease began later. */
  readonly askedAt: number;
  readonly probe: ProbeOf | undefined;
}

/** Makes the turn of a worker: it writes results and claims rows in one commit, and starts the attempts. */
export function createTurn({
  settings: { store, clock, leaseMs, pollMs },
  listeners,
  places,
  pauses,
  pipeline,
  watch,
  attemptRow,
  afterRestore,
  workerState,
  wake,
}: TurnParts) {
  const { events, waiters, storeFailed } = listeners;
  const { attempted, finished, refused } = places;

  async function attempt({ row, askedAt, probe }: Claim, isHeldBack: boolean): Promise<Ending | undefined> {
    let known: Ending | undefined;
    let end: Attempted | undefined;
    try {
      // A damaged row is not given back, which would hide its damage.
      const ending = isHeldBack && row.damage === undefined ? NOT_SENT : await attemptRow(row, askedAt);
      known = ending;
      watch?.tellFailing(row, ending);
      if (ending.kind !== 'recorded' && ending.pause) pipeline?.holdBack(destinationScope(row));
      const before = asksFor(row, ending);
      const dependency = dependencyOf(before === undefined ? undefined : (await store.get([before]))[0]);
      end = pauses.endOf({ row, ending, probe, dependency });
      attempted.push(end);
    } catch (cause) {
      storeFailed('The store failed after an attempt.', cause);
      // The row stays in flight and in doubt until its lease is over.
      places.release(row);
    }
    if (probe) places.probeEnded();
    pipeline?.ended(end);
    wake();
    return known;
  }

  /** Decides the results of the attempts that have ended, one operation after the other. */
  async function judge(): Promise<void> {
    for (let first = attempted[0]; first; first = attempted[0]) {
      const breaker = operationScope(first.row);
      const batch = attempted.filter(({ row }) => pauseKeyOf(row) === pauseKeyOf(breaker));
      finished.push(...(await pauses.judge(batch, breaker)));
      // Again, for rows that were claimed in the meantime.
      for (const one of pauses.paused()) pipeline?.holdBack(one);
      // More may have ended in the meantime.
      attempted.push(...attempted.splice(0).filter((one) => !batch.includes(one)));
    }
  }

  /** Announces the results of refused writes. If the store cannot be read, the next turn tries again. */
  async function tellRefused(): Promise<void> {
    if (!refused[0]) return;
    const rows = await store.get(refused.map(({ row }) => row.id));
    await afterRestore?.(refused, rows, { store, leaseMs, events, waiters });
    for (const [index, one] of numbered(refused.splice(0))) {
      const { row, change } = one;
      const stored = rows[index];
      places.release(row);
      if (!stored) waiters.gone(row, change);
      emitOutcome(one, stored?.fence === change.fence && stored.state === change.state, listeners);
    }
  }

  /**
   * Runs one turn. Returns whether anything was written or claimed. The lease of a probe counts from the time at which
   * it was taken.
   */
  return async (probe?: { readonly pause: Pause; readonly takenAt: number }): Promise<boolean> => {
    await judge();
    pipeline?.turn();
    const batch = [...finished];
    const askedAt = probe?.takenAt ?? clock.now();
    const result = await store.turn(planTurn(batch, workerState(), probe?.pause));
    // Only now, so that a failed turn loses none. More may have come in the meantime.
    finished.splice(0, batch.length);
    if (result.struck) pauses.seeStruck(result.struck);
    const probeOf = probe && { key: pauseKeyOf(probe.pause), version: probe.pause.version + 1 };
    for (const row of result.claimed) {
      places.claimed(row, probe !== undefined);
      const claim = { row, askedAt, probe: probeOf };
      if (pipeline) pipeline.send(row, (isHeldBack) => attempt(claim, isHeldBack), probe !== undefined);
      else void attempt(claim, false);
    }
    for (const [index, one] of numbered(batch)) {
      if (!result.written[index]) refused.push(one);
      else {
        places.release(one.row);
        emitOutcome(one, true, listeners);
      }
    }
    await tellRefused();
    if (probe && !result.claimed[0]) await store.pause(probeReturned(probe.pause, Math.min(pollMs, leaseMs)));
    return batch.length + result.claimed.length > 0;
  };
}

/** Emits the event of an ended attempt and settles its waiters. `done`: whether the change was written. */
function emitOutcome({ row, change }: Finished, done: boolean, { events, waiters }: WorkerListeners): void {
  const { state, attempts, outcome, problem, inDoubt, delayMs } = change;
  const about = { ...aboutReport(row), attempts };
  if (!done) events.emit('late', about);
  else if (state === 'recorded' && outcome !== undefined)
    // The spread last: V8 takes a microsecond for a member that is added after one.
    events.emit('recorded', { outcome, waitedMs: row.changedAt - row.enqueuedAt, ...about });
  else if (problem && state === 'waiting') events.emit('delayed', { ...about, code: problem.code, inDoubt, delayMs });
  else if (problem) events.emit('quarantined', { ...about, code: problem.code, message: problem.message, inDoubt });
  if (done) waiters.tell(row, change);
}
