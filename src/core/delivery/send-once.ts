import { safeCallback } from '../platform/logger.js';
import { FUNCTION_THREW, seconds, sentence, subjectOf } from '../platform/messages.js';
import type { Limit } from '../platform/time.js';
import { operations } from '../protocol/operations.js';
import type { HeadersOption } from '../schema/headers.js';
import { moreHeaders } from './call-user-function.js';
import type { CallContext, Exchange, Failure, Recorded } from './channel.js';
import { ABORTED, configurationFailure, OUT_OF_TIME, withinLimit } from './failures.js';
import type { AnyReport } from './frozen-report.js';
import type { AttemptEvent, DeliverySettings } from './settings.js';
import type { Transport } from './transport.js';

/** The result of one attempt, which the client, the outbox and the events of attempts read. */
export type AttemptResult = Recorded | FailedAttempt;

export interface FailedAttempt extends Failure {
  /** The failure in a sentence, with the report and the masked words of the gateway or relay. */
  readonly message: string;
  /** Whether a request was handed to the transport. */
  readonly sent: boolean;
}

const failedAttempt = (report: AnyReport, failure: Failure, sent: boolean): FailedAttempt => ({
  ...failure,
  message: `${subjectOf(report)}: ${sentence(failure.text)}`,
  sent,
});

export const unsentResult = (report: AnyReport, failure: Failure): FailedAttempt =>
  failedAttempt(report, failure, false);

/** The time limit includes the key function. Never rejects. */
export async function sendOnce(
  report: AnyReport,
  exchange: Exchange,
  limit: () => Limit,
  { transport, headers }: { readonly transport: Transport; readonly headers: HeadersOption | undefined },
): Promise<AttemptResult> {
  /** The period from when a request may be sent until its result is known. */
  let onItsWay = false;
  try {
    let request = await exchange.request(report.body, limit);
    if ('code' in request) return unsentResult(report, request);
    // Without the option `headers`, do not wait: it would cost a turn of the event loop.
    if (headers) {
      const more = await moreHeaders(headers, limit, exchange.secrets);
      if ('code' in more) return unsentResult(report, more);
      request = { ...request, headers: { ...more.headers, ...request.headers } };
    }
    const current = limit();
    if (current.signal?.aborted) return unsentResult(report, ABORTED);
    if (current.milliseconds <= 0) return unsentResult(report, OUT_OF_TIME);
    const context = callContext(report, request.url, current);
    onItsWay = true;
    const result = exchange.read(await transport.send(request, current), context);
    if (result.kind === 'recorded') return result;
    const failed = failedAttempt(report, result, true);
    return result.said
      ? { ...failed, message: `${failed.message} The ${exchange.by} said: "${result.said}".` }
      : failed;
  } catch {
    // A clock or signal of the caller that throws must not lose the result of the report.
    return failedAttempt(report, onItsWay ? { ...THREW, outcome: 'unknown' } : THREW, onItsWay);
  }
}

export const THREW: Failure = configurationFailure(FUNCTION_THREW);

function callContext(report: AnyReport, url: string, limit: Limit): CallContext {
  const row = operations[report.operation];
  return {
    report,
    isReport: report.reference !== undefined,
    host: () => new URL(url).host,
    within: () => withinLimit(limit),
    after: 'after' in row ? row.after : undefined,
  };
}

type AttemptListeners = Pick<DeliverySettings, 'clock' | 'debug' | 'onEvent'>;

/** Without a listener there is no layer between: one more async function costs turns of the event loop. */
export const withAttemptEvents = (
  report: AnyReport,
  listeners: AttemptListeners,
  attempt: number | undefined,
  send: () => Promise<AttemptResult>,
): Promise<AttemptResult> =>
  listeners.onEvent || listeners.debug ? sendWithEvents(report, listeners, attempt, send) : send();

/** An error of a listener, a logger or a clock changes nothing. */
async function sendWithEvents(
  report: AnyReport,
  { clock, debug, onEvent }: AttemptListeners,
  attempt: number | undefined,
  send: () => Promise<AttemptResult>,
): Promise<AttemptResult> {
  const { operation, environment, reference } = report;
  const about = { operation, environment, reference };
  const tell = safeCallback((work: () => void) => work());
  const line = (what: string) =>
    debug?.(`${subjectOf(report)}: attempt ${attempt === undefined ? '' : `${attempt} `}${what}`);
  let began = 0;
  tell(() => {
    began = clock.now();
    line('begins');
    onEvent?.({ type: 'attempt-started', ...about });
  });
  const result = await send();
  tell(() => {
    const { outcome, requestId } = result;
    const [what, code] = result.kind === 'recorded' ? [outcome] : [result.text, result.code];
    const durationMs = Math.max(0, clock.now() - began);
    line(`ended after ${seconds(durationMs)}: ${what}${requestId === undefined ? '' : ` (request ${requestId})`}`);
    const event: AttemptEvent = { type: 'attempt-ended', ...about, outcome, code, durationMs, requestId };
    onEvent?.(event);
  });
  return result;
}
