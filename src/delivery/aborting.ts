import type { Aborting } from '../platform/time.js';
import type { AbortSignalLike } from '../platform/web-types.js';

/** An `AbortController` of the least that a signal can do, for one request: what listens to it listens to `abort`, and does not throw. */
export function createAborting(): Aborting {
  const listeners = new Set<() => void>();
  let aborted = false;
  const signal: AbortSignalLike = {
    get aborted() {
      return aborted;
    },
    addEventListener: (_, listener) => void listeners.add(listener),
    removeEventListener: (_, listener) => void listeners.delete(listener),
  };
  return {
    signal: signal as AbortSignal,
    abort() {
      aborted = true;
      for (const listener of listeners) listener();
      listeners.clear();
    },
  };
}
