// How every comparison is measured: all contenders in one run, in short rounds that alternate, so that load on the
// machine affects all of them. The results are medians, with the slowest and the fastest round, and the operations in a
// second of processor time, on which load has less influence. Processor time is that of this process, including garbage
// collection.

import { isSmoke, sizeOf } from './smoke.js';
import { markdownTable, whole } from './words.js';

/**
 * @typedef {object} Contender
 * @property {string} name
 * @property {(times: number) => unknown} [before] prepares this number of runs, and is not measured; may return a
 * promise
 * @property {(times: number) => unknown} run does its work this number of times, one after the other; may return a
 * promise
 */

/**
 * Operations a second.
 * @typedef {{ name: string, perSecond: number, slowest: number, fastest: number, perProcessorSecond: number, rates: number[], processorRates: number[] }} Result
 */

const ROUNDS = 15;
const ROUND_MS = sizeOf(150, 2);

/**
 * The duration of this work, in milliseconds by the clock and of the processor.
 * @param {Contender} contender
 * @param {number} times
 */
async function time({ before, run }, times) {
  await before?.(times);
  const cpu = process.cpuUsage();
  const began = performance.now();
  await run(times);
  const took = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  return { took, processor: (user + system) / 1_000 };
}

/** How often the work is done in a round. The search for it warms the contender up. @param {Contender} contender */
async function timesInRound(contender) {
  for (let times = 1; ; ) {
    const { took } = await time(contender, times);
    if (took >= ROUND_MS / 2) return Math.max(1, Math.round((times * ROUND_MS) / took));
    times = Math.ceil(times * Math.min(10, ROUND_MS / Math.max(took, 0.01)));
  }
}

/**
 * Runs the contenders in turn; each round starts with another one.
 *
 * @param {readonly Contender[]} contenders
 * @param {{ rounds?: number }} [options]
 * @returns {Promise<Result[]>} in the order of the contenders
 */
export async function compare(contenders, { rounds = ROUNDS } = {}) {
  const lanes = [];
  if (isSmoke) rounds = 1;
  for (const contender of contenders) {
    lanes.push({
      contender,
      times: await timesInRound(contender),
      rates: /** @type {number[]} */ ([]),
      processorRates: /** @type {number[]} */ ([]),
    });
  }
  for (let round = 0; round < rounds; round += 1) {
    const first = round % lanes.length;
    for (const { contender, times, rates, processorRates } of [...lanes.slice(first), ...lanes.slice(0, first)]) {
      const { took, processor } = await time(contender, times);
      rates.push((times / took) * 1_000);
      processorRates.push((times / processor) * 1_000);
    }
  }
  return lanes.map(({ contender: { name }, rates, processorRates }) => ({
    name,
    perSecond: median(rates),
    slowest: Math.min(...rates),
    fastest: Math.max(...rates),
    perProcessorSecond: median(processorRates),
    rates,
    processorRates,
  }));
}

/** @param {readonly number[]} figures @param {number} share */
export const quantile = (figures, share) =>
  [...figures].sort((a, b) => a - b)[Math.min(figures.length - 1, Math.floor(figures.length * share))] ?? Number.NaN;

/** The median. @param {readonly number[]} figures */
export const median = (figures) => quantile(figures, 0.5);

/**
 * The ratio of the one to the other, round by round.
 * @param {readonly number[]} one
 * @param {readonly number[]} other
 */
export const ratioOf = (one, other) => median(one.map((figure, round) => figure / (other[round] ?? Number.NaN)));

const short = (/** @type {number} */ figure) => (figure < 10 ? figure.toPrecision(2) : whole(figure));

/**
 * The results as a Markdown table, compared with the named one.
 *
 * @param {readonly Result[]} results
 * @param {string} baseline
 */
export function table(results, baseline) {
  const base = results.find(({ name }) => name === baseline)?.perSecond ?? Number.NaN;
  const rows = results.map(({ name, perSecond, slowest, fastest, perProcessorSecond }) => [
    name,
    whole(perSecond),
    `${whole(slowest)} to ${whole(fastest)}`,
    whole(perProcessorSecond),
    short(1_000_000 / perSecond),
    `${short(perSecond / base)} ×`,
  ]);
  return markdownTable([
    ['', 'a second (median)', 'slowest to fastest round', 'a second of processor', 'µs each', 'as often'],
    ...rows,
  ]);
}
