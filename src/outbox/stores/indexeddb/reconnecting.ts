import type { Clock } from '../../../platform/time.js';
import type { IndexedDbPlatform } from './options.js';

/** The wait before the second call: browsers report that they are online a moment before requests succeed. */
const AGAIN_MS = 2_000;

/**
 * Calls the listener when the page may have a network again: it went online, came back, or became visible. Calls it
 * a second time a little later, for reports that were sent too early. Returns a function that stops this.
 */
export function onReconnecting(platform: IndexedDbPlatform, clock: Clock, listener: () => void): () => void {
  const { document } = platform;
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
  for (const type of types) platform.addEventListener?.(type, tell);
  document?.addEventListener('visibilitychange', ifVisible);
  return () => {
    clock.clearTimeout(again);
    for (const type of types) platform.removeEventListener?.(type, tell);
    document?.removeEventListener('visibilitychange', ifVisible);
  };
}
