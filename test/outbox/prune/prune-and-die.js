// Prunes with the built package, and kills itself after the first commit, so that it never ends before.
import { createClient } from 'location-sdk';
import { createOutbox } from 'location-sdk/outbox';
import { postgresStore } from 'location-sdk/outbox/postgres';
import { sqliteStore } from 'location-sdk/outbox/sqlite';
import pg from 'pg';

const [place = '', schema] = process.argv.slice(2);
const store = schema
  ? await postgresStore({ database: new pg.Pool({ connectionString: place }), schema })
  : await sqliteStore({ file: place });
const client = createClient({ gateways: { staging: { baseUrl: 'https://staging.example.com', apiKey: 'key' } } });
await createOutbox({ client, store }).prune({
  olderThanDays: 400,
  keepReceipts: true,
  onProgress: () => void process.kill(process.pid, 'SIGKILL'),
});
