// The outbox over the shared database. Address and key of the gateway come from the environment:
// LOCATION_SDK_STAGING_BASE_URL and LOCATION_SDK_STAGING_API_KEY, or LOCATION_SDK_MOCK.
import { createClient } from 'location-sdk';
import { instrumentClient, instrumentOutbox } from 'location-sdk/opentelemetry';
import { createOutbox } from 'location-sdk/outbox';
import { postgresStore } from 'location-sdk/outbox/postgres';
import { pool } from './database.js';

/**
 * The outbox of a process. The API only enqueues; the worker listens for commits, sends, and observes the gauges.
 * @param {{ isWorker: boolean }} role
 */
export async function openOutbox({ isWorker }) {
  const store = await postgresStore({ database: pool, ...(isWorker && { listen: () => pool.connect() }) });
  const client = instrumentClient(createClient());
  // A line for each recorded report: collect this log on another machine, where a failover cannot reach it.
  const recorded = createOutbox({ client, store, onReceipt: console.log });
  const outbox = instrumentOutbox(recorded, { observeStats: isWorker });
  return { outbox, store };
}
