/** The script-tag file for pages, with a relay or a gateway. */

import { readGateways, readRelay } from '../core/client/channel-options.js';
import { clientOf } from '../core/client/client.js';
import { install, pageGlobal } from '../core/client/page-global.js';
import { pageTransport } from '../core/delivery/fetch-transport.js';
import { freeipapi, geojs, ipapiCo } from '../core/location/providers/free-services.js';
import { pageSources } from '../core/location/sources.js';

const createClient = clientOf({
  channels: [readRelay, readGateways()],
  sources: pageSources,
  transport: pageTransport,
});

export const LocationSDK = { ...pageGlobal(createClient), freeipapi, geojs, ipapiCo };

install(LocationSDK);
