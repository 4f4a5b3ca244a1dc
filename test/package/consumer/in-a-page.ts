/** What only a page has. */
import { type Client, createClient } from 'location-sdk';
import { createOutbox, type Outbox } from 'location-sdk/outbox';
import { indexedDbStore } from 'location-sdk/outbox/indexeddb';

export const client: Client = createClient({ geolocation: navigator.geolocation, fetch: window.fetch.bind(window), allowApiKeyInBrowser: true });

export const inPage = async (): Promise<Outbox> => createOutbox({ client, store: await indexedDbStore({ persist: false, platform: window }) });

/** A client for a relay is a client. */
export const relayed: Client = createClient({ relayUrl: '/relay' });
