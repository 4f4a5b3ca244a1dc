import { type Clock, limited } from '../../platform/time.js';
import type { AbortSignalLike, Fetch } from '../../platform/web-types.js';
import { createRests } from './circuit-breaker.js';
import { type CacheSettings, createLookupCache } from './lookup-cache.js';
import type { IpLocation } from './provider.js';
import { createInquiry, type Inquiry, type LookupResult, type ServiceSettings } from './provider-race.js';

export interface IpLookupSettings extends ServiceSettings, CacheSettings {
  /** How long a service is left alone that refused; 0 for not at all. */
  readonly restMs: number;
}

export interface LookupRequest {
  /** The address to look up, in its one spelling; undefined for the caller's own. */
  ip: string | undefined;
  /** On the clock, in milliseconds: when this caller must have an answer. */
  deadline: number;
  signal: AbortSignalLike | undefined;
}

/** The lookup services of one client, and what it remembers of their answers. */
export interface IpLookups {
  /** Finds where an address is, or says of each service why it did not tell. Never rejects. */
  find(request: LookupRequest): Promise<LookupResult>;
}

/** The caller's own address, whatever it is. */
const OWN = '';

/**
 * Answers from the cache where it can. Else there is one inquiry for each address, however many callers wait for it,
 * each as long as it may: the inquiry has the services' own limits, and ends early only when the last caller has gone.
 */
export function createIpLookup(settings: IpLookupSettings, { fetch, clock }: { fetch: Fetch; clock: Clock }): IpLookups {
  const cache = createLookupCache<{ found: IpLocation; step: string }>(settings, clock);
  const rests = createRests(settings.restMs, clock);
  const flights = new Map<string, { inquiry: Inquiry; waiting: number; landed: Promise<void> }>();
  const open = (ip: string | undefined) => createInquiry(ip, settings, { fetch, clock, rests });

  /** Whoever comes now starts anew. */
  function leave(address: string, inquiry: Inquiry) {
    if (flights.get(address)?.inquiry === inquiry) flights.delete(address);
  }

  async function fly(address: string, inquiry: Inquiry): Promise<void> {
    try {
      await inquiry.run();
      const { found, steps } = inquiry.result('timeout');
      const last = steps.at(-1);
      if (found && last) cache.set(address, { found, step: last.step });
    } catch {
      // Only a clock that throws leads here; who waits gets what there is.
    }
    leave(address, inquiry);
  }

  function start(address: string, inquiry: Inquiry) {
    const flight = { inquiry, waiting: 0, landed: fly(address, inquiry) };
    flights.set(address, flight);
    return flight;
  }

  return {
    async find({ ip, deadline, signal }) {
      if (signal?.aborted) return { found: undefined, steps: [] };
      const address = ip ?? OWN;
      const known = cache.get(address);
      if (known) return { found: known.value.found, ageMs: known.ageMs, steps: [{ step: known.value.step, durationMs: 0 }] };
      const milliseconds = deadline - clock.now();
      if (milliseconds <= 0) return open(ip).result('timeout');

      const flight = flights.get(address) ?? start(address, open(ip));
      flight.waiting += 1;
      try {
        const { ended } = await limited(() => flight.landed, { clock, milliseconds, signal });
        return flight.inquiry.result(ended === 'aborted' ? ended : 'timeout');
      } finally {
        flight.waiting -= 1;
        if (flight.waiting === 0) {
          leave(address, flight.inquiry);
          flight.inquiry.abandon();
        }
      }
    },
  };
}
