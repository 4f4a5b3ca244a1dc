import type { ErrorCode, ErrorOutcome, LocationStep } from '../errors/errors.js';
import type { ValidationIssue } from '../schema/issue.js';

/** What a page is told of a failure (our decision: the wire format of the relay). */
export interface RelayFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly outcome: ErrorOutcome;
  readonly reference?: string | undefined;
  readonly issues?: readonly ValidationIssue[] | undefined;
  readonly steps?: readonly LocationStep[] | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly conflict?: boolean | undefined;
}

/** An answer before it is a `Response`. */
export interface RelayAnswer {
  readonly status: number;
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const refusal = (status: number, code: ErrorCode, message: string, headers: Readonly<Record<string, string>> = {}): RelayAnswer => ({
  status,
  headers,
  body: { error: { code, message, outcome: 'not-sent' } satisfies RelayFailure },
});

/** What the relay refuses by itself: the same words for everybody, whoever asks and whatever was wrong in detail. */
export const refusals = {
  noSuchPath: refusal(404, 'not-found', 'There is nothing here.'),
  badAddress: refusal(400, 'bad-request', 'The address makes no sense.'),
  method: refusal(405, 'bad-request', 'Use POST.', { allow: 'POST' }),
  forbidden: refusal(403, 'bad-request', 'This is not accepted.'),
  mediaType: refusal(415, 'bad-request', 'Send application/json.'),
  noSession: refusal(401, 'authentication', 'Nobody is logged in.'),
  otherPlayer: refusal(401, 'authentication', 'Another player is logged in than the one whose report this is.'),
  tooLarge: refusal(413, 'bad-request', 'The body is too large.'),
  tooSlow: refusal(408, 'timeout', 'The body did not come in time.'),
  outOfTime: refusal(503, 'timeout', 'The time of the request was over. Nothing was sent.'),
} as const;

/** A failure whose reason is the operator's alone: the page gets an id to ask about. */
export const broken = (id: string, outcome: ErrorOutcome = 'not-sent', status = 500, code: ErrorCode = 'configuration', reference?: string): RelayAnswer => ({
  status,
  body: { error: { code, message: `Something went wrong (${id}).`, outcome, reference } satisfies RelayFailure },
});

/** More than any form has, and no more than an answer should hold. */
const MOST_ISSUES = 100;

/** A page that sends what is wrong is told all of it, but for what is beyond reason. */
export const invalid = (issues: readonly ValidationIssue[], reference?: string): RelayAnswer => ({
  status: 400,
  body: {
    error: {
      code: 'validation',
      message: 'The event is not as it must be; issues lists what is wrong. Nothing was sent.',
      outcome: 'not-sent',
      reference,
      issues: issues.slice(0, MOST_ISSUES),
    } satisfies RelayFailure,
  },
});

export const tooMany = (retryAfterMs: number | undefined, outcome: ErrorOutcome, status = 429, reference?: string): RelayAnswer => ({
  status,
  ...(retryAfterMs !== undefined && { headers: { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) } }),
  body: { error: { code: 'rate-limited', message: 'Too many requests; try again later.', outcome, reference, retryAfterMs } satisfies RelayFailure },
});

const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', vary: 'Origin' };

/** The answer as the web has it. Members that are undefined are left out of the JSON. */
export function toResponse({ status, body, headers }: RelayAnswer, more: Readonly<Record<string, string>> = {}): Response {
  const all = { ...HEADERS, ...(body && { 'content-type': 'application/json; charset=utf-8' }), ...headers, ...more };
  return new Response(body === undefined ? null : JSON.stringify(body), { status, headers: all });
}

/** Ends a request with an answer, from wherever it is found out. */
export class RefusedRequest extends Error {
  constructor(readonly answer: RelayAnswer) {
    super('refused');
  }
}

export function refuse(answer: RelayAnswer): never {
  throw new RefusedRequest(answer);
}
