import type { Environment } from '../errors/errors.js';
import type { Limit } from '../platform/time.js';
import { GATEWAY_PATH } from '../protocol/operations.js';
import { apiKeyProblem } from '../schema/api-key.js';
import { askOption } from './ask-option.js';
import { type Channel, OF_ANOTHER_CLIENT } from './channel.js';
import { configurationFailure } from './failures.js';
import { type AnswerSettings, readGatewayAnswer } from './gateway-answer.js';
import { requestIdOf } from './request-id.js';
import type { Gateway } from './settings.js';
import type { Failure } from './verdict.js';

/** The gateways of the environments. A text in place of one says what is missing. */
export type Gateways = Readonly<Record<Environment, Gateway | string>>;

const SET_RELAY_URL =
  "this page has no relay: set relayUrl to the path of your backend's relay, for example createClient({ relayUrl: '/relay' }). Nothing was sent.";

const addressOf = (gateway: Gateway | string) => (typeof gateway === 'string' ? undefined : gateway.baseUrl);

/** The gateway channel: reports name their environment and carry the key. */
export const gatewayChannel = (gateways: Gateways, settings: AnswerSettings): Channel => ({
  kind: 'gateway',
  addresses: { staging: addressOf(gateways.staging), production: addressOf(gateways.production) },
  problem: () => (settings.inPage && Object.values(gateways).every((gateway) => typeof gateway === 'string') ? SET_RELAY_URL : undefined),
  open({ operation, environment }, more) {
    const gateway = environment ? gateways[environment] : OF_ANOTHER_CLIENT;
    if (typeof gateway === 'string') return gateway;
    const url = gateway.baseUrl + GATEWAY_PATH + gateway.paths[operation].replace(/^\//, '');
    const secrets = new Set<string>();
    return {
      by: 'gateway',
      secrets,
      async request(body, limit) {
        const { apiKey: given } = gateway;
        const apiKey = typeof given === 'string' ? given : await readKey(given, `gateways.${environment}.apiKey`, limit);
        if (typeof apiKey !== 'string') return apiKey;
        secrets.add(apiKey);
        return { url, headers: { 'x-api-key': apiKey, ...more }, body, credentials: 'omit', keepalive: false };
      },
      read(attempted, context) {
        const verdict = readGatewayAnswer(attempted, context, settings);
        // With the spread first, V8 takes as long for this object as for the check of the whole report.
        return attempted.ended === 'answered' ? { requestId: requestIdOf(attempted, context, secrets), ...verdict } : verdict;
      },
    };
  },
});

/** The key, read before each attempt, since it may have been rotated. */
async function readKey(ask: Exclude<Gateway['apiKey'], string>, name: string, limit: () => Limit): Promise<string | Failure> {
  const asked = await askOption(ask, name, limit());
  if (!('value' in asked)) return asked;
  const problem = apiKeyProblem(asked.value);
  return problem ? configurationFailure(`${name} ${problem}`) : String(asked.value);
}
