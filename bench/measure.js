// How every comparison here is measured: all contenders in one run, in short rounds that take turns, so that a machine which is
// busy for a while is busy for each of them. Shown are medians, with the slowest and the fastest round beside them, and how much
// would be done in a second of processor time, which a busy machine changes less; it counts this process alone, collector included.

/**
 * @typedef {object} Contender
 * @property {string} name
 * @property {(times: number) => unknown} run does its work so many times, one after the other; may return a promise
 */

/** @typedef {{ name: string, perSecond: number, slowest: number, fastest: number, perProcessorSecond: number }} Result operations a second */

const ROUNDS = 15;
const ROUND_MS = 150;

/** How long so much work takes, in milliseconds by the clock and of the processor. @param {Contender} contender @param {number} times */
async function time({ run }, times) {
  const cpu = process.cpuUsage();
  const began = performance.now();
  await run(times);
  const took = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  return { took, processor: (user + system) / 1_000 };
}

/** How often the work is done in a round; the search for it warms the contender up. @param {Contender} contender */
async function timesInRound(contender) {
  for (let times = 1; ; ) {
    const { took } = await time(contender, times);
    if (took >= ROUND_MS / 2) return Math.max(1, Math.round((times * ROUND_MS) / took));
    times = Math.ceil(times * Math.min(10, ROUND_MS / Math.max(took, 0.01)));
  }
}

/**
 * Lets the contenders take turns; in each round another one begins.
 *
 * @param {readonly Contender[]} contenders
 * @param {{ rounds?: number }} [options]
 * @returns {Promise<Result[]>} in the order of the contenders
 */
export async function compare(contenders, { rounds = ROUNDS } = {}) {
  const lanes = [];
  for (const contender of contenders) {
    lanes.push({ contender, times: await timesInRound(contender), rates: /** @type {number[]} */ ([]), processorRates: /** @type {number[]} */ ([]) });
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
  }));
}

/** The one in the middle. @param {readonly number[]} figures */
export const median = (figures) => [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;

const whole = (/** @type {number} */ figure) => Math.round(figure).toLocaleString('en');
const short = (/** @type {number} */ figure) => (figure < 10 ? figure.toPrecision(2) : whole(figure));

/**
 * The results as a table of Markdown; each is compared with the one that is named.
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
  const cells = [['', 'a second (median)', 'slowest to fastest round', 'a second of processor', 'µs each', 'as often'], ...rows];
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (/** @type {string[]} */ row) =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(cells[0] ?? []), rule, ...cells.slice(1).map(line)].join('\n');
}
