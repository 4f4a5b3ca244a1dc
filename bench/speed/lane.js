// One contender in a separate process. It gets the number of concurrent reports and a duration or a total, and returns
// the results.
import { PerformanceObserver } from 'node:perf_hooks';
import { nextBet } from './bet.js';
import { contenders } from './contenders.js';

/** @typedef {{ concurrency: number, milliseconds?: number, reports?: number, collect?: boolean }} Round */
/**
 * Milliseconds. `processor` counts this process alone, including garbage collection and threads. Bytes: `allocated` is
 * the memory allocated on the heap of V8, undefined if a collection ran; `heap` is the rest after one.
 * @typedef {{ count: number, took: number, processor: number, latencies: number[], allocated: number | undefined, heap:
 * number }} Ran
 */

const [key = '', port = ''] = process.argv.slice(2);
const contender = contenders[key];
if (!contender) throw new Error(`there is no contender ${key}`);
const send = await contender.start(Number(port));

const collections = new PerformanceObserver(() => {});
collections.observe({ entryTypes: ['gc'] });

/** @param {Round} round @returns {Promise<Ran>} */
async function run({
  concurrency,
  milliseconds = Number.POSITIVE_INFINITY,
  reports = Number.POSITIVE_INFINITY,
  collect = false,
}) {
  /** @type {number[]} */
  const latencies = [];
  let begun = 0;
  let count = 0;
  // Some close their connections while others have their turn.
  await Promise.all(Array.from({ length: concurrency }, () => send(nextBet())));
  if (collect) globalThis.gc?.();
  await new Promise((resolve) => setImmediate(resolve));
  collections.takeRecords();
  const heapBefore = process.memoryUsage().heapUsed;
  const cpu = process.cpuUsage();
  const began = performance.now();
  const lane = async () => {
    for (let sent = began; sent - began < milliseconds && begun < reports; ) {
      begun += 1;
      await send(nextBet());
      const now = performance.now();
      if (milliseconds < Number.POSITIVE_INFINITY) latencies.push(now - sent);
      count += 1;
      sent = now;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  const took = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  const allocated = process.memoryUsage().heapUsed - heapBefore;
  await new Promise((resolve) => setImmediate(resolve));
  const collected = collections.takeRecords().length > 0;
  if (collect) globalThis.gc?.();
  const heap = process.memoryUsage().heapUsed;
  return {
    count,
    took,
    processor: (user + system) / 1_000,
    latencies,
    allocated: collected ? undefined : allocated,
    heap,
  };
}

process.on('message', (round) => void run(/** @type {Round} */ (round)).then((ran) => process.send?.(ran)));
// Ends with its parent or, when told to, after removing its temporary files.
process.on('disconnect', () => process.exit());
process.on('SIGTERM', () => process.exit());
process.send?.('ready');
