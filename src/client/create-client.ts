import { moduleTransport } from '../delivery/ky-transport.js';
import { pageSources } from '../location/lookup/page-sources.js';
import { serverSources } from '../location/server/sources.js';
import { clientOf } from './client.js';
import { environmentVariables } from './environment-variables.js';
import { readGateways } from './gateway-options.js';
import { readRelay } from './relay-options.js';

const API_KEY = 'gateways: { staging: { apiKey }, production: { apiKey } }';
const BASE_URL = 'gateways: { staging: { baseUrl }, production: { baseUrl } }';
const OTHER_NAMES = {
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

/**
 * Makes a client. Throws a `ConfigurationError` that lists every wrong name and type among the options at once or, if
 * there is none, every unsafe address and key. An environment that is not set up is an error only when it is used.
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
