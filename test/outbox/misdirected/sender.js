// One process with one licence. It enqueues bets, and sends all reports that the store returns until it is told to end.
// It uses the built package.
import { createClient } from 'location-sdk';
import { createOutbox } from 'location-sdk/outbox';
import { betUser } from '../../runtimes/players.js';

const { place, baseUrl, apiKey, account, references } = JSON.parse(process.argv[2] ?? '{}');

async function openStore() {
  if (!place.url) return (await import('location-sdk/outbox/sqlite')).sqliteStore({ file: place.file });
  const { default: pg } = await import('pg');
  const { postgresStore } = await import('location-sdk/outbox/postgres');
  return postgresStore({ database: new pg.Pool({ connectionString: place.url, max: 4 }), schema: place.schema });
}

const store = await openStore();
const location = { latitude: 6.45, longitude: 3.39, source: 'test' };
const bet = { amount: 5, user: betUser };
const client = createClient({
  environment: 'staging',
  validation: 'partial',
  gateways: { staging: { baseUrl, apiKey } },
});
const outbox = createOutbox({ client, store, pollMs: 20, concurrency: 2, account });
/** @type {string[]} */
const accepted = [];
/** @type {string[]} */
const refused = [];
const noted = (/** @type {unknown} */ error) =>
  void refused.push(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
outbox.on('error', ({ cause }) => noted(cause));
outbox.start();
for (const reference of references) {
  try {
    await outbox.reportBetEvent({ ...bet, bet_id: reference }, { location });
    accepted.push(reference);
  } catch (error) {
    noted(error);
  }
}
process.send?.({ accepted });
process.on('message', async () => {
  await outbox.stop();
  process.send?.({ accepted, refused });
  process.disconnect();
  process.exit(0);
});
