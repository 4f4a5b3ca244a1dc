// Deletes the pauses and bindings of the soak's database again and again with plain SQL, while the workers run: like a
// standby that took over without them. It uses nothing of this package.
import pg from 'pg';
import { startLoop } from '../soak/loop.js';
import { sleep } from '../soak/random.js';
import { isDisconnected } from './disconnected.js';

const [connectionString = ''] = process.argv.slice(2);
const EVERY_MS = 700;
const NO_TABLE = '42P01';

await startLoop(
  async () => {
    await sleep(EVERY_MS);
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: 3_000 });
    // The connection may be lost while no query runs.
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('DELETE FROM location_sdk.destinations; DELETE FROM location_sdk.breakers');
    } finally {
      await client.end();
    }
  },
  // The tables are made by the first worker.
  (error) => isDisconnected(error) || (error instanceof pg.DatabaseError && error.code === NO_TABLE),
);
