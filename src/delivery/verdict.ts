import {
  AbortedError,
  ConfigurationError,
  DuplicateReportError,
  type ErrorDetails,
  type ErrorOutcome,
  NetworkError,
  type ReportingError,
  TimeoutError,
} from '../errors.js';
import { RELAY_ONLY } from '../relay-only.js';
import type { Sent } from '../schema/sent-words.js';
import type { Attempted } from './attempt.js';
import type { AnyReport } from './frozen.js';
import { describeFailure } from './network-failure.js';
import type { ToldByRelay } from './relay-answer.js';
import { KNOWS_UNSENT } from './request.js';
import type { Answer } from './settings.js';

/** One way in which an attempt failed; the error is made once the outcome of the whole call is known. */
export interface Failure {
  readonly type: new (message: string, details: ErrorDetails) => ReportingError;
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
  /** What the gateway said, unmasked: only `deliver` may show it, masked. */
  readonly said?: string | undefined;
  /** More properties of the error. */
  readonly details?: Pick<ErrorDetails, 'status' | 'conflict' | 'retryAfterMs' | 'issues' | 'steps'>;
}

export type Verdict =
  | { readonly kind: 'recorded'; readonly body: unknown; readonly said: string | undefined; readonly told?: ToldByRelay }
  /** `'same'`: the gateway holds the same data; whether that is success depends on what was sent before. */
  | { readonly kind: 'same' | 'failed'; readonly failure: Failure };

/** What kind of call an answer answers. */
export interface Asked {
  readonly report: AnyReport;
  readonly isReport: boolean;
  /** The operation that must be reported first. */
  readonly after: string | undefined;
  /** What the gateway may repeat: an operator's own words must not be taken for the gateway's. */
  readonly sent: () => Sent;
  /** Words of the other side, with what was sent masked. */
  readonly shown: (said: string | undefined) => string | undefined;
}

export function readAnswer(status: number, text: string | undefined): Answer {
  try {
    return { status, body: text?.trim() ? (JSON.parse(text) as unknown) : undefined, json: text !== undefined };
  } catch {
    return { status, body: text, json: false };
  }
}

type Answered = Extract<Attempted, { ended: 'answered' }>;

/**
 * Whether an answer that would decide something may have broken off: nothing proves that it was read to its end, and it is no
 * whole JSON. A number is never whole, since another digit may be missing. Other statuses leave the report in doubt anyway, and
 * so does a success that is not understood.
 */
export function mayHaveBrokenOff({ status, measured }: Answered, { body, json }: Answer): boolean {
  const isEmpty = body === undefined || typeof body === 'number';
  const decides = status >= 200 && status < 300 ? json && isEmpty : status >= 400 && status < 500 && status !== 408;
  return decides && !measured && (!json || isEmpty);
}

/** The end of an attempt whose answer may have broken off, whatever its status says. */
export const brokenOff = (status: number, retryAfterMs: number | undefined): Failure => ({
  type: NetworkError,
  text: `HTTP ${status}: the answer may have broken off, since it is not JSON and has no content-length; is the base address right?`,
  outcome: 'unknown',
  retryable: true,
  // The gateway's own 404 is JSON.
  foreign: status === 404,
  details: { status, retryAfterMs },
});

/** What `nodeTransport` says of a 407. The built-in `fetch` fails without a word. */
const OF_A_PROXY = 'PROXY_AUTHENTICATION_REQUIRED';

export function classifySilence(attempted: Exclude<Attempted, { ended: 'answered' }>, browser: boolean): Failure {
  if (attempted.ended === 'aborted') return KNOWS_UNSENT && attempted.unsent ? ABORTED : { ...ABORTED, outcome: 'unknown' };
  if (attempted.ended === 'timeout')
    return KNOWS_UNSENT && attempted.unsent ? OUT_OF_TIME : { ...OUT_OF_TIME, text: 'no whole answer came in time', outcome: 'unknown' };
  const { failure } = attempted;
  const { notSent, certificate } = failure;
  const text = describeFailure(failure, browser);
  return { type: NetworkError, text, outcome: notSent ? 'not-sent' : 'unknown', retryable: !certificate, foreign: failure.code === OF_A_PROXY };
}

/** A browser may send a request again by itself when a connection breaks, and nobody is told. */
export const held = (status: number, duplicate: 'same' | 'conflict', browser: boolean): Failure => {
  const conflict = duplicate === 'conflict';
  const details = { status, conflict };
  if (conflict) {
    const text = 'the gateway holds other data under this reference (a new timestamp or location is other data too); compare your records';
    return { type: DuplicateReportError, text, outcome: 'rejected', certain: true, details };
  }
  const isRepeatable = RELAY_ONLY || browser;
  const text = isRepeatable
    ? 'the gateway holds this report already, and it may be this call that sent it: browsers repeat requests by themselves'
    : 'the gateway holds this report already, and it was not this call that sent it; do not send it again';
  return {
    type: DuplicateReportError,
    text,
    outcome: isRepeatable ? 'unknown' : 'rejected',
    details,
    ...(isRepeatable && { advice: 'Compare your records.' }),
  };
};

/** Ends of a call at a moment when nothing of this attempt had left. */
export const ABORTED: Failure = { type: AbortedError, text: 'aborted by its signal', outcome: 'not-sent' };
export const OUT_OF_TIME: Failure = { type: TimeoutError, text: 'its time was over before it was sent', outcome: 'not-sent', retryable: true };
export const unusable = (text: string): Failure => ({ type: ConfigurationError, text, outcome: 'not-sent' });
