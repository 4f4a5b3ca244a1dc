import { inBatches } from '../../core/platform/in-batches.js';
import { isRefusedData } from '../rules/decisions.js';
import { operationScope, type PauseReason, type PauseScope, pauseKeyOf } from '../rules/destination.js';
import { endPause, type Pause } from '../rules/pause.js';
import { changedRow, type Row, unchanged, writeOf } from '../rules/state-machine.js';
import { PAUSE_TRIES } from '../sending/plan.js';
import { type OutboxStore, pausesOf, scanRows } from '../store/store.js';
import { DECIDED_TOGETHER } from './decide-rows.js';

export interface ResumedPause extends PauseScope {
  readonly reason: PauseReason;
  /** False if the pause was changed at the same time, and is not ended. */
  readonly isResumed: boolean;
  /** The number of refused reports that waited behind it, and are quarantined. */
  readonly quarantined: number;
}

export interface PausePlace {
  readonly store: OutboxStore;
  resumed(pauses: readonly PauseScope[]): void;
  /** Called with the reports that were refused while a breaker was open, and need a person now. */
  quarantined(rows: readonly Row[]): void;
}

/** Quarantines the reports that an open breaker holds back after a refusal: else its end would send them again. */
async function quarantineRefused({ store, quarantined }: PausePlace, scope: PauseScope): Promise<number> {
  async function* refused() {
    for await (const row of scanRows(store, { ...operationScope(scope), state: 'waiting' }))
      if (isRefusedData(row)) yield row;
  }
  let count = 0;
  for await (const rows of inBatches(refused(), DECIDED_TOGETHER)) {
    const changes = rows.map((row) => ({ row, change: { ...unchanged(row), state: 'quarantined' as const } }));
    const writes = changes.map(({ row, change }) => writeOf(row, change));
    const { written } = await store.turn({ writes, claim: undefined });
    const changed = changes.filter((_, index) => written[index]).map(({ row, change }) => changedRow(row, change));
    quarantined(changed);
    count += changed.length;
  }
  return count;
}

/** Ends a pause, and tries again if a probe has changed it meanwhile. */
async function endOne(place: PausePlace, pause: Pause): Promise<Pick<ResumedPause, 'isResumed' | 'quarantined'>> {
  const { store } = place;
  let [quarantined, isResumed] = [0, false];
  let now: Pause | undefined = pause;
  for (let tries = 0; tries < PAUSE_TRIES && !isResumed && now?.reason !== undefined; tries += 1) {
    if (now.operation) quarantined += await quarantineRefused(place, now);
    isResumed = await store.pause(endPause(now));
    now = pausesOf(await store.outlook([pause.account])).find((one) => pauseKeyOf(one) === pauseKeyOf(pause));
  }
  return { isResumed, quarantined };
}

/** Ends all pauses of a place for a person, and forgets the rate that it has learned, unless one operation is meant. */
export async function resumePlace(place: PausePlace, where: PauseScope): Promise<readonly ResumedPause[]> {
  if (!where.operation) await place.store.keepRate?.(where, { perSecond: 0, spanMs: 0 });
  return await endPauses(place, where);
}

/**
 * Ends all pauses of a place. An absent member matches every pause. Reports that were refused while a breaker was open
 * are not sent again: they need a person.
 */
export async function endPauses(place: PausePlace, where: Partial<PauseScope>): Promise<readonly ResumedPause[]> {
  const resumed: ResumedPause[] = [];
  for (const pause of pausesOf(await place.store.outlook(where.account === undefined ? undefined : [where.account]))) {
    const { account, environment, operation, reason } = pause;
    const isMeant = (where.environment ?? environment) === environment && (where.operation ?? operation) === operation;
    if (!isMeant || reason === undefined) continue;
    resumed.push({ account, environment, operation, reason, ...(await endOne(place, pause)) });
  }
  place.resumed(resumed.filter(({ isResumed }) => isResumed));
  return resumed;
}
