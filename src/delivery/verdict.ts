import type { Environment, ErrorCode, ErrorDetails, ErrorOutcome } from '../errors/errors.js';
import type { Location } from '../schema/location.js';
import type { SentValue } from '../schema/sent-values.js';
import type { Sent } from '../schema/sent-words.js';
import type { AnyReport } from './frozen.js';

/** One way in which an attempt failed; an error is made of it once the outcome of the whole call is known. */
export interface Failure {
  readonly code: ErrorCode;
  /** What happened and what to do about it. */
  readonly text: string;
  /** What this attempt alone tells; an earlier one may leave more doubt. */
  readonly outcome: ErrorOutcome;
  readonly retryable?: boolean;
  /** Holds whatever earlier attempts left in doubt: what the gateway holds is not this report. */
  readonly certain?: boolean;
  /** Whether the answer is not the gateway's own, but that of a proxy or of another server. */
  readonly foreign?: boolean;
  /** Instead of what the outcome advises. */
  readonly advice?: string;
  /** What the other side said, unmasked: only `sendOnce` may hand it on, masked. */
  readonly said?: string | undefined;
  /** More properties of the error. */
  readonly details?: Pick<ErrorDetails, 'status' | 'conflict' | 'retryAfterMs' | 'issues' | 'steps' | 'details'>;
}

/** What only a relay knows of a report, for the receipt. */
export interface RelayReceiptDetails {
  readonly outcome: 'recorded' | 'already-recorded' | 'accepted';
  readonly environment?: Environment;
  readonly location?: Location;
  readonly state?: string;
}

/** What one attempt means. */
export type Verdict = {
  /** The id that the gateway gave to the request. */
  readonly requestId?: string | undefined;
} & (
  | { readonly kind: 'recorded'; readonly body: unknown; readonly said: string | undefined; readonly relayReceipt?: RelayReceiptDetails }
  /** `'same'`: the gateway holds the same data; whether that is success depends on what was sent before. */
  | { readonly kind: 'same' | 'failed'; readonly failure: Failure }
);

/** What kind of call an answer answers. */
export interface CallContext {
  readonly report: AnyReport;
  readonly isReport: boolean;
  /** Who was asked, and how long, for messages. */
  readonly host: () => string;
  readonly within: () => string;
  /** The operation that must be reported first. */
  readonly after: string | undefined;
  /** What the gateway may repeat: an operator's own words must not be taken for the gateway's. */
  readonly sent: () => Sent;
  /** Every value that was sent, the keys included. */
  readonly values: () => readonly SentValue[];
  /** The values of the report's own identifiers, which may be shown. */
  readonly identifiers: () => readonly string[];
  /** Words of the other side, with what was sent masked. */
  readonly mask: (said: string | undefined) => string | undefined;
}
