import { type Clock, parseRetryAfter } from '../../platform/time.js';
import type { LookupFailure } from './provider.js';

/** A broken connection may recover quickly, so an unreachable service is paused for a short time only. */
const LONGEST_REST_OF_UNREACHABLE_MS = 5_000;

/** The longest pause that `Retry-After` can set: a service may send an unreasonable value. */
const RESTS_IN_RETRY_AFTER = 10;

/** Pauses services that failed. Services are named by their place in the list. */
export function createRests(restMs: number, clock: Clock) {
  const rests: ({ since: number; milliseconds: number; why: string; refused: boolean } | undefined)[] = [];

  const lengthAfter = ({ reason, retryAfter }: LookupFailure): number =>
    reason === 'refused'
      ? Math.min(parseRetryAfter(retryAfter, clock.now()) ?? restMs, restMs * RESTS_IN_RETRY_AFTER)
      : Math.min(reason === 'bad-answer' || reason === 'not-public' ? 0 : restMs, LONGEST_REST_OF_UNREACHABLE_MS);

  return {
    /** How much longer a service is paused, in milliseconds. 0 if it may be used. */
    leftOf(service: number): number {
      const { since, milliseconds } = rests[service] ?? { since: 0, milliseconds: 0 };
      const passed = clock.now() - since;
      // A clock that was set back must not make a pause longer.
      return passed < 0 ? 0 : Math.max(0, milliseconds - passed);
    },

    why: (service: number): string | undefined => rests[service]?.why,

    hasRefused: (service: number): boolean => rests[service]?.refused === true,

    /** Records the result of a lookup. A service that refused or was unreachable is paused; any other is not. */
    note(service: number, failure?: LookupFailure): void {
      rests[service] = failure && { since: clock.now(), milliseconds: lengthAfter(failure), why: failure.message, refused: failure.reason === 'refused' };
    },
  };
}

export type Rests = ReturnType<typeof createRests>;
