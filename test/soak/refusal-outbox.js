// An outbox with the package's own defaults, over a file of SQLite or the address of a PostgreSQL.
import { createClient } from 'location-sdk';
import { createOutbox } from 'location-sdk/outbox';
import { postgresStore } from 'location-sdk/outbox/postgres';
import { sqliteStore } from 'location-sdk/outbox/sqlite';
import pg from 'pg';

/** @typedef {{ gateway: string, place: { file: string } | { url: string } }} Task */

/** @param {Task} task */
export async function openOutbox({ gateway, place }) {
  const client = createClient({
    environment: 'staging',
    gateways: { staging: { baseUrl: gateway, apiKey: 'a-key' } },
    location: { fixed: { latitude: 6.4474, longitude: 7.5139, city: 'Enugu', country: 'NG' } },
  });
  if ('file' in place) {
    const store = await sqliteStore(place);
    return { outbox: createOutbox({ client, store }), close: async () => store.close?.() };
  }
  const pool = new pg.Pool({ connectionString: place.url });
  // `end` does not wait until its connections are closed, and one that the server ends meanwhile would end this process.
  pool.on('error', () => {});
  const store = await postgresStore({ database: pool });
  return { outbox: createOutbox({ client, store }), close: () => pool.end() };
}
