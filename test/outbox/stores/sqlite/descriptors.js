// Opens and closes the store of a file several times. Prints the smallest number of its open descriptors before a close,
// and the largest after one.
import { sqliteStore } from 'location-sdk/outbox/sqlite';
import { descriptorsOf } from './open-descriptors.js';
import { rowOf } from './row-of.js';

const [file = '', cycles = '0'] = process.argv.slice(2);
let least = Number.POSITIVE_INFINITY;
let most = 0;
for (let cycle = 0; cycle < Number(cycles); cycle += 1) {
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
  least = Math.min(least, descriptorsOf(file));
  await store.close?.();
  most = Math.max(most, descriptorsOf(file));
}
console.log(least, most);
