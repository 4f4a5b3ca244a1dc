import type { Clock } from '../../../core/platform/time.js';
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
