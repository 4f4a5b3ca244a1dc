import { type Clock, withTimeout } from '../../../core/platform/time.js';

/** The time limit of the browser for the answer whether it has promised to keep the data. */
const PERSISTED_MS = 1_000;

/** Asks the browser whether it keeps the data, and to do so. Returns a function that tells whether it has promised. */
export async function persistence(persist: boolean, clock: Clock): Promise<() => boolean> {
  const storage = globalThis.navigator?.storage;
  const known = await withTimeout(() => storage?.persisted?.(), { clock, milliseconds: PERSISTED_MS });
  let durable = known.ended === 'done' && known.value === true;
  if (persist && !durable)
    // Not awaited, since some browsers ask the visitor, who may never answer.
    new Promise<boolean | undefined>((resolve) => resolve(storage?.persist?.())).then(
      (promised) => {
        durable = promised === true;
      },
      () => {},
    );
  return () => durable;
}
