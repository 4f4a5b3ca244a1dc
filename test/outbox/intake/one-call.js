// A process of a service, with the built package. It calls one method of the outbox and sends the result to the test,
// or it is the worker. It never ends by itself: the test kills it.
import { createClient } from 'location-sdk';
import { createOutbox } from 'location-sdk/outbox';

const { baseUrl, place, schema, call } = JSON.parse(process.argv[2] ?? '{}');

async function openStore() {
  if (!schema) return (await import('location-sdk/outbox/sqlite')).sqliteStore({ file: place });
  const { default: pg } = await import('pg');
  const { postgresStore } = await import('location-sdk/outbox/postgres');
  return postgresStore({ database: new pg.Pool({ connectionString: place, max: 2 }), schema });
}

// It finds no location by itself: a mock gateway of LOCATION_SDK_MOCK would give every report the same one.
const client = createClient({ gateways: { staging: { baseUrl, apiKey: 'mock-api-key' } }, attemptTimeoutMs: 300 });
const outbox = createOutbox({
  client,
  store: await openStore(),
  pollMs: 20,
  leaseMs: 1_400,
  retry: { baseMs: 10, capMs: 50 },
});

process.on('disconnect', () => process.exit());
if (call) {
  const [method, ...args] = call;
  const result = await /** @type {Record<string, any>} */ (outbox)[method](...args);
  process.send?.(result ?? null);
} else {
  outbox.start();
  process.send?.('started');
}
