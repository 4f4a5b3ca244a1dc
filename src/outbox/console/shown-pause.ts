import type { OperationName } from '../../protocol/operations.js';
import type { OutboxEnvironment, PauseReason } from '../destination.js';

/** The pause of a destination or of one of its operations. */
export interface ShownPause {
  /** The account whose reports wait. */
  readonly account: string;
  /** The paused environment. */
  readonly environment: OutboxEnvironment;
  /** The paused operation, if it is the pause of a breaker. Null: the whole environment is paused. */
  readonly operation: OperationName | null;
  /** The reason, to branch on. */
  readonly reason: PauseReason;
  /** The reason in a sentence. */
  readonly message: string | null;
  /** Whether only a person ends it. */
  readonly needsPerson: boolean;
  /** The cause, in general words. */
  readonly cause: string;
  /** The action that ends it. */
  readonly action: string;
  /** The begin of the pause. */
  readonly since: number;
  /** The time of the next probe. If it has passed: the probe is sent as soon as a worker is free. */
  readonly nextProbeAt: number;
  /** The number of failed probes in a row. Of a breaker: also its strikes. */
  readonly failedProbes: number;
}
