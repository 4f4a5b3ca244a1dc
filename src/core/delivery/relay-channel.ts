import { type Environment, type ErrorCode, type ErrorOutcome, isErrorCode } from '../errors/errors.js';
import { asRecord } from '../platform/as-record.js';
import { MASK } from '../platform/messages.js';
import type { Clock } from '../platform/time.js';
import type { BaseUrl } from '../protocol/addresses.js';
import { RELAY_HEADER } from '../protocol/headers.js';
import { operations } from '../protocol/operations.js';
import type { Location } from '../schema/location.js';
import {
  type CallContext,
  type Channel,
  type Failure,
  FOREIGN_REPORT,
  type Recorded,
  type RelayReceiptDetails,
} from './channel.js';
import { configurationFailure, duplicateFailure, failureOf, resultOf } from './failures.js';
import { pageHidden } from './fetch-transport.js';
import { isId } from './request-id.js';
import type { Answer, RelayCredentials } from './settings.js';
import type { Attempted } from './transport.js';

const MAY_PASS: readonly ErrorCode[] = ['network', 'timeout', 'rate-limited', 'gateway'];

const OUTCOMES: readonly unknown[] = ['not-sent', 'rejected', 'unknown'] satisfies ErrorOutcome[];
const MOST_LISTED = 100;

/** The result of an attempt at a relay (our decision: its wire format). */
export const readRelayAnswer = (
  attempted: Attempted,
  context: CallContext,
  { inPage, clock }: { readonly inPage: boolean; readonly clock: Clock },
): Recorded | Failure =>
  resultOf(attempted, context, clock, (answer, retryAfterMs) => {
    const { status } = answer;
    const relayReceipt = readReceipt(answer, context);
    if (relayReceipt)
      return {
        kind: 'recorded',
        outcome: relayReceipt.outcome,
        message: undefined,
        relayReceipt,
        requestId: idIn(answer.body),
      };

    const what = status === 0 ? 'a redirect is not followed' : `HTTP ${status}: the answer is not that of a relay`;
    const byStatus = failureOf(status, `${what}; is relayUrl right, and the player logged in?`, retryAfterMs());
    const error = asRecord(asRecord(answer.body).error);
    // A 2xx or 3xx answer that contains an error is invalid.
    if (status < 400 || !OUTCOMES.includes(error.outcome)) return byStatus;
    // A relay of this package writes its own sentences only, so the page shows them. Any other text may repeat a value.
    const isOwn = attempted.ended === 'answered' && attempted.header(RELAY_HEADER) === '1';
    const words = (said: unknown) => (isOwn && typeof said === 'string' && said) || undefined;
    const failure =
      error.code === 'duplicate'
        ? readDuplicate(status, error.conflict !== true, context, inPage)
        : readError(error, byStatus, words);
    return { ...failure, said: words(error.message) };
  });

/**
 * A duplicate, as from a gateway. But the relay may have added other values for each attempt: the other data may be
 * this very report with another location.
 */
function readDuplicate(status: number, same: boolean, { report }: CallContext, inPage: boolean): Failure {
  const failure = duplicateFailure(status, same ? 'same' : 'conflict', inPage);
  return same || report.location
    ? failure
    : { ...failure, certain: false, outcome: inPage ? 'unknown' : 'rejected', advice: 'Compare your records.' };
}

function readError(
  { code, outcome, ...error }: Readonly<Record<string, unknown>>,
  byStatus: Failure,
  words: (said: unknown) => string | undefined,
): Failure {
  // An unknown kind is derived from the status.
  const known = isErrorCode(code) ? code : byStatus.code;
  const list = (value: unknown) => (Array.isArray(value) ? value.slice(0, MOST_LISTED).map(asRecord) : []);
  // A value that is not a word may contain any data.
  const word = (value: unknown) => (typeof value === 'string' && /^[\w.$-]{0,200}$/.test(value) ? value : MASK);

  const issues = list(error.issues).map(({ path, code, message }) => ({
    path: word(path),
    code: word(code),
    message: words(message) ?? '',
  }));
  const steps = list(error.steps).map(({ step, reason, message, durationMs }) => ({
    step: word(step),
    reason: word(reason),
    message: words(message) ?? '',
    durationMs: Number(durationMs) || 0,
  }));
  const wait = error.retryAfterMs;
  return {
    code: known,
    retryable: MAY_PASS.includes(known),
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

function idIn(body: unknown): string | undefined {
  const { requestId } = asRecord(body);
  return isId(requestId) ? requestId : undefined;
}

/** Undefined if the answer is not from a relay. */
function readReceipt({ status, body }: Answer, { report }: CallContext): RelayReceiptDetails | undefined {
  const { outcome, operation, reference, environment, location, state } = asRecord(body);
  // An answer about another report does not count.
  if (operation !== report.operation || reference !== report.reference) return undefined;
  const { latitude, longitude } = asRecord(location);
  const more = {
    ...((environment === 'staging' || environment === 'production') && { environment: environment as Environment }),
    ...(typeof latitude === 'number' && typeof longitude === 'number' && { location: location as Location }),
  };
  if (status === 200 && (outcome === 'recorded' || outcome === 'already-recorded')) return { outcome, ...more };
  return status === 202 && typeof state === 'string' ? { outcome: 'accepted', ...more, state } : undefined;
}

/** The page's own path has no host. */
const NO_PAGE =
  'this ran on a server during rendering: call it in the browser (an effect, an event handler). Nothing was sent.';

/**
 * The operator's backend holds the key, and has its own environment. `resolve`: its address, without a slash at its
 * end; if there is no page address, neither an address nor a problem.
 */
export const relayChannel = (
  resolve: () => BaseUrl,
  credentials: RelayCredentials,
  settings: { readonly inPage: boolean; readonly clock: Clock },
): Channel => ({
  kind: 'relay',
  addresses: { relay: resolve().baseUrl },
  problem() {
    const { baseUrl, problem = NO_PAGE } = resolve();
    return baseUrl === undefined ? problem : undefined;
  },
  open({ operation, environment }, more) {
    if (environment) return configurationFailure(FOREIGN_REPORT.why);
    const { baseUrl, problem = NO_PAGE } = resolve();
    if (baseUrl === undefined) return configurationFailure(problem);
    const url = `${baseUrl}/${operations[operation].path}`;
    // The first header makes a browser send a preflight if the page is of another origin.
    const headers = { [RELAY_HEADER]: '1', ...more };
    /** The page is being left, so the next attempt is the last one. */
    let leaving = false;
    /**
     * Other scripts share the limit for requests that outlive a page, and a browser does not say when it is reached.
     */
    let mayLackRoom = false;
    /**
     * A stored report names its player. The next tab sends it as soon as this one is gone, so this request must end
     * with the page: two attempts of a report are never under way at once.
     */
    const isStored = more !== undefined;
    let keepalive = true;
    return {
      by: 'relay',
      secrets: new Set(),
      async request(body) {
        keepalive = !isStored && (leaving || !mayLackRoom);
        return { url, headers, body, credentials, keepalive };
      },
      read(attempted, context) {
        mayLackRoom = keepalive && attempted.ended === 'broken';
        return readRelayAnswer(attempted, context, settings);
      },
      async hurry(signal) {
        leaving = false;
        await pageHidden(signal);
        leaving = true;
      },
    };
  },
});
