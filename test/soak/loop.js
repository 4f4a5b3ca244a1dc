// Work that a process of the soak repeats until its parent sends `stop`. Then it returns the number of runs, and the
// errors.
import { sleep } from './random.js';

const PAUSE_MS = 25;
/** Other processes may lock the file for a moment. @param {unknown} error */
const isBusy = (error) => /locked|busy/i.test(String(error));

/** @param {() => Promise<void>} work @param {(error: unknown) => boolean} [passes] Whether an error is one of the soak's faults. */
export async function startLoop(work, passes = isBusy) {
  let stopped = false;
  let times = 0;
  /** @type {Set<string>} */
  const errors = new Set();
  process.once('message', () => {
    stopped = true;
  });
  // The parent has ended, so this process ends too.
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
