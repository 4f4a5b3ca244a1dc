// Reports ten bets at once, with their settlements, through an outbox in a file that two stores have open, one of them by
// the way of the guide: `node send-reports.js better-sqlite3`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'location-sdk';
import { createMockGateway } from 'location-sdk/mock';
import { createOutbox } from 'location-sdk/outbox';
import { sqliteStore } from 'location-sdk/outbox/sqlite';

const [name = ''] = process.argv.slice(2);
const library = await import(name);
/** @type {new (file: string) => import('location-sdk/outbox/sqlite').SqliteDatabase} */
const Database = library.DatabaseSync ?? library.default;

const user = {
  user_id: 'U-1',
  first_name: 'Ada',
  last_name: 'Okonkwo',
  resident_address: '4 Ogui Road',
  resident_lga: 'Enugu North',
  resident_state: 'ENUGU',
  is_resident: true,
  nin: '99012345678',
  tax_id: '2034567890123',
};
const location = { latitude: 6.44, longitude: 7.49, source: 'gps' };
const folder = mkdtempSync(join(tmpdir(), 'location-sdk-reports-'));
const file = join(folder, 'outbox.db');
const gateway = createMockGateway();
const client = createClient(gateway.clientOptions());
/** On Node.js 20 the store finds the library by itself; later it finds that of Node.js first. */
const byDefault = process.versions.node.startsWith('20.');
const store = await sqliteStore({ file, ...(byDefault ? {} : { open: (path) => new Database(path) }) });
const outbox = createOutbox({ client, store });
const database = new Database(file);
const other = createOutbox({ client, store: await sqliteStore({ database }) });
outbox.start();
other.start();
const bets = Array.from({ length: 10 }, (_, index) => `B-${index}`);
await Promise.all(
  bets.map(async (bet_id, index) => {
    const through = index % 2 ? outbox : other;
    await through.reportBetEvent({ bet_id, amount: 1_500, user }, { location });
    await through.reportSettledBet({
      bet_id,
      user,
      win_amount: 0,
      payout_amount: 0,
      outcome: 'LOSS',
      ggr: 1_500,
      ur: 0,
    });
  }),
);
await outbox.drain();
const { states } = await outbox.stats();
await Promise.all([outbox.stop(), other.stop()]);
await store.close?.();
database.close();
rmSync(folder, { recursive: true });
if (states.recorded !== 20) throw new Error(`expected 20 recorded reports, got ${JSON.stringify(states)}`);
console.log(`${name} on Node.js ${process.versions.node}: 20 reports recorded`);
