/** Code for a page that tests the IndexedDB store itself. Bundled by the tests. */

import { indexedDbStore } from '../../src/entries/outbox-indexeddb.js';
import { storeContract } from '../outbox/contract/contract.js';

const deleteDatabase = (name: string) =>
  new Promise<void>((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = () => resolve();
    request.onerror = () => reject(request.error);
  });

const PARTS = [
  ...([
    'account',
    'environment',
    'operation',
    'reference',
    'waitsFor',
    'state',
    'fence',
    'attempts',
    'inDoubt',
    'doubtBefore',
  ] as const),
  ...(['enqueuedAt', 'changedAt', 'outcome', 'message', 'problem', 'decisions', 'fingerprint', 'body'] as const),
];

/** Sets a part of a stored row to a value that no store writes there. */
function spoil(name: string, id: string, part: string, value: unknown = { spoiled: true }): Promise<void> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(name);
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const database = opening.result;
      const transaction = database.transaction('rows', 'readwrite');
      const rows = transaction.objectStore('rows');
      const reading = rows.get(id);
      reading.onsuccess = () => rows.put({ ...reading.result, row: { ...reading.result.row, [part]: value } });
      transaction.onabort = () => reject(transaction.error);
      transaction.oncomplete = () => {
        database.close();
        resolve();
      };
    };
  });
}

/** Runs one case over a separate database. */
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
      // The earlier connection is left open, as by a dead process.
      reopen: open,
      damage: {
        parts: PARTS,
        spoil: (id, part) => spoil(name, id, part),
        replace: (id, part, text) => spoil(name, id, part, text),
      },
      close: () => deleteDatabase(name),
    };
  });
}

export const OutboxPage = { runCase, indexedDbStore, deleteDatabase };

Object.assign(globalThis, { OutboxPage });
