import type { FoundStep, LocationStep } from '../errors/errors.js';
import { type Clock, withTimeout } from '../platform/time.js';
import type { AbortSignalLike } from '../platform/web-types.js';
import { type LocateRequest, type LocationResult, type LocationSource, NO_SOURCE } from './source.js';

/**
 * The location chain of one client. Its sources cache positions and answers, and remember which services are paused.
 */
export interface Locator {
  /** Never rejects. If no location is found, `steps` says why. */
  find(request: LocateRequest): Promise<LocationResult>;
}

/** How much later than the budget the chain may end if the clock was set back meanwhile. */
const CLOCK_WAS_SET_MS = 100;

/**
 * Makes the chain that finds where the player is (specification, section 1). It tries each source in turn until one
 * finds a location.
 */
export function createLocator(
  sources: readonly LocationSource[],
  { timeoutMs, clock }: { readonly timeoutMs: number; readonly clock: Clock },
): Locator {
  async function tryEach(request: LocateRequest): Promise<LocationResult> {
    const steps: LocationStep[] = [];
    let advice: string | undefined;
    for (const [index, source] of sources.entries()) {
      if (request.signal?.aborted) break;
      const found = await source.find({ ...request, isLast: index === sources.length - 1 });
      if (found.location) return { ...found, steps: [...steps, ...found.steps] satisfies (LocationStep | FoundStep)[] };
      if (index === 0) advice = found.advice;
      steps.push(...found.steps);
    }
    if (steps.length === 0 && !request.signal?.aborted) return NO_SOURCE;
    return { location: undefined, steps, advice: advice ?? 'pass location, or call again later' };
  }

  return {
    async find({ clientIP, signal, ...request }) {
      const now = clock.now();
      const deadline = Math.min(request.deadline, now + timeoutMs);
      const run = (over: AbortSignalLike | undefined) => tryEach({ clientIP, deadline, signal: over });
      let found: Promise<LocationResult> | undefined;
      const begin = (over: AbortSignalLike) => {
        found = run(over);
        return found;
      };
      // The clock says how much of the budget is left for each wait. The clock may be set back: then only this timer
      // ends the chain.
      await withTimeout(begin, { clock, milliseconds: deadline - now + CLOCK_WAS_SET_MS, signal });
      return found ?? run(signal);
    },
  };
}
