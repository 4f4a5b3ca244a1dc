import { isDuplicate, isRecorded } from '../delivery/answer.js';
import { gatewayChannel } from '../delivery/gateway-channel.js';
import type { Gateway } from '../delivery/settings.js';
import type { Environment } from '../errors/errors.js';
import { readBaseUrl } from '../protocol/addresses.js';
import { apiKeyProblem } from '../schema/api-key.js';
import { issue } from '../schema/issue.js';
import { complete } from '../schema/option-rules.js';
import type { EnvironmentVariables } from './environment-variables.js';
import { optionTable } from './option-table.js';
import type { GatewayOptions } from './options.js';
import type { ChannelRequest, ReadChannel } from './parts.js';

/** The gateways of both environments. Missing options are read from `variables`, if the build has any. */
export const readGateways =
  (variables?: EnvironmentVariables): ReadChannel =>
  (request) => {
    const { given, inPage, isGiven, logger, problems } = request;
    const { gateways, keys, mock } = resolveGateways(request, variables);
    if (problems.length === 0 && mock) variables?.tellOfMock(given.logger, logger, isGiven('fetch') || isGiven('transport'));
    if (problems.length === 0 && inPage && keys.some((key) => key !== undefined)) {
      logger.warn('The API key is in this page (allowApiKeyInBrowser), where every visitor can read it.');
    }
    const { isRecorded: recorded = isRecorded, isDuplicate: duplicate = isDuplicate, clock, environment } = given;
    const channel = gatewayChannel(gateways, { isRecorded: recorded, isDuplicate: duplicate, inPage, logger, clock });
    return { channel, environment, mockLocation: mock?.location };
  };

type Request = Pick<ChannelRequest, 'given' | 'inPage' | 'problems'>;

/** The gateways, and the mock gateway that replaces staging if a variable says so. Problems are added to the list. */
export function resolveGateways(request: Request, variables?: EnvironmentVariables) {
  const { given, problems } = request;
  const read = variables?.read(given.gateways);
  const { staging, production } = read?.gateways ?? given.gateways;
  problems.push(...(read?.problems ?? []));
  const mock = read?.mock;
  const gateways = {
    production: readGateway('production', production, request, variables),
    // In mock mode the staging options are ignored, even wrong ones: tests have no secrets.
    staging: mock
      ? { baseUrl: mock.baseUrl, apiKey: mock.apiKey, paths: complete(optionTable.paths, {}) }
      : readGateway('staging', staging, request, variables),
  };
  return { gateways, keys: [staging.apiKey, production.apiKey], mock };
}

/** The gateway of an environment, or what is missing. Problems are added to the list. */
function readGateway(
  environment: Environment,
  { baseUrl, apiKey }: GatewayOptions,
  { given, inPage, problems }: Request,
  variables?: EnvironmentVariables,
): Gateway | string {
  const { allowApiKeyInBrowser, allowInsecureHttp, paths, gateways } = given;
  const variable = (option: 'baseUrl' | 'apiKey') => variables?.nameOf(environment, option) ?? '';
  const problem = (option: 'baseUrl' | 'apiKey', message: string | undefined) => {
    if (message)
      problems.push(issue(['gateways', environment, option], 'invalid', message + (gateways[environment][option] === undefined ? variable(option) : '')));
  };
  const read = baseUrl === undefined ? undefined : readBaseUrl(baseUrl, environment === 'staging' && allowInsecureHttp);
  problem('baseUrl', read?.problem);
  if (typeof apiKey === 'string') problem('apiKey', apiKeyProblem(apiKey));
  if (inPage && apiKey !== undefined && !allowApiKeyInBrowser) {
    problem(
      'apiKey',
      'every visitor can read a key in a page; set relayUrl, so that your backend keeps it (or allowApiKeyInBrowser: true, if the key is public)',
    );
  }
  if (read?.baseUrl !== undefined && apiKey !== undefined) return { baseUrl: read.baseUrl, paths, apiKey };
  const missing = Object.entries({ baseUrl, apiKey } as const)
    .filter(([, value]) => value === undefined)
    .map(([option]) => `gateways.${environment}.${option}${variable(option as 'baseUrl' | 'apiKey')}`);
  return `the ${environment} gateway is not set up; missing: ${missing.join(', ')}.${inPage ? ' Or set relayUrl, so that no key is in the page.' : ''}`;
}
