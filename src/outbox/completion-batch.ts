import { type Clock, withTimeout } from '../platform/time.js';
import { AHEAD_MS, GATHER_MS } from './plan.js';

interface CompletionBatchOptions {
  readonly clock: Clock;
  /** How many attempts have ended and are not yet written. */
  readonly ends: () => number;
  /** Whether a turn should wait for more of them. */
  readonly isOn: () => boolean;
  /** Whether attempts follow each other meanwhile. */
  readonly hasMore: () => boolean;
}

/** Lets the ends of attempts come together, so that they share a commit. */
export function createCompletionBatch({ clock, ends, isOn, hasMore }: CompletionBatchOptions) {
  let enough: (() => void) | undefined;
  /** Whether attempts follow each other, so that nothing is held up. */
  let hasTime = false;

  async function pause(milliseconds: number): Promise<void> {
    const gathered = new Promise<void>((resolve) => {
      enough = resolve;
    });
    await withTimeout(() => gathered, { clock, milliseconds });
  }

  return {
    /** While attempts follow each other; then as long as each moment brings one more end. */
    async wait(): Promise<void> {
      hasTime = isOn() && hasMore();
      if (hasTime) await pause(AHEAD_MS);
      hasTime = false;
      for (let seen = 0; isOn() && ends() > seen; ) {
        seen = ends();
        await pause(GATHER_MS);
      }
    },
    /** An attempt has ended: it may be the last that was waited for. */
    check(): void {
      if (!isOn() || (hasTime && !hasMore())) enough?.();
    },
  };
}
