// One contender in a separate process. It gets the number of concurrent reports and a duration or a total, and returns
// the results.
import { nextBet } from './bet.js';
import { contenders } from './contenders.js';

/** @typedef {{ concurrency: number, milliseconds?: number, reports?: number, collect?: boolean }} Round */
/**
 * Milliseconds. `processor` counts this process alone, including garbage collection and threads. `heap` is the memory in
 * use, in bytes.
 * @typedef {import('../measure.js').Turn & { heap: number }} Ran
 */

const [key = '', port = ''] = process.argv.slice(2);
const contender = contenders[key];
if (!contender) throw new Error(`there is no contender ${key}`);
const send = await contender.start(Number(port));

/** @param {Round} round @returns {Promise<Ran>} */
async function run({
  concurrency,
  milliseconds = Number.POSITIVE_INFINITY,
  reports = Number.POSITIVE_INFINITY,
  collect = false,
}) {
  let begun = 0;
  let times = 0;
  // A connection may have closed while another process had its turn.
  await Promise.all(Array.from({ length: concurrency }, () => send(nextBet())));
  if (collect) globalThis.gc?.();
  await new Promise((resolve) => setImmediate(resolve));
  const cpu = process.cpuUsage();
  const isOver = () => performance.now() - began >= milliseconds || begun >= reports;
  const began = performance.now();
  const lane = async () => {
    while (!isOver()) {
      begun += 1;
      await send(nextBet());
      times += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  const took = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  if (collect) globalThis.gc?.();
  const heap = process.memoryUsage().heapUsed;
  return { times, took, processor: (user + system) / 1_000, heap };
}

process.on('message', (round) => void run(/** @type {Round} */ (round)).then((ran) => process.send?.(ran)));
// Ends with its parent or, when told to, after removing its temporary files.
process.on('disconnect', () => process.exit());
process.on('SIGTERM', () => process.exit());
process.send?.('ready');
