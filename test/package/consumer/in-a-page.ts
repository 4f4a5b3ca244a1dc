/** Types that only a page has. */
import { type Client, createClient, type RelayReceipt } from 'location-sdk';
import { createOutbox, type Outbox } from 'location-sdk/outbox';
import { indexedDbStore } from 'location-sdk/outbox/indexeddb';
import { createClient as createPageClient, type Client as PageClient } from 'location-sdk/page';

export const client: Client = createClient({
  geolocation: navigator.geolocation,
  fetch: window.fetch.bind(window),
  allowApiKeyInBrowser: true,
});

export const inPage = async (): Promise<Outbox> =>
  createOutbox({ client, store: await indexedDbStore({ persist: false }) });

/** A client for a relay is a client, in the main entry and in the entry for pages. */
export const relayed: Client = createClient({ relayUrl: '/relay' });
export const exactly: Client<'relay'> = createClient({ relayUrl: '/relay' });
export const ofPage: PageClient = createPageClient({ relayUrl: '/relay' });
export const relayReceipt = (bet_id: string): Promise<RelayReceipt> => exactly.reportBetEvent({ bet_id });
