// Sends the waiting reports of a SQLite outbox and the bet of the second argument, and leaves another bet behind. It
// uses the built package.
import { createClient } from 'location-sdk';
import { createOutbox } from 'location-sdk/outbox';
import { sqliteStore } from 'location-sdk/outbox/sqlite';

const [file = '', bet = ''] = process.argv.slice(2);
const client = createClient({
  validation: 'partial',
  location: { fixed: { latitude: 6.45, longitude: 3.39 } },
  logger: {},
});
const outbox = createOutbox({ client, store: await sqliteStore({ file }) });
/** @type {string[]} */
const recorded = [];
outbox.on('recorded', ({ reference }) => recorded.push(reference));
const report = (/** @type {string} */ bet_id) => outbox.reportBetEvent({ bet_id, user: { user_id: 'U-1' } });
await report(bet);
await outbox.drain();
await report(`${bet}-later`);
console.log(recorded.sort().join(' '), 'recorded');
console.log((await outbox.stats()).states.waiting, 'waits');
