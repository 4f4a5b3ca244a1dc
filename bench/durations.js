// The duration of single pieces of work, for the benches of large outboxes.
import { fixed, whole } from './words.js';

/** Tells how far a bench is, with the seconds since its start. @param {string} text */
export const tellProgress = (text) => console.error(`${whole(performance.now() / 1_000)} s: ${text}`);

/** @param {() => Promise<unknown>} work @returns {Promise<number>} milliseconds */
export async function msOf(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** The duration of each run. @param {number} times @param {() => Promise<unknown>} work */
export async function msOfEach(times, work) {
  const found = [];
  for (let done = 0; done < times; done += 1) found.push(await msOf(work));
  return found;
}

/** @param {number} figure milliseconds */
export const inMs = (figure) => `${figure < 10 ? fixed(figure, 1) : whole(figure)} ms`;
