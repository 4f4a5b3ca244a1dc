/** The script-tag file for pages with a relay. */
import { createClient } from '../core/client/create-relayed-client.js';
import { install, pageGlobal } from '../core/client/page-global.js';

export const LocationSDK = pageGlobal(createClient);

install(LocationSDK);
