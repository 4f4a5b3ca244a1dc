import type { Clock } from '../../core/platform/time.js';

/** The waits inside the gateway. `release` ends all of them at once. Without a time, a wait ends only then. */
export function createPending(clock: Clock) {
  const waiting = new Set<() => void>();
  return {
    wait: (milliseconds?: number) =>
      new Promise<void>((resolve) => {
        let timer: unknown;
        const end = () => {
          waiting.delete(end);
          if (timer !== undefined) clock.clearTimeout(timer);
          resolve();
        };
        waiting.add(end);
        if (milliseconds !== undefined) timer = clock.setTimeout(end, milliseconds);
      }),
    release() {
      for (const end of [...waiting]) end();
    },
  };
}

export type Pending = ReturnType<typeof createPending>;
