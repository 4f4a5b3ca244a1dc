import type { ErrorCode, ErrorOutcome, LocationStep } from '../errors/errors.js';
import { RELAY_HEADER } from '../protocol/player-header.js';
import type { ValidationIssue } from '../schema/issue.js';

/** The answer to a page about a failure (our decision: the wire format of the relay). */
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

/** The data of an answer, before it is a `Response`. */
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

/** The relay's own refusals. The message is the same for every caller and every detail. */
export const refusals = {
  noSuchPath: refusal(404, 'not-found', 'There is nothing here.'),
  badAddress: refusal(400, 'bad-request', 'The address makes no sense.'),
  method: refusal(405, 'bad-request', 'Use POST.', { allow: 'POST' }),
  forbidden: refusal(403, 'bad-request', 'This is not accepted.'),
  mediaType: refusal(415, 'bad-request', 'Send application/json.'),
  noSession: refusal(401, 'authentication', 'No player is logged in.'),
  otherPlayer: refusal(401, 'authentication', 'The logged-in player is not the player of this report.'),
  tooLarge: refusal(413, 'bad-request', 'The body is too large.'),
  tooSlow: refusal(408, 'timeout', 'The body did not come in time.'),
  outOfTime: refusal(503, 'timeout', 'The request timed out. Nothing was sent.'),
} as const;

/** A failure whose reason only the operator may see. The page gets an id that leads to it. */
export const broken = (id: string, outcome: ErrorOutcome = 'not-sent', status = 500, code: ErrorCode = 'configuration', reference?: string): RelayAnswer => ({
  status,
  body: { error: { code, message: `Something went wrong (${id}).`, outcome, reference } satisfies RelayFailure },
});

/** More than any form has, and no more than an answer should contain. */
const MOST_ISSUES = 100;

/** A page gets all problems of its event, up to a reasonable number. */
export const invalid = (issues: readonly ValidationIssue[], reference?: string): RelayAnswer => ({
  status: 400,
  body: {
    error: {
      code: 'validation',
      message: 'The event is not valid; issues lists the problems. Nothing was sent.',
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

/** Every text of an answer is written here or in `schema/`, without a value of the report: so the page need not mask it. */
const HEADERS = { [RELAY_HEADER]: '1', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', vary: 'Origin' };

/** The answer as a web `Response`. Undefined members are left out of the JSON. */
export function toResponse({ status, body, headers }: RelayAnswer, more: Readonly<Record<string, string>> = {}): Response {
  const all = { ...HEADERS, ...(body && { 'content-type': 'application/json; charset=utf-8' }), ...headers, ...more };
  return new Response(body === undefined ? null : JSON.stringify(body), { status, headers: all });
}

/** Ends a request with an answer, thrown from any depth. */
export class RefusedRequest extends Error {
  constructor(readonly answer: RelayAnswer) {
    super('refused');
  }
}

export function refuse(answer: RelayAnswer): never {
  throw new RefusedRequest(answer);
}
