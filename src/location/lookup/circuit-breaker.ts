import { type Clock, parseRetryAfter } from '../../platform/time.js';
import type { LookupFailure } from './provider.js';

/** A broken connection may mend at once: a service that was out of reach must not stay away long after the network is back. */
const LONGEST_REST_OF_UNREACHABLE_MS = 5_000;

/** `Retry-After` is the service's own word, but not every word is sensible. */
const RESTS_IN_RETRY_AFTER = 10;

/** Which services are left alone for now, by their place in the list. */
export function createRests(restMs: number, clock: Clock) {
  const rests: ({ since: number; milliseconds: number; why: string; refused: boolean } | undefined)[] = [];

  const lengthAfter = ({ reason, retryAfter }: LookupFailure): number =>
    reason === 'refused'
      ? Math.min(parseRetryAfter(retryAfter, clock.now()) ?? restMs, restMs * RESTS_IN_RETRY_AFTER)
      : Math.min(reason === 'bad-answer' || reason === 'not-public' ? 0 : restMs, LONGEST_REST_OF_UNREACHABLE_MS);

  return {
    /** How much longer a service rests, in milliseconds; 0 for one that may be asked. */
    leftOf(service: number): number {
      const { since, milliseconds } = rests[service] ?? { since: 0, milliseconds: 0 };
      const passed = clock.now() - since;
      // A clock that was set back must not make a rest longer.
      return passed < 0 ? 0 : Math.max(0, milliseconds - passed);
    },

    why: (service: number): string | undefined => rests[service]?.why,

    hasRefused: (service: number): boolean => rests[service]?.refused === true,

    /** Takes down how a service was found: one that refused or was out of reach rests, any other does not. */
    note(service: number, failure?: LookupFailure): void {
      rests[service] = failure && { since: clock.now(), milliseconds: lengthAfter(failure), why: failure.message, refused: failure.reason === 'refused' };
    },
  };
}

export type Rests = ReturnType<typeof createRests>;
