import { moduleTransport } from '../delivery/ky-transport.js';
import { pageSources, serverSources } from '../location/sources.js';
import type { ValidationMode } from '../schema/model.js';
import { misplacedNames, readGateways, readRelay } from './channel-options.js';
import { clientOf } from './client.js';
import { configureBy } from './default-client.js';
import { environmentVariables } from './environment-variables.js';
import type { ClientOptions } from './options.js';

const API_KEY = 'gateways: { staging: { apiKey }, production: { apiKey } }';
const BASE_URL = 'gateways: { staging: { baseUrl }, production: { baseUrl } }';
const OUR_NAMES = {
  apiKey: API_KEY,
  api_key: API_KEY,
  token: API_KEY,
  baseURL: BASE_URL,
  baseUrl: BASE_URL,
  base_url: BASE_URL,
  endpoint: BASE_URL,
  url: BASE_URL,
  maxRetries: 'retry: { limit }',
  retries: 'retry: { limit }',
  timeout: 'timeoutMs for a call, and attemptTimeoutMs for each attempt',
  defaultHeaders: 'headers',
};
const OTHER_NAMES: Readonly<Record<string, string>> = Object.assign(
  Object.fromEntries(
    Object.entries(OUR_NAMES).map(([name, ours]) => [name, `unknown field ${name}; its name here is ${ours}`]),
  ),
  misplacedNames,
);

/**
 * Makes a client: with `gateways` for a backend, with `relayUrl` for a page. Throws a `ConfigurationError` that lists
 * every wrong option. An environment that is not set up is an error only when it is used.
 *
 * @example
 * ```ts
 * const client = createClient({
 *   gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: () => secrets.read('gateway-key') } },
 * });
 * ```
 */
export const createClient = clientOf({
  channels: [readRelay, readGateways(environmentVariables)],
  sources: (settings, surroundings, inPage) => (inPage ? pageSources : serverSources)(settings, surroundings),
  transport: moduleTransport,
  otherNames: OTHER_NAMES,
});

/**
 * Sets up the client behind the functions of this module; calling it again replaces it. Throws a
 * `ConfigurationError` as `createClient` does. The functions have the types of strict validation: for
 * `validation: 'partial'` and for `relayUrl`, `createClient` gives a client whose types fit.
 *
 * @example
 * ```ts
 * configure({ gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey } } });
 * await reportSettledBet(bet);
 * ```
 */
export const configure: (options?: ClientOptions<ValidationMode>) => void = configureBy(createClient);
