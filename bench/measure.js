// How every comparison is measured: side by side, round by round. A round runs each contender once, every second round in
// the opposite order, so that load on the machine affects all of them. A ratio is taken within a round.
import { SECONDS, sizeOf } from './options.js';
import { median } from './statistics.js';
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
 * @typedef {object} Rounds
 * @property {(results: readonly Result[]) => ReadonlySet<string>} [neededAfter] the contenders that need more rounds after
 *   these; all of them unless given
 * @property {number} [until] the part of the budget after which, counted from the start of this process, they end anyway
 * @property {number} [least] rounds
 */

/** A contender's rates in a round. @typedef {{ key: string, name: string, rate: number, processorRate: number }} Figures */

/**
 * Runs rounds until they are enough, or the time is spent. A contender whose rounds are enough leaves the others the time.
 *
 * @template {{ readonly key: string }} Contender
 * @param {readonly Contender[]} contenders
 * @param {(inTurn: readonly Contender[]) => Promise<Figures[]>} measureRound
 * @param {Rounds} rounds
 * @returns {Promise<Result[]>} in the order of the first round
 */
async function repeat(contenders, measureRound, { neededAfter, until = 1, least = LEAST }) {
  /** @type {Result[]} */
  const results = [];
  let running = contenders;
  for (let round = 1; ; round += 1) {
    for (const figures of await measureRound(round % 2 === 0 ? [...running].reverse() : running)) {
      const { key, name, rate, processorRate } = figures;
      if (round === 1) results.push({ key, name, rates: [], processorRates: [] });
      const { rates, processorRates } = resultOf(results, key);
      rates.push(rate);
      processorRates.push(processorRate);
    }
    if (round < least) continue;
    if (neededAfter) {
      const needed = neededAfter(results);
      running = running.filter(({ key }) => needed.has(key));
    }
    if (running.length === 0 || performance.now() >= SECONDS * until * 1_000) return results;
  }
}

/** @param {readonly Lane[]} lanes @param {Rounds} [rounds] */
export const compare = (lanes, rounds = {}) =>
  repeat(
    lanes,
    async (inTurn) => {
      const figures = [];
      for (const { key, name, turn } of inTurn) {
        const { times, took, processor } = await turn();
        figures.push({ key, name, rate: (times / took) * 1_000, processorRate: (times / processor) * 1_000 });
      }
      return figures;
    },
    rounds,
  );

/**
 * Each round has new processes, which take a number of turns. Its figure is the median of these.
 *
 * @param {readonly { key: string, start: () => Promise<Lane & { stop: () => Promise<void> }> }[]} starters
 * @param {Rounds & { turns: number }} rounds
 */
export const compareAnew = (starters, { turns, ...rounds }) =>
  repeat(
    starters,
    async (inTurn) => {
      const lanes = [];
      for (const { start } of inTurn) lanes.push(await start());
      const results = await compare(lanes, { until: 0, least: turns });
      for (const { stop } of lanes) await stop();
      return results.map(({ key, name, rates, processorRates }) => ({
        key,
        name,
        rate: median(rates),
        processorRate: median(processorRates),
      }));
    },
    rounds,
  );

/** @param {readonly Result[]} results @param {string} key */
export function resultOf(results, key) {
  const found = results.find((result) => result.key === key);
  if (!found) throw new Error(`there is no contender ${key}`);
  return found;
}

/**
 * How often the one does its work while the other does it once, in each round of both.
 * @param {readonly Result[]} results @param {string} one @param {string} other
 */
export function ratios(results, one, other) {
  const [{ rates, processorRates }, base] = [resultOf(results, one), resultOf(results, other)];
  const divide = (/** @type {number[]} */ figures, /** @type {number[]} */ by) =>
    figures.slice(0, by.length).map((figure, round) => figure / (by[round] ?? Number.NaN));
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

/** @param {Parameters<typeof inProcess>[0][]} contenders @param {Rounds} [rounds] */
export async function compareHere(contenders, rounds) {
  const lanes = [];
  for (const contender of contenders) lanes.push(await inProcess(contender));
  return compare(lanes, rounds);
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
