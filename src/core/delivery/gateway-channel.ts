import { asRecord } from '../platform/as-record.js';
import type { Logger } from '../platform/logger.js';
import { seconds } from '../platform/messages.js';
import type { Clock, Limit } from '../platform/time.js';
import { GATEWAY_PATH } from '../protocol/operations.js';
import { maskDetails } from '../redact/redact.js';
import { apiKeyProblem } from '../schema/headers.js';
import type { Sent } from '../schema/sent.js';
import { messageOf } from './answer.js';
import { callUserFunction } from './call-user-function.js';
import { type Channel, type Failure, FOREIGN_REPORT, type Recorded } from './channel.js';
import { configurationFailure, duplicateFailure, failureOf, isRefusal, isSuccess, resultOf } from './failures.js';
import { type GatewayContext, withMasking } from './masking.js';
import { requestIdOf } from './request-id.js';
import type { Answer, BothGateways, Gateway } from './settings.js';
import type { Attempted } from './transport.js';

export interface AnswerSettings {
  readonly isRecorded: (answer: Answer) => boolean;
  /** The default one also gets the sent values. */
  readonly isDuplicate: (answer: Answer, sent: () => Sent) => 'same' | 'conflict' | false;
  readonly inPage: boolean;
  readonly logger: Required<Logger>;
  readonly clock: Clock;
}

export const readGatewayAnswer = (
  attempted: Attempted,
  context: GatewayContext,
  settings: AnswerSettings,
): Recorded | Failure =>
  resultOf(attempted, context, settings.clock, (answer, retryAfterMs) => {
    const { status, body, json } = answer;
    const { isReport } = context;
    if (isSuccess(status) && (isReport ? ask(settings, 'isRecorded', answer, context.sent) : hasVerdict(answer))) {
      const message = json ? context.mask(messageOf(body)) : undefined;
      return { kind: 'recorded', outcome: 'recorded', message, body };
    }
    if (isReport) {
      const duplicate = ask(settings, 'isDuplicate', answer, context.sent);
      if (duplicate) return withAnswer(duplicateFailure(status, duplicate, settings.inPage), answer, context);
    }
    return withAnswer(readStatus(answer, context, retryAfterMs()), answer, context);
  });

/** The failure with the gateway's message and JSON, masked. The JSON about a verified number may name its holder. */
function withAnswer(
  failure: Failure,
  { body, json }: Answer,
  { isReport, mask, values, identifiers }: GatewayContext,
): Failure {
  if (!json || body === undefined || !isReport) return failure;
  const details = { ...failure.details, details: maskDetails(body, values(), identifiers()) };
  return { ...failure, said: mask(messageOf(body)), details };
}

/** Adds whether the answer is the gateway's own: it answers with JSON, and its 404 has a message. */
export function readStatus(
  answer: Answer,
  context: Pick<GatewayContext, 'after' | 'isReport'>,
  retryAfterMs: number | undefined,
): Failure {
  const failure = failureOf(answer.status, textOf(answer, context, retryAfterMs), retryAfterMs);
  const { status, body, json } = answer;
  if (status === 404) return { ...failure, foreign: messageOf(body) === undefined };
  const isForeign = !json || (body === undefined && status >= 300);
  return isForeign ? { ...failure, foreign: true } : failure;
}

function textOf(
  { status, body, json }: Answer,
  { after, isReport }: Pick<GatewayContext, 'after' | 'isReport'>,
  retryAfterMs: number | undefined,
): string {
  const notJson = !json || body === undefined ? 'the answer is not JSON: ' : '';
  const wrongAddress = `; ${notJson}is the base address right?`;
  // A browser does not show the status of a redirect that it does not follow.
  const http = status === 0 ? '' : `HTTP ${status}: `;
  const words = () => {
    if (status === 401) return 'the API key is missing or not valid in this environment';
    if (status === 404)
      return `no such record${after && !notJson ? `; was ${after} reported first, in this environment? If so, check the base address` : wrongAddress}`;
    if (status === 422) return 'the gateway cannot accept the data';
    if (status === 429)
      return `Rate limited; ${retryAfterMs === undefined ? 'call again later' : `the gateway asks for ${seconds(retryAfterMs)}`}`;
    if (status === 403) return 'the gateway refused the request; check the API key and its permissions';
    if (isRefusal(status)) return `the gateway refused the request${status === 405 && notJson ? wrongAddress : ''}`;
    if (status >= 400) return 'the gateway failed';
    if (status > 0 && status < 200) return 'the gateway sent no final answer';
    if (status === 0 || status >= 300) return REDIRECT;
    return json
      ? `the answer does not say that ${isReport ? 'the report is recorded (see the options isRecorded and isDuplicate)' : 'the number is verified or not'}`
      : 'the answer is not JSON, or too long; is there a proxy or a captive portal between?';
  };
  return http + words();
}

const REDIRECT =
  'the gateway answered with a redirect, which is not followed, since it would forward the API key; is the base address right?';

/** A partial answer (206) is not an answer. */
const hasVerdict = ({ status, body }: Answer): boolean => status !== 206 && typeof asRecord(body).success === 'boolean';

const MEANINGS = { isRecorded: [true, false], isDuplicate: ['same', 'conflict', false] } as const;

/**
 * If the user's function throws, or returns an invalid value, its result is ignored and the careful reading applies.
 */
function ask<Name extends keyof typeof MEANINGS>(
  settings: AnswerSettings,
  name: Name,
  answer: Answer,
  sent: () => Sent,
): ReturnType<AnswerSettings[Name]> | false {
  let fault = 'threw';
  try {
    const meaning = settings[name](answer, sent) as ReturnType<AnswerSettings[Name]>;
    if ((MEANINGS[name] as readonly unknown[]).includes(meaning)) return meaning;
    // A function that is asynchronous by mistake must not end the process when it rejects.
    Promise.resolve(meaning).catch(() => {});
    fault = `must return ${MEANINGS[name].join(' or ')}`;
  } catch {
    // Reported below. The error that it threw may contain any data.
  }
  settings.logger.error(`The option ${name} ${fault}; HTTP ${answer.status} is read as if it had returned false.`);
  return false;
}

const SET_RELAY_URL =
  "this page has no relay: set relayUrl to the path of your backend's relay, for example createClient({ relayUrl: '/relay' }). Nothing was sent.";

export const gatewayChannel = (gateways: BothGateways, settings: AnswerSettings): Channel => ({
  kind: 'gateway',
  addresses: { staging: gateways.staging.baseUrl, production: gateways.production.baseUrl },
  problem: () =>
    settings.inPage && Object.values(gateways).every((gateway) => 'why' in gateway) ? SET_RELAY_URL : undefined,
  open({ operation, environment }, more) {
    const gateway = environment ? gateways[environment] : FOREIGN_REPORT;
    if ('why' in gateway) return configurationFailure(gateway.why);
    const url = gateway.baseUrl + GATEWAY_PATH + gateway.paths[operation].replace(/^\//, '');
    const secrets = new Set<string>();
    return {
      by: 'gateway',
      secrets,
      async request(body, limit) {
        const { apiKey: given } = gateway;
        const apiKey =
          typeof given === 'string' ? given : await readKey(given, `gateways.${environment}.apiKey`, limit);
        if (typeof apiKey !== 'string') return apiKey;
        secrets.add(apiKey);
        return { url, headers: { 'x-api-key': apiKey, ...more }, body, credentials: 'omit', keepalive: false };
      },
      read(attempted, about) {
        const context = withMasking(about, secrets);
        const result = readGatewayAnswer(attempted, context, settings);
        // With the spread first, V8 takes as long for this object as for the check of the whole report.
        return attempted.ended === 'answered'
          ? { requestId: requestIdOf(attempted, context, secrets), ...result }
          : result;
      },
    };
  },
});

/** Read before each attempt, since it may have been rotated. */
export async function readKey(
  ask: Exclude<Gateway['apiKey'], string>,
  name: string,
  limit: () => Limit,
): Promise<string | Failure> {
  const asked = await callUserFunction(ask, name, limit());
  if (!('value' in asked)) return asked;
  const problem = apiKeyProblem(asked.value);
  return problem ? configurationFailure(`${name} ${problem}`) : String(asked.value);
}
