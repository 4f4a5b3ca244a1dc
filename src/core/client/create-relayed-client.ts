import { pageTransport } from '../delivery/fetch-transport.js';
import { deviceSources } from '../location/sources.js';
import { RELAY_REQUIRED, readRelay } from './channel-options.js';
import { clientOf } from './client.js';
import { configureBy } from './default-client.js';
import type { PageOptions } from './options.js';
import type { CreatePageClient } from './page-functions.js';

/**
 * Makes a client for a page whose reports go through your backend's relay. `relayUrl` is required: this build contains
 * no gateway, no key and no lookup service. Throws a `ConfigurationError` that lists every wrong option.
 *
 * @example
 * ```ts
 * const client = createClient({ relayUrl: '/relay' });
 * await client.reportBetEvent({ bet_id: 'B-1', amount: 500 });
 * ```
 */
export const createClient: CreatePageClient = clientOf({
  channels: [readRelay],
  noChannel: RELAY_REQUIRED,
  sources: deviceSources,
  transport: pageTransport,
});

/**
 * Sets up the client behind the functions of this module; calling it again replaces it. Throws a `ConfigurationError`
 * as `createClient` does.
 */
export const configure: (options: PageOptions) => void = configureBy(createClient);
