/** The script-tag file for pages with a relay, with the outbox. */
import { createClient } from '../core/client/create-relayed-client.js';
import { install, pageGlobal } from '../core/client/page-global.js';
import { createOutbox } from '../outbox/create-page-outbox.js';
import { pageLedger } from '../outbox/stores/indexeddb/ledger.js';
import type { IndexedDbStoreOptions } from '../outbox/stores/indexeddb/options.js';
import { openIndexedDb } from '../outbox/stores/indexeddb/store.js';

const indexedDbStore = (options: IndexedDbStoreOptions = {}) => openIndexedDb(options, pageLedger);

export const LocationSDK = { ...pageGlobal(createClient), createOutbox, indexedDbStore };

install(LocationSDK);

const { LocationSDK: there } = globalThis as unknown as { LocationSDK: object };
// Used together with another script-tag file, which was loaded first.
Object.assign(there, { createClient: LocationSDK.createClient, createOutbox, indexedDbStore });
