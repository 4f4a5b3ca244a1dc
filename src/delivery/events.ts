import type { Environment, ErrorCode, ErrorOutcome } from '../errors/errors.js';
import type { OperationName } from '../protocol/operations.js';
import type { RelayReceiptDetails } from './verdict.js';

/** Which attempt of which call. */
interface AboutAttempt {
  /** The called function, for example `'reportBetEvent'`. */
  readonly operation: OperationName;
  /** Undefined with a relay, whose environment is its own. */
  readonly environment: Environment | undefined;
  /** The report's `bet_id` or `request_id`; undefined for `verifyNin`. */
  readonly reference: string | undefined;
}

/** An attempt to send begins: the first of a call, or a retry. */
export interface AttemptStartedEvent extends AboutAttempt {
  /** Which event it is. */
  readonly type: 'attempt-started';
}

/** An attempt has ended; after a failure another one may follow. */
export interface AttemptEndedEvent extends AboutAttempt {
  /** Which event it is. */
  readonly type: 'attempt-ended';
  /** What this attempt alone tells: it succeeded, as in a receipt, or failed, as in an error. */
  readonly outcome: RelayReceiptDetails['outcome'] | ErrorOutcome;
  /** Why it failed; undefined where it succeeded. */
  readonly code: ErrorCode | undefined;
  /** How long it took, in milliseconds. */
  readonly durationMs: number;
  /** The id that the other side gave to the request; undefined where it gave none. */
  readonly requestId: string | undefined;
}

/** What is told of attempts. */
export type AttemptEvent = AttemptStartedEvent | AttemptEndedEvent;
