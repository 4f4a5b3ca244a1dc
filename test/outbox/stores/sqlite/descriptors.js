// Opens and closes the store of a file several times. Prints the largest growth of the open descriptors after the first
// time.
import { readdirSync } from 'node:fs';
import { sqliteStore } from 'location-sdk/outbox/sqlite';
import { rowOf } from './row-of.js';

const [file = '', cycles = '0'] = process.argv.slice(2);
const count = () => readdirSync('/proc/self/fd').length;

/** @param {number} cycle */
async function openAndClose(cycle) {
  const store = await sqliteStore({ file });
  const reference = `B-${cycle}`;
  await store.enqueue([rowOf(reference)]);
  await store.turn({
    writes: [],
    claim: {
      accounts: [{ account: 'default', gateways: { staging: rowOf(reference).gateway }, busy: 0 }],
      limit: 1,
      leaseMs: 1_000,
    },
  });
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
