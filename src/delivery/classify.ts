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
import { messageOf } from './answer.js';
import type { Attempted } from './attempt.js';
import { parseRetryAfter } from './retry-after.js';
import type { Answer, DeliverySettings } from './settings.js';

/** One way in which an attempt failed: what happened, and how to make the error once the call's outcome is known. */
export interface Failure {
  /** What happened and what to do about it. */
  text: string;
  /** What the gateway said, unmasked: only `deliver` may show it, masked. */
  said?: string | undefined;
  /** What this attempt alone tells; an earlier one may leave more doubt. */
  outcome: ErrorOutcome;
  /** Holds whatever earlier attempts left in doubt: what the gateway holds is not this report. */
  certain?: boolean;
  retryable: boolean;
  status?: number;
  retryAfterMs?: number | undefined;
  create: (message: string, details: ErrorDetails) => ReportingError;
}

export type Verdict =
  | { kind: 'recorded'; body: unknown; said: string | undefined }
  /** The gateway holds the same data; whether that is success depends on what was sent before. */
  | { kind: 'same'; failure: Failure }
  | { kind: 'failed'; failure: Failure };

/** What kind of call an answer answers. */
export interface Asked {
  isReport: boolean;
  /** The operation that must be reported first. */
  after: string | undefined;
}

type PlainError = new (message: string, details: ErrorDetails) => ReportingError;

const refusal = (type: PlainError, status: number, text: string): Failure => ({
  text,
  status,
  outcome: 'rejected',
  retryable: false,
  create: (message, details) => new type(message, details),
});

/** Says what an attempt's end means. */
export function classify(attempted: Attempted, asked: Asked, settings: DeliverySettings): Verdict {
  if (attempted.ended !== 'answered') return { kind: 'failed', failure: classifySilence(attempted) };
  const { status, text } = attempted;
  const answer = { status, ...parseBody(text) };
  const said = answer.json ? messageOf(answer.body) : undefined;

  if (status >= 200 && status < 300) {
    const understood = asked.isReport ? ask(settings, 'isRecorded', answer) === true : hasVerdict(answer.body);
    if (understood) return { kind: 'recorded', body: answer.body, said };
  } else if (asked.isReport) {
    const duplicate = ask(settings, 'isDuplicate', answer);
    if (duplicate === 'same' || duplicate === 'conflict') {
      return { kind: duplicate === 'same' ? 'same' : 'failed', failure: { ...duplicateFailure(status, duplicate === 'conflict'), said } };
    }
  }
  const retryAfterMs = parseRetryAfter(attempted.retryAfter, settings.clock.now());
  return { kind: 'failed', failure: { ...classifyStatus(answer, asked, retryAfterMs), said } };
}

function parseBody(text: string | undefined): Omit<Answer, 'status'> {
  if (text === undefined) return { body: undefined, json: false };
  if (text.trim() === '') return { body: undefined, json: true };
  try {
    return { body: JSON.parse(text) as unknown, json: true };
  } catch {
    return { body: text, json: false };
  }
}

const hasVerdict = (body: unknown): boolean => typeof (body as { success?: unknown } | null | undefined)?.success === 'boolean';

/** Asks the user's function; one that throws has not answered, and the careful reading stands. */
function ask<Name extends 'isRecorded' | 'isDuplicate'>(settings: DeliverySettings, name: Name, answer: Answer) {
  try {
    return settings[name](answer);
  } catch {
    settings.logger.error?.(`The option ${name} threw; the answer (HTTP ${answer.status}) is read as if it had returned false.`);
    return false;
  }
}

function classifySilence(attempted: Exclude<Attempted, { ended: 'answered' }>): Failure {
  switch (attempted.ended) {
    case 'timeout':
      return {
        text: 'no whole answer came in time',
        outcome: 'unknown',
        retryable: true,
        create: (message, details) => new TimeoutError(message, details),
      };
    case 'aborted':
      return {
        text: 'the call was aborted by its signal',
        outcome: 'unknown',
        retryable: false,
        create: (message, details) => new AbortedError(message, details),
      };
    case 'broken': {
      const { code, notSent, certificate } = attempted.failure;
      const what = certificate
        ? "the gateway's certificate was refused"
        : notSent
          ? 'the gateway could not be reached'
          : 'the connection broke before a whole answer came';
      return {
        text: `${what}${code ? ` (${code})` : ''}${notSent ? '; check the base address and the network' : ''}`,
        outcome: notSent ? 'not-sent' : 'unknown',
        retryable: !certificate,
        create: (message, details) => new NetworkError(message, details),
      };
    }
  }
}

function duplicateFailure(status: number, conflict: boolean): Failure {
  return {
    text: conflict
      ? 'the gateway holds other data under this reference, and a report cannot be changed; compare your records, and use a new reference if this is another bet or withdrawal'
      : 'the gateway holds this report already, and it was not this call that sent it; do not send it again',
    status,
    outcome: 'rejected',
    certain: conflict,
    retryable: false,
    create: (message, details) => new DuplicateReportError(message, { ...details, conflict }),
  };
}

function classifyStatus({ status, body, json }: Answer, { after }: Asked, retryAfterMs: number | undefined): Failure {
  const http = `(HTTP ${status})`;
  const wrongAddress = json && body !== undefined ? '' : '; the answer is not JSON: is the base address right?';
  if (status === 401) return refusal(AuthenticationError, status, `the API key is missing or not valid for this environment ${http}; check the key`);
  if (status === 404) {
    const advice = wrongAddress || (after ? `; was ${after} reported first, in this environment?` : '');
    return refusal(NotFoundError, status, `the gateway has no such record ${http}${advice}`);
  }
  if (status === 422) return refusal(UnprocessableError, status, `the gateway could not accept the data ${http}; correct it and call again`);
  if (status === 429) {
    return {
      text: `the gateway limits the rate of requests ${http}; send less at once, or call again later`,
      status,
      outcome: 'rejected',
      retryable: true,
      retryAfterMs,
      create: (message, details) => new RateLimitError(message, { ...details, retryAfterMs }),
    };
  }
  if (status >= 400 && status < 500 && status !== 408) {
    return refusal(BadRequestError, status, `the gateway refused the request ${http}${status === 405 ? wrongAddress : ''}`);
  }
  const what =
    status >= 200 && status < 300
      ? `the answer was not understood ${http}; does a proxy or a captive portal stand in between?`
      : status < 400
        ? `the answer is a redirect, which is not followed since the API key would travel with it ${http}; is the base address right?`
        : `the gateway failed ${http}`;
  return {
    text: what,
    status,
    outcome: 'unknown',
    retryable: true,
    retryAfterMs,
    create: (message, details) => new GatewayError(message, { ...details, retryAfterMs }),
  };
}
