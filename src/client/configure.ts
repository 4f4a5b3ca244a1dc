import { createClient } from './create-client.js';
import { configureBy } from './default-client.js';

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
export const configure = configureBy(createClient);
