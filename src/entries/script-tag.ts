/** The script-tag file for pages, with a relay or a gateway. */

import { readGateways, readRelay } from '../client/channel-options.js';
import { clientOf } from '../client/client.js';
import { install, pageGlobal } from '../client/page-global.js';
import { pageTransport } from '../delivery/fetch-transport.js';
import { freeipapi, geojs, ipapiCo } from '../location/providers/free-services.js';
import { pageSources } from '../location/sources.js';

const createClient = clientOf({
  channels: [readRelay, readGateways()],
  sources: pageSources,
  transport: pageTransport,
});

export const LocationSDK = { ...pageGlobal(createClient), freeipapi, geojs, ipapiCo };

install(LocationSDK);
