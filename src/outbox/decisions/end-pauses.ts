import { aboutReport, type Events } from '../events.js';
import { inBatches } from '../receipts/log.js';
import { isRefusedData } from '../rules/decisions.js';
import { operationScope, type PauseReason, type PauseScope, pauseKeyOf } from '../rules/destination.js';
import { endPause, type Pause } from '../rules/pause.js';
import { changedRow, type Row, unchanged, writeOf } from '../rules/state-machine.js';
import { PAUSE_TRIES } from '../sending/plan.js';
import type { Waiters } from '../sending/receipt-waiters.js';
import { type OutboxStore, pausesOf, scanRows } from '../store/store.js';

export interface ResumedPause extends PauseScope {
  readonly reason: PauseReason;
  /** False if the pause was changed at the same time, and is not ended. */
  readonly isResumed: boolean;
}

export interface PausePlace {
  readonly store: OutboxStore;
  resumed(pauses: readonly PauseScope[]): void;
  /** Called with the reports that were refused while a breaker was open, and need a person now. */
  quarantined(rows: readonly Row[]): void;
}

/** Emits the events of ended pauses, and wakes the worker. */
export const resumedTo = (
  events: Events,
  waiters: Waiters,
  wake: () => void,
): Pick<PausePlace, 'resumed' | 'quarantined'> => ({
  resumed(pauses) {
    for (const pause of pauses) events.emit('resumed', operationScope(pause));
    wake();
  },
  quarantined(rows) {
    for (const row of rows) {
      const { problem, inDoubt } = row;
      if (problem)
        events.emit('quarantined', { ...aboutReport(row), code: problem.code, message: problem.message, inDoubt });
      waiters.tell(row);
    }
  },
});

/** The number of rows in a commit: workers wait for it. */
const TOGETHER = 100;

/** Quarantines the reports that an open breaker holds back after a refusal: else its end would send them again. */
async function quarantineRefused({ store, quarantined }: PausePlace, scope: PauseScope): Promise<void> {
  async function* refused() {
    for await (const row of scanRows(store, { ...operationScope(scope), state: 'waiting' }))
      if (isRefusedData(row)) yield row;
  }
  for await (const rows of inBatches(refused(), TOGETHER)) {
    const writes = rows.map((row) => writeOf(row, { ...unchanged(row), state: 'quarantined' }));
    const { written } = await store.turn({ writes, claim: undefined });
    quarantined(
      rows.flatMap((row, index) => (written[index] && writes[index] ? changedRow(row, writes[index].change) : [])),
    );
  }
}

/** Ends a pause, and tries again if a probe has changed it meanwhile. Returns whether it was ended here. */
async function endOne(place: PausePlace, pause: Pause, tries = 1): Promise<boolean> {
  if (pause.operation) await quarantineRefused(place, pause);
  if (await place.store.pause(endPause(pause))) return true;
  const now = pausesOf(await place.store.outlook([pause.account])).find((one) => pauseKeyOf(one) === pauseKeyOf(pause));
  return now?.reason !== undefined && tries < PAUSE_TRIES && endOne(place, now, tries + 1);
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
    resumed.push({ account, environment, operation, reason, isResumed: await endOne(place, pause) });
  }
  place.resumed(resumed.filter(({ isResumed }) => isResumed));
  return resumed;
}
