import {
  AbortedError,
  AuthenticationError,
  BadRequestError,
  DuplicateReportError,
  type ErrorDetails,
  type ErrorOutcome,
  GatewayError,
  NetworkError,
  NotFoundError,
  RateLimitError,
  type ReportingError,
  TimeoutError,
  UnprocessableError,
} from '../errors.js';
import { parseRetryAfter } from '../time.js';
import { messageOf } from './answer.js';
import type { Attempted } from './attempt.js';
import type { AnyReport } from './frozen.js';
import { describeFailure } from './network-failure.js';
import type { ToldByRelay } from './relay-answer.js';
import type { Answer, DeliverySettings } from './settings.js';

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
  /** A text without the values that were sent: an operator's own words must not be taken for the gateway's. */
  readonly withoutSent: (text: string) => string;
  /** Words of the other side, with what was sent masked. */
  readonly shown: (said: string | undefined) => string | undefined;
}

/** Says what the end of an attempt means. */
export function classify(attempted: Attempted, asked: Asked, settings: DeliverySettings): Verdict {
  if (attempted.ended !== 'answered') return { kind: 'failed', failure: classifySilence(attempted, settings.browser) };
  const { status, text, retryAfter } = attempted;
  const answer = readAnswer(status, text);
  const said = answer.json ? messageOf(answer.body) : undefined;

  if (status >= 200 && status < 300) {
    if (asked.isReport ? ask(settings, 'isRecorded', answer, asked.withoutSent) === true : hasVerdict(answer.body))
      return { kind: 'recorded', body: answer.body, said };
  } else if (asked.isReport) {
    const duplicate = ask(settings, 'isDuplicate', answer, asked.withoutSent);
    if (duplicate === 'same' || duplicate === 'conflict')
      return { kind: duplicate === 'same' ? 'same' : 'failed', failure: { ...held(status, duplicate, settings.browser), said } };
  }
  return { kind: 'failed', failure: { ...classifyStatus(answer, asked, parseRetryAfter(retryAfter, settings.clock.now())), said } };
}

export function readAnswer(status: number, text: string | undefined): Answer {
  try {
    return { status, body: text?.trim() ? (JSON.parse(text) as unknown) : undefined, json: text !== undefined };
  } catch {
    return { status, body: text, json: false };
  }
}

const hasVerdict = (body: unknown): boolean => typeof (body as { success?: unknown } | null | undefined)?.success === 'boolean';

const MEANINGS = { isRecorded: [true, false], isDuplicate: ['same', 'conflict', false] } as const;

/** Asks the user's function; one that throws, or answers with something else, has not answered, and the careful reading stands. */
function ask<Name extends 'isRecorded' | 'isDuplicate'>(
  settings: DeliverySettings,
  name: Name,
  answer: Answer,
  withoutSent: (text: string) => string,
): ReturnType<DeliverySettings[Name]> | false {
  let fault = 'threw';
  try {
    const meaning = settings[name](answer, withoutSent) as ReturnType<DeliverySettings[Name]>;
    // One that is asynchronous by mistake must not end the process when it fails.
    Promise.resolve(meaning).catch(() => {});
    if ((MEANINGS[name] as readonly unknown[]).includes(meaning)) return meaning;
    fault = `must return ${MEANINGS[name].join(' or ')}`;
  } catch {
    // Said below; what it threw may hold anything.
  }
  settings.logger.error(`The option ${name} ${fault}; HTTP ${answer.status} is read as if it had returned false.`);
  return false;
}

export function classifySilence(attempted: Exclude<Attempted, { ended: 'answered' }>, browser: boolean): Failure {
  if (attempted.ended === 'aborted') return { type: AbortedError, text: 'aborted by its signal', outcome: 'unknown' };
  if (attempted.ended === 'timeout') return { type: TimeoutError, text: 'no whole answer came in time', outcome: 'unknown', retryable: true };
  const { failure } = attempted;
  const { notSent, certificate } = failure;
  return { type: NetworkError, text: describeFailure(failure, browser), outcome: notSent ? 'not-sent' : 'unknown', retryable: !certificate };
}

/** A browser may send a request again by itself when a connection breaks, and nobody is told. */
export const held = (status: number, duplicate: 'same' | 'conflict', browser: boolean): Failure => {
  const conflict = duplicate === 'conflict';
  const details = { status, conflict };
  if (conflict) {
    const text = 'the gateway holds other data under this reference (a new timestamp or location is other data too); compare your records';
    return { type: DuplicateReportError, text, outcome: 'rejected', certain: true, details };
  }
  const text = browser
    ? 'the gateway holds this report already, and it may be this call that sent it: browsers repeat requests by themselves'
    : 'the gateway holds this report already, and it was not this call that sent it; do not send it again';
  return { type: DuplicateReportError, text, outcome: browser ? 'unknown' : 'rejected', details, ...(browser && { advice: 'Compare your records.' }) };
};

export function classifyStatus(
  { status, body, json }: Answer,
  { after, isReport }: Pick<Asked, 'after' | 'isReport'>,
  retryAfterMs: number | undefined,
): Failure {
  // What a browser does not follow it does not tell either.
  const http = status === 0 ? '' : `HTTP ${status}: `;
  const refused = (type: Failure['type'], text: string): Failure => ({ type, text: http + text, outcome: 'rejected', details: { status } });
  const notJson = !json || body === undefined ? 'the answer is not JSON: ' : '';
  const wrongAddress = `; ${notJson}is the base address right?`;

  if (status === 401) return refused(AuthenticationError, 'the API key is missing or not valid in this environment');
  if (status === 404) {
    const missing = after && !notJson ? `; was ${after} reported first, in this environment? If so, check the base address` : wrongAddress;
    return refused(NotFoundError, `no such record${missing}`);
  }
  if (status === 422) return refused(UnprocessableError, 'the gateway cannot accept the data; correct it and call again');
  if (status === 429) {
    return { ...refused(RateLimitError, 'too many requests; call again later'), retryable: true, details: { status, retryAfterMs } };
  }
  if (status >= 400 && status < 500 && status !== 408)
    return refused(BadRequestError, `the gateway refused the request${status === 405 && notJson ? wrongAddress : ''}`);

  const what =
    status >= 200 && status < 300
      ? json
        ? `the answer does not say that ${isReport ? 'the report is recorded (see the option isRecorded)' : 'the number is verified or not'}`
        : 'the answer is not JSON; does a proxy or a captive portal stand in between?'
      : status < 400
        ? 'a redirect is not followed, since the API key would travel with it; is the base address right?'
        : 'the gateway failed';
  return { type: GatewayError, text: http + what, outcome: 'unknown', retryable: true, details: { status, retryAfterMs } };
}
