import { type Clock, withTimeout } from '../../../core/platform/time.js';
import type { OutboxStore } from '../../store/store.js';
import type { IndexedDbSettings } from './options.js';

/**
 * Connects the tabs of an origin: they announce new reports, and choose a leader. `onLead` is called when this tab
 * becomes the leader, with a signal for the end of that.
 */
export function createTabs({ name }: IndexedDbSettings, onLead: (signal: AbortSignal) => void) {
  const listeners = new Set<() => void>();
  const { navigator, BroadcastChannel } = globalThis;
  const locks = navigator?.locks as LockManager | undefined;
  const channel = BroadcastChannel && new BroadcastChannel(name);
  const wake = () => {
    for (const listener of listeners) listener();
  };
  if (channel) channel.onmessage = wake;

  const watch = (listener: () => void) => {
    const own = () => listener();
    listeners.add(own);
    return () => void listeners.delete(own);
  };

  /** The browser gives the lock to the next tab when this one is closed, crashes or hands over. */
  const lead: OutboxStore['lead'] =
    locks &&
    ((signal) =>
      new Promise((resolve, reject) => {
        const controller = new AbortController();
        const abort = () => controller.abort();
        if (signal.aborted) abort();
        signal.addEventListener('abort', abort);
        const holdLock = () =>
          new Promise<void>((end) => {
            // A page that is frozen or in the back cache does nothing. If it returns, its worker runs beside the
            // leader's, and leases keep them apart.
            for (const type of ['pagehide', 'freeze'] as const) globalThis.addEventListener?.(type, () => end(), true);
            onLead(controller.signal);
            resolve(end);
          });
        locks.request(name, { signal: controller.signal }, holdLock).catch(reject);
      }));

  return {
    /** Tells the other tabs that there may be new rows to claim. */
    announce: () => channel?.postMessage(0),
    /** Tells the workers of this tab the same. */
    wake,
    watch,
    lead,
    close: () => channel?.close(),
  };
}

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

/** The wait before the second call: browsers report that they are online a moment before requests succeed. */
const AGAIN_MS = 2_000;

/** The events of a page or a web worker, which has no document. */
interface PageEvents {
  addEventListener?(type: string, listener: () => void): void;
  removeEventListener?(type: string, listener: () => void): void;
  readonly document?: {
    readonly visibilityState: string;
    addEventListener(type: string, listener: () => void): void;
    removeEventListener(type: string, listener: () => void): void;
  };
}

/**
 * Calls the listener when the page may have a network again: it went online, came back, or became visible. Calls it
 * a second time a little later, for reports that were sent too early. Returns a function that stops this.
 */
export function onReconnecting(page: PageEvents, clock: Clock, listener: () => void): () => void {
  const { document } = page;
  let again: unknown;
  const tell = () => {
    clock.clearTimeout(again);
    again = clock.setTimeout(listener, AGAIN_MS);
    listener();
  };
  const ifVisible = () => {
    if (document?.visibilityState === 'visible') tell();
  };
  const types = ['online', 'pageshow'] as const;
  for (const type of types) page.addEventListener?.(type, tell);
  document?.addEventListener('visibilitychange', ifVisible);
  return () => {
    clock.clearTimeout(again);
    for (const type of types) page.removeEventListener?.(type, tell);
    document?.removeEventListener('visibilitychange', ifVisible);
  };
}
