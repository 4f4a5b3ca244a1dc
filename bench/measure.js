// How every comparison is measured: side by side, round by round. A round runs each contender once, every second round in
// the opposite order, so that load on the machine affects all of them. A ratio is taken within a round.
import { SECONDS, sizeOf } from './options.js';
import { intervalOf, isNarrow, median } from './statistics.js';
import { markdownTable, whole } from './words.js';

/**
 * A contender's turn in a round, in milliseconds by the clock and of the processor, garbage collection included.
 * @typedef {{ times: number, took: number, processor: number }} Turn
 */
/** @typedef {{ key: string, name: string, turn: () => Promise<Turn> }} Lane */
/**
 * Operations a second and operations in a second of processor time, for each round.
 * @typedef {{ key: string, name: string, rates: number[], processorRates: number[] }} Result
 */

/** Fewer rounds have no interval. */
export const LEAST = sizeOf(6, 1);
const ROUND_MS = sizeOf(150, 2);

/**
 * Runs rounds until the interval of each pair's ratio is narrow, or the time is spent.
 *
 * @param {readonly Lane[]} lanes
 * @param {object} [options]
 * @param {readonly (readonly [one: string, other: string])[]} [options.pairs] the contenders whose ratios matter
 * @param {number} [options.share] the part of the budget that these rounds may spend
 * @param {number} [options.least] rounds
 * @returns {Promise<Result[]>} in the order of the contenders
 */
export async function compare(lanes, { pairs = [], share = 1, least = LEAST } = {}) {
  /** @type {Result[]} */
  const results = lanes.map(({ key, name }) => ({ key, name, rates: [], processorRates: [] }));
  const began = performance.now();
  for (let round = 1; ; round += 1) {
    for (const index of round % 2 === 0 ? [...lanes.keys()].reverse() : lanes.keys()) {
      const { times, took, processor } = (await lanes[index]?.turn()) ?? { times: 0, took: 1, processor: 1 };
      results[index]?.rates.push((times / took) * 1_000);
      results[index]?.processorRates.push((times / processor) * 1_000);
    }
    const isSpent = performance.now() - began >= SECONDS * share * 1_000;
    const areNarrow = () =>
      pairs.length > 0 && pairs.every(([one, other]) => isNarrow(intervalOf(ratios(results, one, other).clock)));
    if (round >= least && (isSpent || areNarrow())) return results;
  }
}

/** @param {readonly Result[]} results @param {string} key */
export function resultOf(results, key) {
  const found = results.find((result) => result.key === key);
  if (!found) throw new Error(`there is no contender ${key}`);
  return found;
}

/**
 * How often the one does its work while the other does it once, round by round.
 * @param {readonly Result[]} results @param {string} one @param {string} other
 */
export function ratios(results, one, other) {
  const [{ rates, processorRates }, base] = [resultOf(results, one), resultOf(results, other)];
  const divide = (/** @type {number[]} */ figures, /** @type {number[]} */ by) =>
    figures.map((figure, round) => figure / (by[round] ?? Number.NaN));
  return { clock: divide(rates, base.rates), processor: divide(processorRates, base.processorRates) };
}

/**
 * The duration of some work in this process.
 * @param {number} times @param {() => unknown} work @returns {Promise<Turn>}
 */
export async function timed(times, work) {
  const cpu = process.cpuUsage();
  const began = performance.now();
  await work();
  const took = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  return { times, took, processor: (user + system) / 1_000 };
}

/**
 * A contender in this process, after a warm-up that finds out how often its work is done in a turn.
 *
 * @param {object} contender
 * @param {string} contender.key
 * @param {string} contender.name
 * @param {(times: number) => unknown} [contender.before] prepares this number of runs, and is not measured
 * @param {(times: number) => unknown} contender.run does its work this number of times, one after the other
 * @returns {Promise<Lane>}
 */
export async function inProcess({ key, name, before, run }) {
  const turn = async (/** @type {number} */ times) => {
    await before?.(times);
    return timed(times, () => run(times));
  };
  for (let times = 1; ; ) {
    const { took } = await turn(times);
    if (took >= ROUND_MS / 2) {
      const settled = Math.max(1, Math.round((times * ROUND_MS) / took));
      return { key, name, turn: () => turn(settled) };
    }
    times = Math.ceil(times * Math.min(10, ROUND_MS / Math.max(took, 0.01)));
  }
}

/** @param {Parameters<typeof inProcess>[0][]} contenders @param {Parameters<typeof compare>[1]} [options] */
export async function compareHere(contenders, options) {
  const lanes = [];
  for (const contender of contenders) lanes.push(await inProcess(contender));
  return compare(lanes, options);
}

const short = (/** @type {number} */ figure) => (figure < 10 ? figure.toPrecision(2) : whole(figure));

/** The results as a Markdown table, beside the named one. @param {readonly Result[]} results @param {string} baseline */
export const table = (results, baseline) =>
  markdownTable([
    ['', 'a second (median)', 'slowest to fastest round', 'a second of processor', 'µs each', 'as often'],
    ...results.map(({ key, name, rates, processorRates }) => [
      name,
      whole(median(rates)),
      `${whole(Math.min(...rates))} to ${whole(Math.max(...rates))}`,
      whole(median(processorRates)),
      short(1_000_000 / median(rates)),
      `${short(median(ratios(results, key, baseline).clock))} ×`,
    ]),
  ]);
