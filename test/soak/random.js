// Random numbers with a seed, so that a seed chooses the same kills again. The machine adds its own randomness.

/** mulberry32. @param {number} seed */
export function createRandom(seed) {
  let state = seed >>> 0;
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    random,
    between: (/** @type {readonly number[]} */ [least = 0, most = 0]) => least + random() * (most - least),
  };
}

export const sleep = (/** @type {number} */ milliseconds) =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
