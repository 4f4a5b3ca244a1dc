import { type Clock, limited } from '../time.js';
import { AHEAD_MS, GATHER_MS } from './plan.js';

interface GatheringOptions {
  readonly clock: Clock;
  /** How many attempts have ended and are not yet written. */
  readonly ends: () => number;
  /** Whether a turn should wait for more of them. */
  readonly isOn: () => boolean;
  /** Whether attempts follow each other meanwhile. */
  readonly hasMore: () => boolean;
}

/** Lets the ends of attempts come together, so that they share a commit. */
export function createGathering({ clock, ends, isOn, hasMore }: GatheringOptions) {
  let enough: (() => void) | undefined;

  return {
    /** As long as each moment brings one; a little longer where no attempt waits for the commit. */
    async wait(): Promise<void> {
      for (let [seen, waits] = [0, 0]; isOn() && (ends() > seen || (hasMore() && waits < AHEAD_MS)); waits += 1) {
        seen = ends();
        const gathered = new Promise<void>((resolve) => {
          enough = resolve;
        });
        await limited(() => gathered, { clock, milliseconds: GATHER_MS });
      }
    },
    /** An attempt has ended: it may be the last that was waited for. */
    check(): void {
      if (!isOn()) enough?.();
    },
  };
}
