// The middle of some figures, how certain it is, and what that says about a promise.

/** @typedef {{ middle: number, low: number, high: number }} Interval */
/** @typedef {'kept' | 'undecided' | 'broken'} Verdict */

/** @param {readonly number[]} figures @param {number} share */
export const quantile = (figures, share) =>
  [...figures].sort((a, b) => a - b)[Math.min(figures.length - 1, Math.floor(figures.length * share))] ?? Number.NaN;

/** @param {readonly number[]} figures */
export function median(figures) {
  const sorted = [...figures].sort((a, b) => a - b);
  const [below = Number.NaN, above = Number.NaN] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (below + above) / 2;
}

/** Of an interval, the chance that it does not contain the true ratio. */
const MOST_MISSED = 0.05;

/**
 * The chance of each sum, up to half of all, if each number from 1 to `count` is in it or not.
 * @param {number} count
 */
function chancesOfSums(count) {
  const chances = [1, ...Array.from({ length: Math.floor((count * (count + 1)) / 4) }, () => 0)];
  for (let number = 1; number <= count; number += 1)
    for (let sum = chances.length - 1; sum >= 0; sum -= 1)
      chances[sum] = ((chances[sum] ?? 0) + (chances[sum - number] ?? 0)) / 2;
  return chances;
}

/**
 * The estimate of Hodges and Lehmann with the exact interval of Wilcoxon's signed ranks at 95 %: the middle of the means of
 * all pairs, and two of these means. It assumes that noise multiplies a ratio by a factor as often as it divides it by that
 * factor, as it does if it hits both contenders of a round alike. The interval of the median assumes less, and needs half
 * as many rounds again. Fewer than six figures have no interval, so it is endless; so is that of a figure which no ratio
 * can have.
 *
 * @param {readonly number[]} figures
 * @returns {Interval}
 */
export function intervalOf(figures) {
  if (!figures.every((figure) => figure > 0 && Number.isFinite(figure)))
    return { middle: Number.NaN, low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  const means = figures
    .flatMap((one, index) => figures.slice(index).map((other) => Math.sqrt(one * other)))
    .sort((a, b) => a - b);
  const chances = chancesOfSums(figures.length);
  let left = 0;
  // The chance that the ranks of the figures below the true ratio have this sum, or a smaller one.
  let chance = 0;
  for (; left < chances.length; left += 1) {
    chance += chances[left] ?? 0;
    if (2 * chance > MOST_MISSED) break;
  }
  const [low = Number.NEGATIVE_INFINITY, high = Number.POSITIVE_INFINITY] = [
    means[left - 1],
    means[means.length - left],
  ];
  return { middle: median(means), low, high };
}

/**
 * Broken only if the whole interval is beyond the limit, kept only if none of it is.
 *
 * @param {Interval} interval
 * @param {{ atLeast?: number, atMost?: number }} limit
 * @returns {Verdict}
 */
export function verdictOf({ low, high }, { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY }) {
  if (low >= atLeast && high <= atMost) return 'kept';
  return high < atLeast || low > atMost ? 'broken' : 'undecided';
}

/** An interval this narrow is worth no further round. */
const NARROW = 0.03;

/**
 * Whether further rounds would hardly change the verdict: the interval is narrow, or one half as wide again had the same.
 * Rounds that end by this look miss the true ratio more often than a fixed number of them, one time in ten.
 *
 * @param {Interval} interval
 * @param {Parameters<typeof verdictOf>[1]} limit
 */
export function isClear(interval, limit) {
  const { middle, low, high } = interval;
  if (high - low <= NARROW * middle) return true;
  const [below, above] = [1.5 * (low - middle), 1.5 * (high - middle)];
  return verdictOf({ middle, low: middle + below, high: middle + above }, limit) !== 'undecided';
}

/** That of a run: 1 for a broken promise, 2 for an undecided one. @param {readonly Verdict[]} verdicts */
export const exitCodeOf = (verdicts) => (verdicts.includes('broken') ? 1 : verdicts.includes('undecided') ? 2 : 0);
