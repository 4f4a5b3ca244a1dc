import type { OperationName } from '../../protocol/operations.js';
import type { OutboxEnvironment, PauseReason } from '../destination.js';

/** A destination, or one of its operations, to which nothing is sent. */
export interface ShownPause {
  /** Whose reports. */
  readonly account: string;
  /** Where they go. */
  readonly environment: OutboxEnvironment;
  /** Of a breaker: the operation that it holds up; null: all of the environment is paused. */
  readonly operation: OperationName | null;
  /** Why, in a word. */
  readonly reason: PauseReason;
  /** Why, in a sentence. */
  readonly message: string | null;
  /** Since when. */
  readonly since: number;
  /** When one report is tried as a probe; in the past: as soon as a worker is free. */
  readonly nextProbeAt: number;
  /** Probes that failed in a row. */
  readonly failedProbes: number;
}
