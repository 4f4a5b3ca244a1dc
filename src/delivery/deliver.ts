import { AbortedError, ConfigurationError, type ErrorDetails, type ErrorOutcome, type ReportingError, TimeoutError } from '../errors.js';
import { operations } from '../operations.js';
import { maskSent } from '../redact.js';
import { apiKeyProblem } from '../schema/api-key.js';
import { sentValues } from '../schema/sent-values.js';
import { subjectOf } from '../subject.js';
import { limited } from '../time.js';
import type { AbortSignalLike } from '../web-types.js';
import { attempt } from './attempt.js';
import { backoffMs } from './backoff.js';
import { classify, type Failure, type Verdict } from './classify.js';
import { type FrozenReport, keepFrozen } from './frozen.js';
import type { DeliverySettings, Destination } from './settings.js';

/** How one call is delivered. */
export interface Delivery {
  /** A text instead of a destination says what is missing. */
  destination: Destination | string;
  /** Below the base address. */
  path: string;
  /** On the settings' clock, in milliseconds. */
  deadline: number;
  signal?: AbortSignalLike | undefined;
  /** Whether an earlier call with these bytes ended unknown. */
  inDoubt: boolean;
}

export interface Delivered {
  outcome: 'recorded' | 'already-recorded';
  attempts: number;
  /** The gateway's words, masked. */
  message: string | undefined;
  /** The parsed answer; undefined for a report that was recorded already. */
  body: unknown;
}

const ADVICE: Record<ErrorOutcome, string> = {
  'not-sent': 'Nothing was recorded.',
  rejected: 'Nothing was recorded by this call.',
  unknown: 'It may have been recorded: send the same bytes again with client.resend(error), not with a new call.',
};

/**
 * Sends a frozen report until it is recorded, refused, or out of attempts or time.
 *
 * Doubt is sticky: once an attempt ended without telling whether the report arrived, no later failure makes
 * the outcome certain again, since that first attempt may have landed. Only success, a duplicate of the same
 * data, or a conflict (what is held is not ours) ends the doubt.
 */
export async function deliver(report: FrozenReport, delivery: Delivery, settings: DeliverySettings): Promise<Delivered> {
  const { clock, logger, retry, maxRetryAfterMs } = settings;
  const { deadline, destination, signal } = delivery;
  const row = operations[report.operation];
  const isReport = report.reference !== undefined;
  const asked = { isReport, after: 'after' in row ? row.after : undefined };
  const subject = subjectOf(report);
  let inDoubt = delivery.inDoubt;
  let attempts = 0;
  let apiKey = '';

  const shown = (said: string | undefined): string | undefined =>
    said && maskSent(said, [...sentValues(row.request, JSON.parse(report.body)), { text: apiKey, kind: 'secret' }]);

  const fail = (failure: Failure): ReportingError => {
    const outcome = inDoubt && !failure.certain ? 'unknown' : failure.outcome;
    const said = shown(failure.said);
    const advice = isReport ? ADVICE[outcome] : outcome === 'unknown' ? 'Call it again.' : '';
    const message = `${subject}: ${failure.text}${/[.?]$/.test(failure.text) ? '' : '.'}${said ? ` The gateway said: "${said}".` : ''} ${advice}`.trim();
    const { operation, reference, environment } = report;
    const { status, retryable } = failure;
    const error = failure.create(message, { operation, reference, environment, status, attempts, retryable, outcome });
    if (isReport) keepFrozen(error, report);
    return error;
  };

  /** One attempt: the key first, since it may have been rotated, then the request. */
  const once = async (): Promise<Verdict> => {
    const limit = () => ({ clock, signal, milliseconds: Math.min(settings.attemptTimeoutMs, deadline - clock.now()) });
    if (typeof destination === 'string') throw fail(unusable(destination));
    if (signal?.aborted) throw fail(aborted);
    if (limit().milliseconds <= 0) throw fail(outOfTime);
    const key = await limited<unknown>(() => destination.apiKey(), limit());
    if (key.ended === 'aborted') throw fail(aborted);
    if (key.ended === 'timeout') throw fail({ ...outOfTime, text: 'the apiKey function did not answer in time' });
    if (key.ended === 'failed')
      throw fail(unusable(`the apiKey function of gateways.${report.environment} threw; its message is not shown, since it may hold the key`));
    const problem = apiKeyProblem(key.value);
    if (problem) throw fail(unusable(`gateways.${report.environment}.apiKey ${problem}`));
    apiKey = String(key.value);
    if (limit().milliseconds <= 0) throw fail(outOfTime);
    attempts += 1;
    const attempted = await attempt({ url: destination.baseUrl + delivery.path, apiKey, body: report.body }, settings, limit());
    return classify(attempted, asked, settings);
  };

  for (;;) {
    const verdict = await once();
    if (verdict.kind === 'recorded') return { outcome: 'recorded', attempts, message: shown(verdict.said), body: verdict.body };
    const { failure } = verdict;
    if (verdict.kind === 'same' && inDoubt) return { outcome: 'already-recorded', attempts, message: shown(failure.said), body: undefined };
    if (failure.outcome === 'unknown') inDoubt = true;

    const asks = failure.retryAfterMs || undefined;
    const wait = asks ?? backoffMs(attempts, retry, settings.random);
    const mayRetry = failure.retryable && attempts <= retry.limit && (asks ?? 0) <= maxRetryAfterMs && clock.now() + wait < deadline;
    if (!mayRetry) throw fail(failure);
    logger.debug?.(`${subject}: ${failure.text}; attempt ${attempts} of ${retry.limit + 1}, again in ${Math.round(wait)} ms`);
    const paused = await limited(() => new Promise<never>(() => undefined), { clock, signal, milliseconds: wait });
    if (paused.ended === 'aborted') throw fail(aborted);
  }
}

/** The end of a call at a moment when nothing of this attempt had left. */
const beforeSending = (type: new (message: string, details: ErrorDetails) => ReportingError, text: string, retryable: boolean): Failure => ({
  text,
  outcome: 'not-sent',
  retryable,
  create: (message, details) => new type(message, details),
});

const aborted = /* @__PURE__ */ beforeSending(AbortedError, 'the call was aborted by its signal', false);
const outOfTime = /* @__PURE__ */ beforeSending(TimeoutError, 'the time of the call was over before it was sent', true);
const unusable = (problem: string): Failure => beforeSending(ConfigurationError, problem, false);
