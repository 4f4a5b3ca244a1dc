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

/** Of an interval, the chance that it does not contain the true median. */
const MOST_MISSED = 0.05;

/**
 * The median and its exact interval at 95 %, between two of the figures. It assumes nothing of how they are distributed:
 * each lies below the true median with a chance of one half. Fewer than six figures have no interval, so it is endless.
 *
 * @param {readonly number[]} figures
 * @returns {Interval}
 */
export function intervalOf(figures) {
  const sorted = [...figures].sort((a, b) => a - b);
  const count = sorted.length;
  let left = 0;
  // The chance that exactly `left` figures lie below the true median.
  let chance = 0.5 ** count;
  for (let missed = 2 * chance; missed <= MOST_MISSED; missed += 2 * chance) {
    left += 1;
    chance *= (count - left + 1) / left;
  }
  const [low = Number.NEGATIVE_INFINITY, high = Number.POSITIVE_INFINITY] = [sorted[left - 1], sorted[count - left]];
  return { middle: median(figures), low, high };
}

/** An interval this narrow is worth no further round. */
const NARROW = 0.03;

/** @param {Interval} interval */
export const isNarrow = ({ middle, low, high }) => high - low <= NARROW * middle;

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

/** That of a run: 1 for a broken promise, 2 for an undecided one. @param {readonly Verdict[]} verdicts */
export const exitCodeOf = (verdicts) => (verdicts.includes('broken') ? 1 : verdicts.includes('undecided') ? 2 : 0);
