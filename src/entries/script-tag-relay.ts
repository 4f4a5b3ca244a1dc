/** The script-tag file for pages with a relay. */
import { createClient } from '../client/create-relayed-client.js';
import { install, pageGlobal } from '../client/page-global.js';

export const LocationSDK = pageGlobal(createClient);

install(LocationSDK);
