// Closes stores whose `open` is `@photostructure/sqlite`, keeps the stores, and prints the number of open descriptors of the file after a
// garbage collection.
import { readdirSync, readlinkSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { DatabaseSync as Database } from '@photostructure/sqlite';
import { sqliteStore } from 'location-sdk/outbox/sqlite';
import { rowOf } from './row-of.js';

const [file = ''] = process.argv.slice(2);
const held = [];
for (let cycle = 0; cycle < 5; cycle += 1) {
  const store = await sqliteStore({ file, open: (name) => new Database(name) });
  await store.enqueue([rowOf(`B-${cycle}`)]);
  await store.list({ limit: 10 });
  await store.close?.();
  held.push(store);
}

/** @param {string} descriptor */
function targetOf(descriptor) {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    // It was the descriptor that reads the folder.
    return '';
  }
}
const count = () => readdirSync('/proc/self/fd').filter((descriptor) => targetOf(descriptor).startsWith(file)).length;

// Statements are finalized some time after the collection.
for (let attempt = 0; attempt < 50 && count() > 0; attempt += 1) {
  globalThis.gc?.();
  await setTimeout(20);
}
console.log(count(), held.length);
