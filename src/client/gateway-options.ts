import type { Gateway } from '../delivery/settings.js';
import type { Environment } from '../errors/errors.js';
import { readBaseUrl } from '../protocol/addresses.js';
import { apiKeyProblem } from '../schema/api-key.js';
import { issue, type ValidationIssue } from '../schema/issue.js';
import { variableName } from './environment-variables.js';
import type { optionTable, Resolved } from './option-table.js';
import type { GatewayOptions } from './options.js';

/** Where reports of an environment go, or what is missing; what is wrong is added to the problems. */
export function readGateway(
  environment: Environment,
  { baseUrl, apiKey }: GatewayOptions,
  { allowApiKeyInBrowser, allowInsecureHttp, paths, gateways }: Resolved<typeof optionTable>,
  browser: boolean,
  problems: ValidationIssue[],
): Gateway | string {
  const name = `gateways.${environment}`;
  const problem = (option: 'baseUrl' | 'apiKey', message: string | undefined) => {
    const variable = gateways[environment][option] === undefined ? variableName(environment, option) : '';
    if (message) problems.push(issue(['gateways', environment, option], 'invalid', message + variable));
  };
  const read = baseUrl === undefined ? undefined : readBaseUrl(baseUrl, environment === 'staging' && allowInsecureHttp);
  problem('baseUrl', read?.problem);
  if (typeof apiKey === 'string') problem('apiKey', apiKeyProblem(apiKey));
  if (browser && apiKey !== undefined && !allowApiKeyInBrowser) {
    problem('apiKey', 'every visitor can read a key in a page; set relayUrl, so that your backend keeps it (or allowApiKeyInBrowser: true, if it is public)');
  }
  if (read?.baseUrl !== undefined && apiKey !== undefined) {
    return { baseUrl: read.baseUrl, paths, apiKey };
  }
  const missing = Object.entries({ baseUrl, apiKey })
    .filter(([, value]) => value === undefined)
    .map(([option]) => `${name}.${option}${variableName(environment, option)}`);
  return `the ${environment} gateway is not set up; missing: ${missing.join(', ')}.${browser ? ' Or, so that no key is in the page: relayUrl.' : ''}`;
}
