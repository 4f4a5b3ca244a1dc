// A process that accepts reports, opens its file a second time in the given way, and accepts more when it is told to
// continue. It sends the accepted reports to its parent. It uses the built package.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { sqliteStore } from 'location-sdk/outbox/sqlite';
import { rowOf } from './row-of.js';

const REPORTS = 25;

/** @param {import('location-sdk/outbox').OutboxStore} store */
async function look(store) {
  const { states } = await store.counts();
  if (states.waiting === 0) throw new Error('the reports of before are not there');
}

/**
 * The ways to open a file again. Each returns a function that closes it, if it is still open.
 * @type {Record<string, (file: string) => Promise<void>>}
 */
const WAYS = {
  'a store that stays open': async (file) => look(await sqliteStore({ file })),
  'a store that is closed': async (file) => {
    const store = await sqliteStore({ file });
    await look(store);
    await store.close?.();
  },
  'a store of the CommonJS module': async (file) =>
    look(await createRequire(import.meta.url)('location-sdk/outbox/sqlite').sqliteStore({ file })),
  'a store of a module that was loaded again': async (file) => {
    const again = `${import.meta.resolve('location-sdk/outbox/sqlite')}?again`;
    await look(await (await import(again)).sqliteStore({ file }));
  },
  // The guide forbids this: closing the descriptor drops the locks of the process.
  'a reader of its bytes': async (file) => void readFileSync(file),
  'a store in a worker thread': async (file) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: file });
    await Promise.all([once(worker, 'message'), once(worker, 'exit')]);
  },
};

async function main() {
  const [file = '', way = ''] = process.argv.slice(2);
  const store = await sqliteStore({ file });
  let reports = 0;

  async function accept() {
    const first = reports;
    for (; reports < first + REPORTS; reports += 1) {
      const row = rowOf(`B-${reports}`);
      await store.enqueue([row]);
      process.send?.(row.id);
    }
  }

  await accept();
  const open = WAYS[way];
  if (!open) throw new Error(`no way to open it: ${way}`);
  await open(file);
  process.send?.('opened twice');
  await once(process, 'message');
  await accept().catch((error) => process.send?.(`refused: ${error.code}`));
  process.send?.('tried all');
  // The process is killed.
  setInterval(() => {}, 60_000);
}

if (isMainThread) await main();
else {
  const store = await sqliteStore({ file: workerData });
  await look(store);
  await store.close?.();
  parentPort?.postMessage('closed');
}
