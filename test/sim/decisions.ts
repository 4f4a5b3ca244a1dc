import { rowBefore } from '../../src/outbox/intake/enqueue.js';
import {
  decided,
  dismissedWithReport,
  isRefusedData,
  reopenedWithReport,
  replaced,
  undone,
  wasDismissedWith,
} from '../../src/outbox/rules/decisions.js';
import { type DestinationOperation, operationScope, type PauseScope } from '../../src/outbox/rules/destination.js';
import {
  changePause,
  concernsPause,
  endPause,
  isRefusal,
  mayQuarantine,
  pausedBy,
  postponed,
  probeReturned,
  probeTaken,
  type SeenPauses,
} from '../../src/outbox/rules/pause.js';
import { earlierLines } from '../../src/outbox/rules/receipt-entry.js';
import {
  bytesAfter,
  type Change,
  claimed,
  ended,
  isAsExpected,
  isBlocked,
  isClaimable,
  isFinal,
  isOpen,
  mustStay,
  type Row,
  takenFromWorker,
  unchanged,
} from '../../src/outbox/rules/state-machine.js';
import { isUnbound } from '../../src/outbox/sending/bindings.js';
import {
  asksFor,
  dependencyOf,
  failureWaitMs,
  idleWaitMs,
  isGathering,
  isInTime,
  outlookOf,
  planIdle,
  planTurn,
  untilNextRead,
} from '../../src/outbox/sending/plan.js';
import { keptInDoubt } from '../../src/outbox/sending/restored-database.js';
import { isServed, mayTakeFrom } from '../../src/outbox/store/claimants.js';

/** Every decision of the outbox, from the source. The simulation has no decisions of its own. */
export const decisions = {
  // The rows that a worker claims.
  isServed,
  mayTakeFrom,
  // The changes of a row.
  claimed,
  ended,
  decided,
  replaced,
  dismissedWithReport,
  reopenedWithReport,
  wasDismissedWith,
  undone,
  bytesAfter,
  isRefusedData,
  heldAfterRefusal: (row: Row): Change => ({ ...unchanged(row), state: 'quarantined' }),
  earlierLines,
  isFinal,
  isOpen,
  isBlocked,
  isClaimable,
  isAsExpected,
  mustStay,
  takenFromWorker,
  keptInDoubt,
  rowBefore,
  // The changes of a pause.
  breakerOf: operationScope as (report: DestinationOperation) => PauseScope,
  pausedBy,
  concernsPause,
  endPause,
  isRefusal,
  mayQuarantine,
  postponed,
  probeTaken,
  probeReturned,
  changePause,
  // The memory of a worker.
  // A variant needs the pauses of the look before.
  seenAtLook: ((pauses) => pauses) as (pauses: SeenPauses, before: SeenPauses) => SeenPauses,
  isUnbound,
  // The next steps of a worker.
  planTurn,
  untilNextRead,
  planIdle,
  outlookOf,
  isGathering,
  isInTime,
  asksFor,
  dependencyOf,
  failureWaitMs,
  idleWaitMs,
};

export type Decisions = typeof decisions;

/** The options of the outbox in a history. */
export interface Options {
  readonly leaseMs: number;
  readonly attemptTimeoutMs: number;
}
