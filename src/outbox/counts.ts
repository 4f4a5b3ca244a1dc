/** No counter of a store grows above this: a damaged one must not run out of its column's range. */
export const LARGEST_COUNT = 1_000_000_000;

/** One more, as far as a counter goes. */
export const oneMore = (count: number): number => Math.min(count + 1, LARGEST_COUNT);
