// Reports a second, processor time and latency: all contenders in alternating rounds.
import { median, quantile } from '../measure.js';
import { startProcess } from '../process.js';
import { contenders, senders } from './contenders.js';

export const CONCURRENCIES = [1, 10, 50];

const LANE = new URL('lane.js', import.meta.url);

/**
 * @typedef {object} Sent
 * @property {string} key
 * @property {string} name
 * @property {Record<number, number[]>} perSecond by concurrency, for each round
 * @property {number} processor microseconds a report, at the highest concurrency
 * @property {number} p50 milliseconds, one report at a time
 * @property {number} p99
 * @property {number} allocated bytes a report
 */

/** Some processors must be warm, and a machine under load warms them slowly. */
const WARM_UP = { reports: 4_000, milliseconds: 4_000 };

/**
 * @param {import('../process.js').Runtime} runtime
 * @param {number} port
 * @param {{ sets: number, rounds: number, milliseconds: number, warmUp: number, counted: number }} size
 * @param {(what: string) => void} tell
 * @returns {Promise<Sent[]>}
 */
export async function measureSending(runtime, port, { sets, rounds, milliseconds, warmUp, counted }, tell) {
  const lanes = senders.map((key) => ({
    key,
    ran: /** @type {Record<number, import('./lane.js').Ran[]>} */ ({ 1: [], 10: [], 50: [] }),
  }));
  // Two processes of one contender may differ by a fifth from their start to their end.
  for (let set = 1; set <= sets; set += 1) {
    tell(`processes ${set} of ${sets}, warming up`);
    const processes = [];
    for (const { key, ran } of lanes) {
      const child = await startProcess(LANE, { runtime, words: [key, String(port)] });
      await child.ask({
        concurrency: 50,
        reports: WARM_UP.reports * warmUp,
        milliseconds: WARM_UP.milliseconds * warmUp,
      });
      processes.push({ child, ran });
    }
    for (const concurrency of CONCURRENCIES) {
      tell(`processes ${set} of ${sets}, ${concurrency} at once`);
      for (let round = 0; round < rounds; round += 1) {
        const first = round % processes.length;
        for (const { child, ran } of [...processes.slice(first), ...processes.slice(0, first)])
          ran[concurrency]?.push(await child.ask({ concurrency, milliseconds }));
      }
    }
    for (const { child } of processes) await child.stop();
  }
  tell('what is allocated');
  const sent = [];
  for (const { key, ran } of lanes) {
    const latencies = (ran[1] ?? []).flatMap((round) => round.latencies);
    sent.push({
      key,
      name: contenders[key]?.name ?? key,
      perSecond: Object.fromEntries(
        CONCURRENCIES.map((concurrency) => [
          concurrency,
          (ran[concurrency] ?? []).map(({ count, took }) => (count / took) * 1_000),
        ]),
      ),
      processor: median((ran[50] ?? []).map(({ processor, count }) => (processor / count) * 1_000)),
      p50: quantile(latencies, 0.5),
      p99: quantile(latencies, 0.99),
      allocated: await measureAllocations(runtime, port, key, { warmUp, counted }),
    });
  }
  return sent;
}

/** A young generation large enough that no collection runs while allocations are counted. */
const NO_COLLECTION = ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256'];

/** @param {import('../process.js').Runtime} runtime @param {number} port @param {string} key @param {{ warmUp: number, counted: number }} size */
async function measureAllocations(runtime, port, key, { warmUp, counted }) {
  const child = await startProcess(LANE, { runtime, words: [key, String(port)], flags: NO_COLLECTION });
  await child.ask({ concurrency: 10, reports: 1_000 * warmUp, milliseconds: 2_000 * warmUp });
  const figures = [];
  for (let round = 0; round < 3; round += 1) {
    const { allocated, count } = await child.ask({ concurrency: 10, reports: counted, collect: true });
    if (allocated !== undefined) figures.push(allocated / count);
  }
  await child.stop();
  return median(figures);
}
