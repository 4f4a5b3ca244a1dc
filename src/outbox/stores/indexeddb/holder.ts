import { withTimeout } from '../../../core/platform/time.js';
import type { IndexedDbSettings } from './options.js';

/**
 * Shows the other tabs of an origin which rows in flight belong to a tab that still exists: it holds a lock of the
 * browser with a name of its own before the first row is claimed. The browser releases it when the tab is closed or
 * crashes, and the tab's requests end with it. A page that may be restored from the back cache has no lock while no row
 * is in flight, since a lock would keep it out of that cache.
 */
export function createHolder({ name, clock, timeoutMs }: IndexedDbSettings) {
  const locks = globalThis.navigator?.locks;
  const claimed = new Set<string>();
  let turns = 0;
  let held: Promise<string | undefined> | undefined;

  const request = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const own = `${name} tab ${crypto.getRandomValues(new Uint32Array(4)).join('-')}`;
      const hold = () =>
        new Promise<void>((release) => {
          const leave = () => {
            if (turns > 0 || claimed.size > 0) return;
            for (const type of ['pagehide', 'freeze']) globalThis.removeEventListener?.(type, leave, true);
            held = undefined;
            release();
          };
          for (const type of ['pagehide', 'freeze']) globalThis.addEventListener?.(type, leave, true);
          resolve(own);
        });
      locks.request(own, hold).catch(reject);
    });

  /** Without an answer in time the rows have no holder, and their lease decides. */
  async function hold(): Promise<string | undefined> {
    const got = await withTimeout(request, { clock, milliseconds: timeoutMs });
    return got.ended === 'done' ? got.value : undefined;
  }

  return {
    /** The ids of the rows that this tab has claimed and not yet written. */
    claimed,
    /**
     * Runs a turn that claims rows, with the name under which this tab holds them. Undefined without locks: the rows
     * are free again when their lease is over.
     */
    async holding<T>(turn: (name: string | undefined) => Promise<T>): Promise<T> {
      turns += 1;
      try {
        if (locks) held ??= hold();
        return await turn(await held);
      } finally {
        turns -= 1;
      }
    },
    /** Calls back for each of these names when its tab is gone: at once if it is gone already. The signal ends the wait. */
    whenGone(names: Iterable<string>, signal: AbortSignal, callback: (name: string) => Promise<unknown>): void {
      // If a request fails, the lease of the rows decides.
      for (const one of names) locks?.request(one, { signal }, () => callback(one)).catch(() => {});
    },
  };
}
