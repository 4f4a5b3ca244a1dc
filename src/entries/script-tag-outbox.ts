/** The script-tag file for pages with a relay, with the outbox. */
import { createClient } from '../core/client/create-relayed-client.js';
import { install, pageGlobal } from '../core/client/page-global.js';
import { createOutbox, rejected } from '../outbox/create-page-outbox.js';
import { type Ledger, settings } from '../outbox/stores/indexeddb/ledger.js';
import type { IndexedDbStoreOptions } from '../outbox/stores/indexeddb/options.js';
import { openIndexedDb } from '../outbox/stores/indexeddb/store.js';

/** The outbox of this file has no encryption, no lists and no receipt log. */
const pageLedger: Ledger = (run) => ({
  list: rejected,
  missingKeys: async () => [],
  getOrCreateSetting: settings(run),
  receipts: { unlogged: rejected, append: rejected, read: rejected, last: rejected },
});

const indexedDbStore = (options: IndexedDbStoreOptions = {}) => openIndexedDb(options, pageLedger);

export const LocationSDK = { ...pageGlobal(createClient), createOutbox, indexedDbStore };

install(LocationSDK);

const { LocationSDK: there } = globalThis as unknown as { LocationSDK: object };
// Used together with another script-tag file, which was loaded first.
Object.assign(there, { createClient: LocationSDK.createClient, createOutbox, indexedDbStore });
