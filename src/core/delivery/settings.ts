import type { Environment, ErrorCode, ErrorOutcome } from '../errors/errors.js';
import type { Logger } from '../platform/logger.js';
import type { Refused } from '../platform/refused.js';
import type { BackoffSettings, Clock } from '../platform/time.js';
import type { OperationName } from '../protocol/operations.js';
import type { HeadersOption } from '../schema/headers.js';
import type { RelayReceiptDetails } from './channel.js';
import type { Transport } from './transport.js';

/** An answer of the gateway, as passed to the options `isRecorded` and `isDuplicate`. */
export interface Answer {
  /** The HTTP status. */
  readonly status: number;
  /** The parsed JSON. The text if it is not JSON. Undefined if it is empty. */
  readonly body: unknown;
  /** Whether the body is JSON or empty. */
  readonly json: boolean;
}

/** Whether a page's cookies are sent with its reports: to its own origin, to any origin, or never. */
export type RelayCredentials = 'same-origin' | 'include' | 'omit';

export interface Gateway {
  /** Without a slash at its end, and without `/integration-gateway`. */
  readonly baseUrl: string;
  /** Below `/integration-gateway/external/`. */
  readonly paths: Readonly<Record<OperationName, string>>;
  readonly apiKey: string | (() => string | Promise<string>);
}

/** A gateway that cannot be sent to. A process that only enqueues needs no more than its address. */
export interface IncompleteGateway extends Refused {
  readonly baseUrl?: string | undefined;
}

export type BothGateways = Readonly<Record<Environment, Gateway | IncompleteGateway>>;

export interface DeliverySettings {
  readonly transport: Transport;
  readonly headers: HeadersOption | undefined;
  readonly retry: BackoffSettings & { readonly limit: number };
  readonly maxRetryAfterMs: number;
  readonly attemptTimeoutMs: number;
  readonly logger: Required<Logger>;
  readonly clock: Clock;
  readonly random: () => number;
  /** Receives debug lines, and cannot fail. Undefined if they are off. */
  readonly debug: ((message: string) => void) | undefined;
  /** Cannot fail. Undefined if there is no listener. */
  readonly onEvent: ((event: AttemptEvent) => void) | undefined;
}

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
interface AttemptStartedEvent extends AboutAttempt {
  /** The type of the event. */
  readonly type: 'attempt-started';
}

/** An attempt has ended. A retry may follow a failure. */
interface AttemptEndedEvent extends AboutAttempt {
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
