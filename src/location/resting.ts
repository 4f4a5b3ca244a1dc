import { type Clock, parseRetryAfter } from '../time.js';
import type { LookupFailure } from './provider.js';

/** A broken connection may mend at once: a service that was out of reach must not stay away long after the network is back. */
const LONGEST_REST_OF_UNREACHABLE_MS = 5_000;

/** `Retry-After` is the service's own word, but not every word is sensible. */
const RESTS_IN_RETRY_AFTER = 10;

/** Which services are left alone for now, by their place in the list. */
export interface Rests {
  /** How much longer a service rests, and why; undefined where it does not. */
  of(service: number): { leftMs: number; why: string } | undefined;
  /** Lets a service rest, if its failure is of the kind that would only come again. */
  begin(service: number, failure: LookupFailure): void;
  end(service: number): void;
}

export function createRests(restMs: number, clock: Clock): Rests {
  const rests = new Map<number, { since: number; milliseconds: number; why: string }>();

  function lengthOf({ reason, retryAfter }: LookupFailure): number {
    if (reason === 'refused') return Math.min(parseRetryAfter(retryAfter, clock.now()) ?? restMs, restMs * RESTS_IN_RETRY_AFTER);
    return reason === 'unreachable' || reason === 'timeout' ? Math.min(restMs, LONGEST_REST_OF_UNREACHABLE_MS) : 0;
  }

  return {
    of(service) {
      const rest = rests.get(service);
      if (!rest) return undefined;
      const passed = clock.now() - rest.since;
      // A clock that was set back must not make a rest longer.
      return passed >= 0 && passed < rest.milliseconds ? { leftMs: rest.milliseconds - passed, why: rest.why } : undefined;
    },
    begin: (service, failure) => void rests.set(service, { since: clock.now(), milliseconds: lengthOf(failure), why: failure.message }),
    end: (service) => void rests.delete(service),
  };
}
