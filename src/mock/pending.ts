import type { Clock } from '../platform/time.js';

/** The waits inside the gateway. `release` ends all of them at once. */
export interface Pending {
  /** Resolves with true when the time is over, and with false when it was released. */
  wait(milliseconds: number): Promise<boolean>;
  /** Resolves only when it is released. */
  hang(): Promise<false>;
  release(): void;
}

export function createPending(clock: Clock): Pending {
  const waiting = new Set<() => void>();
  const enter = <T>(arm: (settle: (value: T) => void) => (() => void) | undefined, released: T): Promise<T> =>
    new Promise((resolve) => {
      let disarm: (() => void) | undefined;
      const settle = (value: T) => {
        waiting.delete(free);
        disarm?.();
        resolve(value);
      };
      const free = () => settle(released);
      waiting.add(free);
      disarm = arm(settle);
    });
  return {
    wait: (milliseconds) =>
      enter((settle) => {
        const timer = clock.setTimeout(() => settle(true), milliseconds);
        return () => clock.clearTimeout(timer);
      }, false),
    hang: () => enter<false>(() => undefined, false),
    release() {
      for (const free of [...waiting]) free();
    },
  };
}
