// Work that a process of the soak does again and again until its parent says `stop`; then it tells how often, and what failed.
import { sleep } from './random.js';

const PAUSE_MS = 25;
/** Others may hold the file for a moment. @param {unknown} error */
const isBusy = (error) => /locked|busy/i.test(String(error));

/** @param {() => Promise<void>} work @param {(error: unknown) => boolean} [passes] Whether an error is of the troubles of the soak. */
export async function startLoop(work, passes = isBusy) {
  let stopped = false;
  let times = 0;
  /** @type {Set<string>} */
  const errors = new Set();
  process.once('message', () => {
    stopped = true;
  });
  // The parent is gone, so this process ends too.
  process.once('disconnect', () => process.exit(1));
  while (!stopped) {
    try {
      await work();
      times += 1;
    } catch (error) {
      if (!passes(error)) errors.add(String(error));
    }
    await sleep(PAUSE_MS);
  }
  await new Promise((resolve) => process.send?.({ times, errors: [...errors] }, resolve));
  process.exit(0);
}
