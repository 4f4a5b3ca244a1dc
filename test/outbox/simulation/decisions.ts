import { isServed } from '../../../src/outbox/claimants.js';
import { breakerOf } from '../../../src/outbox/destination.js';
import { rowBefore } from '../../../src/outbox/intake/enqueue.js';
import { changePause, concernsPause, isRefusal, mayCondemn, pausedBy, postponed, probeGivenBack, probeTaken } from '../../../src/outbox/pause.js';
import { asksFor, dependencyOf, failureWaitMs, isGathering, isInTime, lookAhead, lookInMs, outlookOf, planTurn } from '../../../src/outbox/plan.js';
import { keptInDoubt } from '../../../src/outbox/restored-database.js';
import { claimed, decided, ended, isAsExpected, isBlocked, isClaimable, isFinal } from '../../../src/outbox/state-machine.js';

/** Everything that the outbox decides, as the source has it: the simulation decides nothing by itself. */
export const decisions = {
  // Whose rows a worker takes.
  isServed,
  // What becomes of a row.
  claimed,
  ended,
  decided,
  isFinal,
  isBlocked,
  isClaimable,
  isAsExpected,
  keptInDoubt,
  rowBefore,
  // What becomes of a pause.
  breakerOf,
  pausedBy,
  concernsPause,
  isRefusal,
  mayCondemn,
  postponed,
  probeTaken,
  probeGivenBack,
  changePause,
  // What a worker does next.
  planTurn,
  lookInMs,
  lookAhead,
  outlookOf,
  isGathering,
  isInTime,
  asksFor,
  dependencyOf,
  failureWaitMs,
};

export type Decisions = typeof decisions;

/** The options of the outbox that a history may be run with. */
export interface Options {
  readonly leaseMs: number;
  readonly attemptTimeoutMs: number;
}
