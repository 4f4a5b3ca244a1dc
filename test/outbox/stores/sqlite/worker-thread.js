// Terminates worker threads while they use their own stores. It uses the built package.
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { sqliteStore } from 'location-sdk/outbox/sqlite';
import { rowOf } from './row-of.js';

const THREADS = 8;

if (isMainThread) {
  const [file = ''] = process.argv.slice(2);
  for (let thread = 0; thread < THREADS; thread += 1) {
    const worker = new Worker(new URL(import.meta.url), { workerData: { file, thread } });
    await once(worker, 'message');
    await worker.terminate();
  }
  const store = await sqliteStore({ file });
  const { states } = await store.counts();
  await store.close?.();
  console.log(states.waiting >= THREADS ? 'sound' : `only ${states.waiting} reports`);
} else {
  const { file, thread } = workerData;
  const store = await sqliteStore({ file });
  for (let index = 0; ; index += 1) {
    await store.enqueue([rowOf(`B-${thread}-${index}`)]);
    await store.list({ limit: 100 });
    if (index === 0) parentPort?.postMessage('accepted');
  }
}
