import {
  AbortedError,
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  DuplicateReportError,
  type Environment,
  type ErrorOutcome,
  GatewayError,
  LocationError,
  NetworkError,
  NotFoundError,
  RateLimitError,
  TimeoutError,
  UnprocessableError,
  ValidationError,
} from '../errors.js';
import { members } from '../members.js';
import { RELAY_ONLY } from '../relay-only.js';
import type { Location } from '../schema/location.js';
import { parseRetryAfter } from '../time.js';
import type { Attempted } from './attempt.js';
import { classifyStatus } from './classify-status.js';
import type { Answer, DeliverySettings } from './settings.js';
import { type Asked, brokenOff, classifySilence, type Failure, held, mayHaveBrokenOff, readAnswer, type Verdict } from './verdict.js';

/** What only a relay knows of a report, for the receipt. */
export interface ToldByRelay {
  readonly outcome: 'recorded' | 'already-recorded' | 'accepted';
  readonly environment?: Environment;
  readonly location?: Location;
  readonly state?: string;
}

/** What a relay can tell; each class knows its code. */
const KINDS = [
  ConfigurationError,
  ValidationError,
  LocationError,
  NetworkError,
  TimeoutError,
  AbortedError,
  BadRequestError,
  AuthenticationError,
  NotFoundError,
  DuplicateReportError,
  UnprocessableError,
  RateLimitError,
  GatewayError,
];
const MAY_PASS: readonly unknown[] = [NetworkError, TimeoutError, RateLimitError, GatewayError];

const OUTCOMES: readonly unknown[] = ['not-sent', 'rejected', 'unknown'] satisfies ErrorOutcome[];
const MOST_LISTED = 100;

/** Says what the end of an attempt means where a relay stands before the gateway (our decision: its wire format). */
export function classifyRelayed(attempted: Attempted, asked: Asked, settings: Pick<DeliverySettings, 'browser' | 'clock'>): Verdict {
  if (attempted.ended !== 'answered') return { kind: 'failed', failure: classifySilence(attempted, settings.browser) };
  const { status, text, retryAfter } = attempted;
  const answer = readAnswer(status, text);
  const retryAfterMs = parseRetryAfter(retryAfter, settings.clock.now());
  if (mayHaveBrokenOff(attempted, answer)) return { kind: 'failed', failure: brokenOff(status, retryAfterMs) };
  const told = readReceipt(answer, asked);
  if (told) return { kind: 'recorded', body: undefined, said: undefined, told };

  const byStatus = classifyStatus(answer, asked, retryAfterMs);
  const error = members(members(answer.body).error);
  // A success or a redirect that speaks of an error is neither.
  if (status < 400 || !OUTCOMES.includes(error.outcome)) {
    const what = status === 0 ? 'a redirect is not followed' : `HTTP ${status}: the answer is not that of a relay`;
    return { kind: 'failed', failure: { ...byStatus, text: `${what}; is relayUrl right, and the player logged in?` } };
  }
  const isDuplicate = error.code === 'duplicate';
  const same = isDuplicate && error.conflict !== true;
  const said = typeof error.message === 'string' ? error.message : undefined;
  const failure = isDuplicate ? readDuplicate(status, same, asked, settings.browser) : readError(error, byStatus, asked);
  return { kind: same ? 'same' : 'failed', failure: { ...failure, said } };
}

/**
 * A duplicate, as of a gateway. But what the page left out the relay may have found anew for each attempt: then other data
 * may be this very report's, with another location.
 */
function readDuplicate(status: number, same: boolean, { report }: Asked, browser: boolean): Failure {
  const failure = held(status, same ? 'same' : 'conflict', browser);
  return same || report.location
    ? failure
    : { ...failure, certain: false, outcome: RELAY_ONLY || browser ? 'unknown' : 'rejected', advice: 'Compare your records.' };
}

/** The id by which the operator finds a fault in its log, where the relay's words are those of a fault. */
export const faultIdsIn = (said: string): string[] => /^Something went wrong \(([a-p]{16})\)\.$/.exec(said)?.slice(1) ?? [];

/** The failure that a relay tells. */
function readError({ code, outcome, ...error }: Readonly<Record<string, unknown>>, byStatus: Failure, { shown }: Asked): Failure {
  // A kind that is not known here is told by the status.
  const type = KINDS.find((Kind) => new Kind('').code === code) ?? byStatus.type;
  const list = (value: unknown) => (Array.isArray(value) ? value.slice(0, MOST_LISTED).map(members) : []);
  // What is not a word could be anything.
  const word = (value: unknown) => (typeof value === 'string' && /^[\w.$-]{0,200}$/.test(value) ? value : '[masked]');
  const words = (value: unknown) => (typeof value === 'string' && shown(value)) || '';

  const issues = list(error.issues).map(({ path, code, message }) => ({ path: word(path), code: word(code), message: words(message) }));
  const steps = list(error.steps).map(({ step, reason, message, durationMs }) => ({
    step: word(step),
    reason: word(reason),
    message: words(message),
    durationMs: Number(durationMs) || 0,
  }));
  const wait = error.retryAfterMs;
  return {
    type,
    retryable: MAY_PASS.includes(type),
    outcome: outcome as ErrorOutcome,
    text: `HTTP ${byStatus.details?.status}: the relay answers "${word(code)}"${issues.map(({ path, message }) => `\n  - ${path}: ${message}`).join('')}`,
    details: {
      ...byStatus.details,
      ...(typeof wait === 'number' && wait >= 0 && { retryAfterMs: wait }),
      ...(code === 'validation' && { issues: issues as never }),
      ...(code === 'location' && { steps: steps as never }),
    },
  };
}

/** What a relay says of a report that it has taken; undefined where the answer is none of a relay's. */
function readReceipt({ status, body }: Answer, { report }: Asked): ToldByRelay | undefined {
  const { outcome, operation, reference, environment, location, state } = members(body);
  // An answer to something else is none to this.
  if (operation !== report.operation || reference !== report.reference) return undefined;
  const { latitude, longitude } = members(location);
  const more = {
    ...((environment === 'staging' || environment === 'production') && { environment: environment as Environment }),
    ...(typeof latitude === 'number' && typeof longitude === 'number' && { location: location as Location }),
  };
  if (status === 200 && (outcome === 'recorded' || outcome === 'already-recorded')) return { outcome, ...more };
  return status === 202 && typeof state === 'string' ? { outcome: 'accepted', ...more, state } : undefined;
}
