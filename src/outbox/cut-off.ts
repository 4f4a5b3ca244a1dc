import type { AbortSignalLike } from '../platform/web-types.js';

/**
 * A signal for all attempts of a worker. Not the platform's: that one warns of a leak from the eleventh listener on,
 * and as many attempts as there are places listen to this one.
 */
export function createCutOff(): { readonly signal: AbortSignalLike; abort(): void } {
  const listeners = new Set<() => void>();
  let aborted = false;
  return {
    signal: {
      get aborted() {
        return aborted;
      },
      addEventListener: (_, listener) => void listeners.add(listener),
      removeEventListener: (_, listener) => void listeners.delete(listener),
    },
    abort() {
      aborted = true;
      for (const listener of [...listeners]) listener();
    },
  };
}
