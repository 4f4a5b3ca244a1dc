import type { Aborting } from './time.js';
import type { AbortSignalLike } from './web-types.js';

/**
 * A minimal `AbortController`: its listeners listen to `abort`, and do not throw. The platform's own costs more than
 * the rest of a request, and Node.js warns of a leak from the eleventh listener on.
 */
export function createAborting(): Aborting {
  const listeners = new Set<() => void>();
  const signal: AbortSignalLike & { aborted: boolean } = {
    aborted: false,
    addEventListener: (_, listener) => void listeners.add(listener),
    removeEventListener: (_, listener) => void listeners.delete(listener),
  };
  return {
    signal: signal as AbortSignal,
    abort() {
      signal.aborted = true;
      for (const listener of [...listeners]) listener();
      listeners.clear();
    },
  };
}
