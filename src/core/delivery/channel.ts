import type { Environment, ErrorCode, ErrorDetails, ErrorOutcome } from '../errors/errors.js';
import type { Refused } from '../platform/refused.js';
import type { Limit } from '../platform/time.js';
import type { Location } from '../schema/location.js';
import type { AnyReport } from './frozen-report.js';
import type { Attempted, AttemptRequest } from './transport.js';

export interface Recorded {
  readonly kind: 'recorded';
  /** As in a receipt. A gateway's is `'recorded'`. */
  readonly outcome: RelayReceiptDetails['outcome'];
  /** Masked. */
  readonly message: string | undefined;
  readonly requestId?: string | undefined;
  /** The parsed answer. */
  readonly body?: unknown;
  readonly relayReceipt?: RelayReceiptDetails;
}

/** It becomes an error when the outcome of the whole call is known. */
export interface Failure {
  readonly kind?: undefined;
  /** `'duplicate'` without `details.conflict`: the gateway has this data. Earlier attempts decide whether that is success. */
  readonly code: ErrorCode;
  /** The failure and what to do about it. */
  readonly text: string;
  /** The outcome of this attempt alone. An earlier one may leave more doubt. */
  readonly outcome: ErrorOutcome;
  readonly retryable?: boolean;
  /** Final even after attempts in doubt: the gateway has other data than this report. */
  readonly certain?: boolean;
  /** Whether a proxy or another server answered instead of the gateway. */
  readonly foreign?: boolean;
  /** Replaces the advice of the outcome. */
  readonly advice?: string;
  /** The message of the gateway, masked, or of a relay of this package. */
  readonly said?: string | undefined;
  readonly requestId?: string | undefined;
  readonly details?: Pick<ErrorDetails, 'status' | 'conflict' | 'retryAfterMs' | 'issues' | 'steps' | 'details'>;
}

/** Data about a report that only a relay has, for the receipt. */
export interface RelayReceiptDetails {
  readonly outcome: 'recorded' | 'already-recorded' | 'accepted';
  readonly environment?: Environment;
  readonly location?: Location;
  readonly state?: string;
}

export interface CallContext {
  readonly report: AnyReport;
  readonly isReport: boolean;
  /** The receiver and the time limit, for messages. */
  readonly host: () => string;
  readonly within: () => string;
  /** The operation that must be reported first. */
  readonly after: string | undefined;
}

/** The destination of reports: the gateway, or the operator's relay, which has its own environment. */
export interface Channel {
  readonly kind: 'gateway' | 'relay';
  /** The addresses of the environments that are set up, or the relay's own. */
  readonly addresses: { readonly [Name in Environment | 'relay']?: string | undefined };
  /** A problem that stops every report, for any options of the call. */
  problem(): string | undefined;
  /** The exchange for one report, or the failure that a setting is missing. `headers` are added to each request. */
  open(
    report: Pick<AnyReport, 'operation' | 'environment'>,
    headers?: Readonly<Record<string, string>>,
  ): Exchange | Failure;
}

/** The exchange for one report, with the data that is kept between its attempts. */
export interface Exchange {
  readonly by: 'gateway' | 'relay';
  /** Made again for each attempt, within its limit. */
  request(body: string, limit: () => Limit): Promise<AttemptRequest | Failure>;
  read(attempted: Attempted, context: CallContext): Recorded | Failure;
  /** Keys and header values used so far: a rotated key is still secret. */
  readonly secrets: Set<string>;
  /** Resolves when the next attempt must start at once. The signal removes the listener. */
  hurry?(signal: AbortSignal): Promise<void>;
}

/** A report for a relay may be incomplete, and one for a gateway names its environment. */
export const FOREIGN_REPORT: Refused = { why: 'the report belongs to another client.' };
