import type { FoundStep, LocationStep } from '../errors/errors.js';
import { type Clock, withTimeout } from '../platform/time.js';
import type { AbortSignalLike } from '../platform/web-types.js';
import { type LocateRequest, type LocationResult, type LocationSource, NO_SOURCE } from './source.js';

/** The location chain of one client. Its sources remember positions, answers, and the services that are not asked for a while. */
export interface Locator {
  /** Never rejects: where nothing is found, `steps` says why. */
  find(request: LocateRequest): Promise<LocationResult>;
}

/** How much later than the budget the chain ends where the clock was set back meanwhile. */
const CLOCK_WAS_SET_MS = 100;

/** Makes the chain that finds where the player is (specification, section 1): each source in turn, until one finds a location. */
export function createLocator(sources: readonly LocationSource[], { timeoutMs, clock }: { readonly timeoutMs: number; readonly clock: Clock }): Locator {
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
      // Each wait is bounded by what the clock says is left. Somebody may set it back: then this one timer is the bound.
      await withTimeout(begin, { clock, milliseconds: deadline - now + CLOCK_WAS_SET_MS, signal });
      return found ?? run(signal);
    },
  };
}
