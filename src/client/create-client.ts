import { moduleTransport } from '../delivery/ky-transport.js';
import { pageSources } from '../location/lookup/page-sources.js';
import { serverSources } from '../location/server/sources.js';
import { clientOf } from './client.js';
import { environmentVariables } from './environment-variables.js';
import { readGateways } from './gateway-options.js';
import { readRelay } from './relay-options.js';

/**
 * Makes a client. Throws a `ConfigurationError` that lists every wrong name and type among the options at once, or,
 * where there is none, every unsafe address and key. An environment that is not set up is an error only once it is used.
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
});
