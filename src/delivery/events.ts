import type { Environment, ErrorCode, ErrorOutcome } from '../errors/errors.js';
import type { OperationName } from '../protocol/operations.js';
import type { RelayReceiptDetails } from './verdict.js';

/** The attempt and its call. */
interface AboutAttempt {
  /** The called function, for example `'reportBetEvent'`. */
  readonly operation: OperationName;
  /** Undefined with a relay, which has its own environment. */
  readonly environment: Environment | undefined;
  /** The report's `bet_id` or `request_id`. Undefined for `verifyNin`. */
  readonly reference: string | undefined;
}

/** An attempt begins: the first of a call, or a retry. */
export interface AttemptStartedEvent extends AboutAttempt {
  /** The type of the event. */
  readonly type: 'attempt-started';
}

/** An attempt has ended. A retry may follow a failure. */
export interface AttemptEndedEvent extends AboutAttempt {
  /** The type of the event. */
  readonly type: 'attempt-ended';
  /** The result of this attempt alone: success, as in a receipt, or failure, as in an error. */
  readonly outcome: RelayReceiptDetails['outcome'] | ErrorOutcome;
  /** Why it failed. Undefined if it succeeded. */
  readonly code: ErrorCode | undefined;
  /** How long the attempt took, in milliseconds. */
  readonly durationMs: number;
  /** The id that the gateway or relay gave the request. Undefined if it gave none. */
  readonly requestId: string | undefined;
}

/** The events of attempts. */
export type AttemptEvent = AttemptStartedEvent | AttemptEndedEvent;
