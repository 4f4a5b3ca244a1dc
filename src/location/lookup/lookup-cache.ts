import type { Clock } from '../../platform/time.js';

export interface CacheSettings {
  /** How long an answer is used again; 0 for not at all. */
  readonly cacheMs: number;
  /** For how many addresses; the one that was asked for longest ago makes room. */
  readonly cacheSize: number;
}

/**
 * What is known of addresses, for a while. They are personal data: bounded in number and in time, in memory only,
 * and out of reach of whoever prints a client. What has expired goes when the next one comes, so that no timer
 * keeps a process alive.
 */
export function createLookupCache<T>({ cacheMs, cacheSize }: CacheSettings, clock: Clock) {
  /** The least recently used first. */
  const entries = new Map<string, { value: T; at: number }>();
  // A clock that was set back does not tell an age.
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
