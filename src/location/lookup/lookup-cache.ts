import type { Clock } from '../../platform/time.js';

export interface CacheSettings {
  /** How long an answer is reused. 0 disables the cache. */
  readonly cacheMs: number;
  /** The most addresses that are kept. The least recently used one is removed first. */
  readonly cacheSize: number;
}

/**
 * A cache of addresses and their places. They are personal data: the cache is bounded in number and in time, stays in
 * memory, and is not shown when a client is printed. Expired entries are removed when the next one is added, so no
 * timer keeps the process alive.
 */
export function createLookupCache<T>({ cacheMs, cacheSize }: CacheSettings, clock: Clock) {
  /** The least recently used entry comes first. */
  const entries = new Map<string, { value: T; at: number }>();
  // The age is unknown if the clock was set back.
  const isFresh = (ageMs: number) => ageMs >= 0 && ageMs < cacheMs;

  return {
    get(address: string): { value: T; ageMs: number } | undefined {
      const entry = entries.get(address);
      if (!entry) return undefined;
      entries.delete(address);
      const ageMs = clock.now() - entry.at;
      if (!isFresh(ageMs)) return undefined;
      entries.set(address, entry);
      return { value: entry.value, ageMs };
    },

    set(address: string, value: T): void {
      const now = clock.now();
      entries.delete(address);
      entries.set(address, { value, at: now });
      for (const [oldest, { at }] of entries) {
        if (entries.size <= cacheSize && isFresh(now - at)) break;
        entries.delete(oldest);
      }
    },
  };
}
