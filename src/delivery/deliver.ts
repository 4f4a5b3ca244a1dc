import { type ErrorOutcome, isReportingError, type ReportingError } from '../errors.js';
import { sentence, subjectOf } from '../messages.js';
import { GATEWAY_PATH, operations } from '../operations.js';
import { maskSent } from '../redact.js';
import { RELAY_ONLY } from '../relay-only.js';
import { apiKeyProblem } from '../schema/api-key.js';
import { sentValues } from '../schema/sent-values.js';
import { identifiersOf, sentOf } from '../schema/sent-words.js';
import { limited } from '../time.js';
import type { AbortSignalLike } from '../web-types.js';
import { type AttemptRequest, attempt } from './attempt.js';
import { backoffMs } from './backoff.js';
import { classify } from './classify.js';
import { markForeign } from './foreign.js';
import { type AnyReport, keepFrozen } from './frozen.js';
import { pageHidden } from './leaving-page.js';
import { classifyRelayed, faultIdsIn, type ToldByRelay } from './relay-answer.js';
import type { DeliverySettings, Destination, Gateway, Relay } from './settings.js';
import { ABORTED, type Asked, type Failure, OUT_OF_TIME, unusable, type Verdict } from './verdict.js';

/** How one call is delivered. */
export interface Delivery {
  /** A text instead of a destination says what is missing. */
  readonly destination: Destination | string;
  /** On the settings' clock, in milliseconds. */
  readonly deadline: number;
  readonly signal?: AbortSignalLike | undefined;
  /** Whether an earlier call with these bytes ended unknown. */
  readonly inDoubt: boolean;
  /** What to do about a failure, where the caller knows it better than the outcome does. */
  readonly advice?: string;
}

export interface Delivered {
  readonly outcome: 'recorded' | 'already-recorded';
  readonly attempts: number;
  /** The gateway's words, masked. */
  readonly message: string | undefined;
  /** The parsed answer; undefined for a report that was recorded already. */
  readonly body: unknown;
  /** What a relay adds to the receipt, where it told anything. */
  readonly told?: ToldByRelay | undefined;
}

const ADVICE: Record<ErrorOutcome, string> = {
  'not-sent': 'Nothing was sent.',
  rejected: 'Nothing was recorded by this call.',
  unknown: 'It may be recorded: repeat it with client.resend(error), not with a new call.',
};

/**
 * Sends a frozen report until it is recorded, refused, or out of attempts or time.
 *
 * Doubt is sticky: once an attempt ended without telling whether the report arrived, no later failure makes
 * the outcome certain again, since that first attempt may have landed. Only success, a duplicate of the same
 * data, or a conflict (what is held is not ours) ends the doubt.
 */
export async function deliver(report: AnyReport, delivery: Delivery, settings: DeliverySettings): Promise<Delivered> {
  const { clock, logger, retry } = settings;
  const { deadline, destination, signal } = delivery;
  const { operation, reference, environment } = report;
  const row = operations[operation];
  const isReport = RELAY_ONLY || reference !== undefined;
  const relayed = RELAY_ONLY || (typeof destination === 'object' && isRelay(destination));
  const subject = subjectOf(report);
  let { inDoubt } = delivery;
  let attempts = 0;
  /** From when a request may leave until its end is understood. */
  let onItsWay = false;
  /** Each that was used: a rotated one is a secret still. */
  const keys = new Set<string>();
  /** The page goes away, so that this attempt is its last word. */
  let leaving = false;
  /** Other scripts share the room for requests that outlive a page, and a browser does not say that it was full. */
  let mayLackRoom = false;

  /** The other side's words, masked; those about a number to verify never, since they may name its holder. */
  const shown = (said: string | undefined): string | undefined => {
    try {
      if (!said || !isReport) return undefined;
      const body = JSON.parse(report.body) as unknown;
      const secrets = RELAY_ONLY ? [] : Array.from(keys, (text) => ({ text, kind: 'secret' as const }));
      return maskSent(said, [...sentValues(row.request, body), ...secrets], [...identifiersOf(row.request, body), ...(relayed ? faultIdsIn(said) : [])]);
    } catch {
      return undefined;
    }
  };

  const asked: Asked = {
    report,
    isReport,
    after: 'after' in row ? row.after : undefined,
    sent: () => sentOf(row.request, JSON.parse(report.body)),
    shown,
  };

  const fail = ({ type, text, said, certain, foreign, retryable = false, details, advice: instead, ...failure }: Failure): ReportingError => {
    const outcome = inDoubt && !certain ? 'unknown' : failure.outcome;
    const words = shown(said);
    const advice = delivery.advice ?? instead ?? (isReport ? ADVICE[outcome] : retryable ? 'Call it again.' : '');
    const message = `${subject}: ${sentence(text)}${words ? ` The ${relayed ? 'relay' : 'gateway'} said: "${words}".` : ''}${advice && ` ${advice}`}`;
    const error = new type(message, { operation, reference, environment, attempts, retryable, outcome, ...details });
    if (isReport) keepFrozen(error, report);
    if (foreign) markForeign(error);
    return error;
  };

  const limit = () => ({ clock, signal, milliseconds: Math.min(settings.attemptTimeoutMs, deadline - clock.now()) });

  /** The key, asked for before each attempt, since it may have been rotated. */
  const readKey = async (ask: Gateway['apiKey']): Promise<string> => {
    const key = typeof ask === 'string' ? ({ ended: 'done', value: ask } as const) : await limited<unknown>(ask, limit());
    if (key.ended === 'aborted') throw fail(ABORTED);
    if (key.ended === 'timeout') throw fail({ ...OUT_OF_TIME, text: `gateways.${environment}.apiKey did not answer in time` });
    // What it threw is not shown: it may hold the key.
    const problem = key.ended === 'failed' ? 'threw; look into it' : apiKeyProblem(key.value);
    if (problem) throw fail(unusable(`gateways.${environment}.apiKey ${problem}`));
    const apiKey = String(key.ended === 'done' && key.value);
    keys.add(apiKey);
    return apiKey;
  };

  /** What one attempt sends, and where. */
  const addressed = async (): Promise<AttemptRequest> => {
    const { body } = report;
    if (typeof destination === 'string') throw fail(unusable(destination));
    if (RELAY_ONLY || isRelay(destination)) {
      const { relayUrl, credentials, headers } = destination as Relay;
      return { url: `${relayUrl}/${row.path}`, headers, body, credentials, keepalive: leaving || !mayLackRoom };
    }
    const url = destination.baseUrl + GATEWAY_PATH + destination.paths[operation].replace(/^\//, '');
    return { url, headers: { 'x-api-key': await readKey(destination.apiKey) }, body, credentials: 'omit', keepalive: false };
  };

  const once = async (): Promise<Verdict> => {
    const request = await addressed();
    if (signal?.aborted) throw fail(ABORTED);
    if (limit().milliseconds <= 0) throw fail(OUT_OF_TIME);
    attempts += 1;
    onItsWay = true;
    const attempted = await attempt(request, settings, limit());
    mayLackRoom = request.keepalive && attempted.ended === 'broken';
    return (relayed ? classifyRelayed : classify)(attempted, asked, settings);
  };

  try {
    for (;;) {
      const verdict = await once();
      onItsWay = false;
      if (verdict.kind === 'recorded') {
        const { said, body, told } = verdict;
        return { outcome: 'recorded', attempts, message: shown(said), body, told };
      }
      const { failure } = verdict;
      if (verdict.kind === 'same' && inDoubt) return { outcome: 'already-recorded', attempts, message: shown(failure.said), body: undefined };
      if (failure.outcome === 'unknown') inDoubt = true;

      const asksFor = failure.details?.retryAfterMs ?? 0;
      const wait = Math.max(asksFor, backoffMs(attempts, retry, settings.random));
      const again = failure.retryable && attempts <= retry.limit && asksFor <= settings.maxRetryAfterMs && clock.now() + wait < deadline;
      if (!again) throw fail(failure);
      logger.debug(`${subject}: ${failure.text}; attempt ${attempts}, the next one in ${Math.round(wait)} ms`);
      const pause = await limited((ended) => (relayed ? pageHidden(ended) : new Promise<never>(() => {})), { clock, signal, milliseconds: wait });
      leaving = pause.ended === 'done';
    }
  } catch (error) {
    // A clock, a random or a signal of the caller's that throws must not cost what is known of the report.
    if (onItsWay) inDoubt = true;
    throw isReportingError(error) ? error : fail(unusable('a clock, random or signal that was passed threw an error'));
  }
}

/** By its own members: another may stand on the prototype of all objects. */
export const isRelay = (destination: Destination): destination is Relay => Object.hasOwn(destination, 'relayUrl');
