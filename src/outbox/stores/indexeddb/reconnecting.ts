import type { IndexedDbPlatform } from './options.js';

/** Calls the listener when the page may have a network again: it went online, came back, or became visible. Returns how to stop. */
export function onReconnecting(platform: IndexedDbPlatform, listener: () => void): () => void {
  const { document } = platform;
  const ifVisible = () => {
    if (document?.visibilityState === 'visible') listener();
  };
  const types = ['online', 'pageshow'] as const;
  for (const type of types) platform.addEventListener?.(type, listener);
  document?.addEventListener('visibilitychange', ifVisible);
  return () => {
    for (const type of types) platform.removeEventListener?.(type, listener);
    document?.removeEventListener('visibilitychange', ifVisible);
  };
}
