/** What a page runs to try the IndexedDB store itself; bundled by the tests. */
import { storeContract } from '../../src/outbox/contract/index.js';
import { indexedDbStore } from '../../src/outbox/indexeddb.js';

const deleteDatabase = (name: string) =>
  new Promise<void>((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = () => resolve();
    request.onerror = () => reject(request.error);
  });

/** Runs one case over a database of its own. */
function runCase(index: number): Promise<void> {
  const found = storeContract[index];
  if (!found) throw new Error('There is no such case.');
  return found.run(async () => {
    const name = `contract-${index}`;
    let time = 1_795_161_600_000;
    const clock = {
      now: () => time,
      setTimeout: (callback: () => void, milliseconds: number) => window.setTimeout(callback, milliseconds),
      clearTimeout: (timer: unknown) => window.clearTimeout(timer as number),
    };
    const open = () => indexedDbStore({ name, clock });
    return {
      store: await open(),
      advance: (milliseconds) => {
        time += milliseconds;
      },
      another: open,
      // The connection of before is left as a dead process leaves it.
      reopen: open,
      close: () => deleteDatabase(name),
    };
  });
}

export const OutboxPage = { runCase, indexedDbStore, deleteDatabase };

Object.assign(globalThis, { OutboxPage });
