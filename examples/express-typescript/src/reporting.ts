import { createClient } from 'location-sdk';
import { instrumentClient, instrumentOutbox } from 'location-sdk/opentelemetry';
import { createOutbox } from 'location-sdk/outbox';
import { postgresStore } from 'location-sdk/outbox/postgres';
import type { Pool } from 'pg';

/** The outbox of this instance. It sends until it is stopped. */
export async function startReporting(pool: Pool) {
  const store = await postgresStore({ database: pool, listen: () => pool.connect() });
  // Address and key come from the environment: LOCATION_SDK_STAGING_BASE_URL and the others, or LOCATION_SDK_MOCK.
  const outbox = instrumentOutbox(createOutbox({ client: instrumentClient(createClient()), store }));
  outbox.start();
  return { outbox, store };
}
