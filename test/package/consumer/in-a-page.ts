/** What only a page has. */
import { type Client, createClient } from 'location-sdk';

export const client: Client = createClient({ geolocation: navigator.geolocation, fetch: window.fetch.bind(window), allowApiKeyInBrowser: true });
