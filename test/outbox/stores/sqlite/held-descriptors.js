// Closes stores whose `open` is `@photostructure/sqlite`, and keeps the stores. Prints their number, whether all of them
// had descriptors of the file, and the number of these once garbage collections have had time to release them.
import { setTimeout } from 'node:timers/promises';
import { DatabaseSync as Database } from '@photostructure/sqlite';
import { sqliteStore } from 'location-sdk/outbox/sqlite';
import { descriptorsOf } from './open-descriptors.js';
import { rowOf } from './row-of.js';

const LIMIT_MS = 40_000;
const [file = ''] = process.argv.slice(2);
const held = [];
let isSeen = true;
for (let cycle = 0; cycle < 5; cycle += 1) {
  const store = await sqliteStore({ file, open: (name) => new Database(name) });
  await store.enqueue([rowOf(`B-${cycle}`)]);
  await store.list({ limit: 10 });
  isSeen &&= descriptorsOf(file) > 0;
  await store.close?.();
  held.push(store);
}

// Statements are finalized some time after the collection.
const begin = performance.now();
while (descriptorsOf(file) > 0 && performance.now() - begin < LIMIT_MS) {
  globalThis.gc?.();
  await setTimeout(20);
}
console.log(held.length, isSeen, descriptorsOf(file));
