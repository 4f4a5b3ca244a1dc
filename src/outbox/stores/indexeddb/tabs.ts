import type { OutboxStore } from '../../store.js';
import type { IndexedDbSettings } from './options.js';

/** Connects the tabs of an origin: they announce new reports, and choose a leader. */
export function createTabs({ name, platform }: IndexedDbSettings) {
  const listeners = new Set<() => void>();
  const { navigator, BroadcastChannel } = platform;
  const locks = navigator?.locks;
  const channel = BroadcastChannel && new BroadcastChannel(name);
  if (channel)
    channel.onmessage = () => {
      for (const listener of listeners) listener();
    };

  const watch: OutboxStore['watch'] = (listener) => {
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
            // A page that is frozen or in the back cache does nothing. If it returns, its worker runs beside the leader's, and leases keep them apart.
            for (const type of ['pagehide', 'freeze'] as const) platform.addEventListener?.(type, end, true);
            resolve(end);
          });
        locks.request(name, { signal: controller.signal }, holdLock).catch(reject);
      }));

  return {
    announce: () => channel?.postMessage(0),
    watch,
    lead,
    close: () => channel?.close(),
  };
}
