/** The script-tag file for pages, with a relay or a gateway. */
import { clientOf } from '../client/client.js';
import { readGateways } from '../client/gateway-options.js';
import { install, pageGlobal } from '../client/page-global.js';
import { readRelay } from '../client/relay-options.js';
import { pageTransport } from '../delivery/fetch-transport.js';
import { pageSources } from '../location/lookup/page-sources.js';
import { freeipapi } from '../location/providers/freeipapi.js';
import { geojs } from '../location/providers/geojs.js';
import { ipapiCo } from '../location/providers/ipapi-co.js';

const createClient = clientOf({ channels: [readRelay, readGateways()], sources: pageSources, transport: pageTransport });

export const LocationSDK = { ...pageGlobal(createClient), freeipapi, geojs, ipapiCo };

install(LocationSDK);
