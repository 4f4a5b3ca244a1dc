// Opens and closes the store of a file again and again, and prints by how many the descriptors of this process grew at most after the first time.
import { readdirSync } from 'node:fs';
import { sqliteStore } from 'location-sdk/outbox/sqlite';

const [file = '', cycles = '0'] = process.argv.slice(2);
const count = () => readdirSync('/proc/self/fd').length;

/** @param {number} cycle */
async function openAndClose(cycle) {
  const store = await sqliteStore({ file });
  const id = `staging:reportBetEvent:B-${cycle}`;
  await store.enqueue([{ id, environment: 'staging', operation: 'reportBetEvent', reference: `B-${cycle}`, waitsFor: undefined, body: '{}', fingerprint: id }]);
  await store.turn({ writes: [], claim: { limit: 1, leaseMs: 1_000 } });
  await store.list({ limit: 10 });
  await store.close?.();
}

await openAndClose(0);
const before = count();
let most = 0;
for (let cycle = 1; cycle <= Number(cycles); cycle += 1) {
  await openAndClose(cycle);
  most = Math.max(most, count() - before);
}
console.log(most);
