import { type ErrorOutcome, isReportingError, makeError, type ReportingError } from '../errors/errors.js';
import { seconds, subjectOf } from '../platform/messages.js';
import { backoffMs, withTimeout } from '../platform/time.js';
import type { AbortSignalLike } from '../platform/web-types.js';
import type { Exchange, Failure, Recorded } from './channel.js';
import { type AnyReport, attachReport } from './frozen-report.js';
import { type FailedAttempt, sendOnce, THREW, unsentResult, withAttemptEvents } from './send-once.js';
import type { DeliverySettings } from './settings.js';

export interface Delivery {
  readonly exchange: Exchange | Failure;
  /** A time on the settings' clock, in milliseconds. */
  readonly deadline: number;
  readonly signal?: AbortSignalLike | undefined;
  /** Whether an earlier call with these bytes ended unknown. */
  readonly inDoubt: boolean;
}

export interface Delivered extends Omit<Recorded, 'kind'> {
  readonly attempts: number;
}

const ADVICE: Record<ErrorOutcome, string> = {
  'not-sent': 'Nothing was sent.',
  rejected: 'Nothing was recorded by this call.',
  unknown: 'It may be recorded: repeat it with client.resend(error), not with a new call.',
};

/**
 * Sends a frozen report until it is recorded or refused, or until its attempts or its time are used up.
 *
 * Doubt is sticky. After an attempt that may have delivered the report, no later failure makes the outcome certain
 * again. Only success, a duplicate of the same data, or a conflict (the gateway has other data) ends the doubt.
 */
export async function deliver(
  report: AnyReport,
  { exchange, deadline, signal, inDoubt: before }: Delivery,
  settings: DeliverySettings,
): Promise<Delivered> {
  const { clock, debug, retry, maxRetryAfterMs } = settings;
  let inDoubt = before;
  let attempts = 0;

  const errorOf = (failed: FailedAttempt, why = ''): ReportingError => {
    const { code, certain, retryable = false, details, advice: instead, requestId } = failed;
    const { operation, reference, environment } = report;
    const isReport = reference !== undefined;
    const outcome = inDoubt && !certain ? 'unknown' : failed.outcome;
    const advice = instead ?? (isReport ? ADVICE[outcome] : retryable ? 'Call it again.' : '');
    // This is advice for the caller. An outbox stores the message of an attempt, and its reports cannot be corrected by
    // another call.
    const correct = code === 'unprocessable' && outcome === 'rejected' ? 'Correct the data and call again.' : '';
    const error = makeError(code, [`${failed.message}${why}`, advice, correct].filter(Boolean).join(' '), {
      operation,
      reference,
      environment,
      attempts,
      retryable,
      outcome,
      ...(requestId !== undefined && { requestId }),
      ...details,
    });
    if (isReport) attachReport(error, report);
    return error;
  };
  if ('code' in exchange) throw errorOf(unsentResult(report, exchange));
  const limit = () => {
    const left = deadline - clock.now();
    const isLast = left < settings.attemptTimeoutMs;
    return {
      clock,
      signal,
      milliseconds: isLast ? left : settings.attemptTimeoutMs,
      option: isLast ? 'the rest of timeoutMs' : 'attemptTimeoutMs',
    };
  };

  try {
    for (;;) {
      const result = await withAttemptEvents(report, settings, attempts + 1, () =>
        sendOnce(report, exchange, limit, settings),
      );
      if (result.kind === 'recorded') return { attempts: attempts + 1, ...result };
      const { sent, code, details, said: message, requestId } = result;
      if (sent) attempts += 1;
      if (code === 'duplicate' && !details?.conflict && inDoubt)
        return { outcome: 'already-recorded', attempts, message, requestId };
      if (result.outcome === 'unknown') inDoubt = true;

      const asksFor = details?.retryAfterMs ?? 0;
      const mayPass = sent && result.retryable && attempts <= retry.limit && asksFor <= maxRetryAfterMs;
      if (!mayPass)
        throw errorOf(
          result,
          asksFor > maxRetryAfterMs ? ` That is more than ${seconds(maxRetryAfterMs)} (maxRetryAfterMs).` : '',
        );
      const wait = Math.max(asksFor, backoffMs(attempts, retry, settings.random));
      if (clock.now() + wait >= deadline) throw errorOf(result, ' No time is left for another attempt (timeoutMs).');
      debug?.(`${subjectOf(report)}: attempt ${attempts + 1} begins in ${seconds(wait)}`);
      await withTimeout((ended) => exchange.hurry?.(ended) ?? new Promise<void>(() => {}), {
        clock,
        signal,
        milliseconds: wait,
      });
    }
  } catch (error) {
    // A clock, random or signal of the caller that throws must not lose the result of the report.
    throw isReportingError(error) ? error : errorOf(unsentResult(report, THREW));
  }
}
