import type { ErrorCode } from '../errors/errors.js';
import { seconds } from '../platform/messages.js';
import { type Clock, type Limit, parseRetryAfter } from '../platform/time.js';
import type { CallContext, Failure, Recorded } from './channel.js';
import type { Answer } from './settings.js';
import { type Answered, type Attempted, THE_HOST } from './transport.js';

type Asked = Pick<CallContext, 'host' | 'within' | 'isReport'>;

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Of the client errors, 408 says only that the request did not arrive in time. */
export const isRefusal = (status: number): boolean => status >= 400 && status < 500 && status !== 408;

/** A longer answer about a report, or a longer error, is not read: parsing it could hold the event loop for seconds. */
const LONGEST_ANSWER = 256 * 1024;

export function readAnswer(status: number, text: string | undefined, longest = LONGEST_ANSWER): Answer {
  if (text === undefined || text.length > longest) return { status, body: undefined, json: false };
  try {
    return { status, body: text.trim() ? (JSON.parse(text) as unknown) : undefined, json: true };
  } catch {
    return { status, body: text, json: false };
  }
}

/**
 * Whether an answer that would decide the outcome may be incomplete: there is no proof that it was read to its end, and
 * it is not a complete JSON value. A number is never complete, since another digit may be missing. Other statuses leave
 * the report in doubt anyway, and so does a success that is not understood.
 */
function mayHaveBrokenOff({ status, measured }: Answered, { body, json }: Answer): boolean {
  const isEmpty = body === undefined || typeof body === 'number';
  const decides = isSuccess(status) ? json && isEmpty : isRefusal(status);
  return decides && !measured && (!json || isEmpty);
}

const brokenOff = (status: number, retryAfterMs: number | undefined): Failure => ({
  code: 'network',
  text: `HTTP ${status}: the answer may be incomplete, since it is not JSON and has no content-length; ${status < 300 ? 'over HTTP/2 (Node.js 26) pass nodeTransport() as transport, or let the gateway send one' : 'is the base address right?'}`,
  outcome: 'unknown',
  retryable: true,
  // The gateway's own refusals are JSON.
  foreign: status >= 400,
  details: { status, retryAfterMs },
});

function classifySilence(attempted: Exclude<Attempted, Answered>, { host, within }: Asked): Failure {
  if (attempted.ended === 'aborted') return attempted.unsent ? ABORTED : { ...ABORTED, outcome: 'unknown' };
  if (attempted.ended === 'timeout') {
    const text = `No ${attempted.unsent ? 'connection to' : 'answer from'} ${host()} ${within()}`;
    return { ...OUT_OF_TIME, text, outcome: attempted.unsent ? 'not-sent' : 'unknown' };
  }
  const { text, notSent, retryable, foreign = false } = attempted.failure;
  return {
    code: 'network',
    text: text.replace(THE_HOST, host()),
    outcome: notSent ? 'not-sent' : 'unknown',
    retryable,
    foreign,
  };
}

/** `read` gets a complete answer and its `Retry-After`. */
export function resultOf(
  attempted: Attempted,
  asked: Asked,
  clock: Clock,
  read: (answer: Answer, retryAfterMs: () => number | undefined) => Recorded | Failure,
): Recorded | Failure {
  if (attempted.ended !== 'answered') return classifySilence(attempted, asked);
  const { status, text } = attempted;
  // A verified identity may hold images.
  const isIdentity = !asked.isReport && isSuccess(status);
  const answer = readAnswer(status, text, isIdentity ? Number.POSITIVE_INFINITY : LONGEST_ANSWER);
  // Only for a failure: a clock that throws must not turn a success into an error.
  const retryAfterMs = () => parseRetryAfter(attempted.header('retry-after'), clock.now());
  return mayHaveBrokenOff(attempted, answer) ? brokenOff(status, retryAfterMs()) : read(answer, retryAfterMs);
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  401: 'authentication',
  404: 'not-found',
  422: 'unprocessable',
  429: 'rate-limited',
};

/**
 * The meaning of a status if the answer says no more. A 403 rejects the call like a 400. An outbox also pauses, since
 * it concerns every report (`outbox/rules/attempt-ending.ts`).
 */
export function failureOf(status: number, text: string, retryAfterMs: number | undefined): Failure {
  const isRefused = isRefusal(status);
  const waits = !isRefused || status === 429;
  return {
    code: isRefused ? (CODES[status] ?? 'bad-request') : 'gateway',
    text,
    outcome: isRefused ? 'rejected' : 'unknown',
    ...(waits && { retryable: true }),
    details: { status, ...(waits && { retryAfterMs }) },
  };
}

/** `inPage`: a browser or a phone may repeat a request by itself when a connection breaks, and does not report it. */
export const duplicateFailure = (status: number, duplicate: 'same' | 'conflict', inPage: boolean): Failure => {
  const conflict = duplicate === 'conflict';
  const failure = { code: 'duplicate', outcome: 'rejected', details: { status, conflict } } as const;
  if (conflict)
    return {
      ...failure,
      text: 'the gateway has other data under this reference (a new timestamp or location is other data too); compare your records',
      certain: true,
    };
  if (inPage)
    return {
      ...failure,
      text: 'the gateway already has this report, perhaps from this call: browsers and phones repeat requests by themselves',
      outcome: 'unknown',
      advice: 'Compare your records.',
    };
  return {
    ...failure,
    text: 'the gateway already has this report, and this call did not send it; do not send it again',
  };
};

/** The time that was waited, with its option: `within 10 s (attemptTimeoutMs)`. */
export const withinLimit = ({ milliseconds, option }: Limit): string =>
  `within ${seconds(milliseconds)}${option ? ` (${option})` : ''}`;

/** Ends of a call at a moment when nothing of this attempt was sent. */
export const ABORTED: Failure = { code: 'aborted', text: 'cancelled by its signal', outcome: 'not-sent' };
export const OUT_OF_TIME: Failure = {
  code: 'timeout',
  text: 'timed out before it was sent',
  outcome: 'not-sent',
  retryable: true,
};
export const configurationFailure = (text: string): Failure => ({ code: 'configuration', text, outcome: 'not-sent' });
