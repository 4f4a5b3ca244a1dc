import type { PauseReason, PauseScope } from '../rules/destination.js';
import { endPause } from '../rules/pause.js';
import { type OutboxStore, pausesOf } from '../store/store.js';

export interface ResumedPause extends PauseScope {
  readonly reason: PauseReason;
  /** False if the pause was changed at the same time, and is not ended. */
  readonly isResumed: boolean;
}

/** Ends all pauses of a place. An absent member matches every pause. */
export async function endPauses(store: OutboxStore, where: Partial<PauseScope>): Promise<ResumedPause[]> {
  const resumed: ResumedPause[] = [];
  for (const pause of pausesOf(await store.outlook(where.account === undefined ? undefined : [where.account]))) {
    const { account, environment, operation, reason } = pause;
    const isMeant = (where.environment ?? environment) === environment && (where.operation ?? operation) === operation;
    if (isMeant && reason !== undefined)
      resumed.push({ account, environment, operation, reason, isResumed: await store.pause(endPause(pause)) });
  }
  return resumed;
}
