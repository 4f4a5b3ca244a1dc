import type { Events } from '../events.js';
import { operationScope, type PauseReason, type PauseScope } from '../rules/destination.js';
import { endPause } from '../rules/pause.js';
import { type OutboxStore, pausesOf } from '../store/store.js';

export interface ResumedPause extends PauseScope {
  readonly reason: PauseReason;
  /** False if the pause was changed at the same time, and is not ended. */
  readonly isResumed: boolean;
}

/** The store of the pauses, and what hears of their ends. */
export interface PausePlace {
  readonly store: OutboxStore;
  resumed(pauses: readonly PauseScope[]): void;
}

/** Emits the events of ended pauses, and wakes the worker. */
export const resumedTo = (events: Events, wake: () => void) => (pauses: readonly PauseScope[]) => {
  for (const pause of pauses) events.emit('resumed', operationScope(pause));
  wake();
};

/** Ends all pauses of a place. An absent member matches every pause. */
export async function endPauses(place: PausePlace, where: Partial<PauseScope>): Promise<readonly ResumedPause[]> {
  const { store } = place;
  const resumed: ResumedPause[] = [];
  for (const pause of pausesOf(await store.outlook(where.account === undefined ? undefined : [where.account]))) {
    const { account, environment, operation, reason } = pause;
    const isMeant = (where.environment ?? environment) === environment && (where.operation ?? operation) === operation;
    if (isMeant && reason !== undefined)
      resumed.push({ account, environment, operation, reason, isResumed: await store.pause(endPause(pause)) });
  }
  place.resumed(resumed.filter(({ isResumed }) => isResumed));
  return resumed;
}
