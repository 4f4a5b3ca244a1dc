import { type Clock, withTimeout } from '../../platform/time.js';
import type { AbortSignalLike, Fetch } from '../../platform/web-types.js';
import { createRests } from './circuit-breaker.js';
import { type CacheSettings, createLookupCache } from './lookup-cache.js';
import type { IpLocation } from './provider.js';
import { createProviderRace, type LookupResult, type ProviderRace, type ServiceSettings } from './provider-race.js';

export interface IpLookupSettings extends ServiceSettings, CacheSettings {
  /** How long a service that refused is paused. 0 for no pause. */
  readonly restMs: number;
}

export interface LookupRequest {
  /** The address to look up, normalised. Undefined for the caller's own address. */
  ip: string | undefined;
  /** When this caller must have an answer: a time on the clock, in milliseconds. */
  deadline: number;
  signal: AbortSignalLike | undefined;
}

/** The lookup services of one client, and the cache of their answers. */
export interface IpLookups {
  /** Finds where an address is, or says for each service why it gave no location. Never rejects. */
  find(request: LookupRequest): Promise<LookupResult>;
}

/** The cache key of the caller's own address. */
const OWN = '';

/**
 * Answers from the cache if it can. Otherwise all callers that ask for the same address share one race. The race uses
 * the services' own limits, and ends early only when its last caller has left.
 */
export function createIpLookup(settings: IpLookupSettings, { fetch, clock }: { fetch: Fetch; clock: Clock }): IpLookups {
  const cache = createLookupCache<{ found: IpLocation; step: string }>(settings, clock);
  const rests = createRests(settings.restMs, clock);
  const flights = new Map<string, { race: ProviderRace; waiting: number; landed: Promise<void> }>();
  const open = (ip: string | undefined) => createProviderRace(ip, settings, { fetch, clock, rests });

  /** A later caller starts a new race. */
  function closeFlight(address: string, race: ProviderRace) {
    if (flights.get(address)?.race === race) flights.delete(address);
  }

  async function fly(address: string, race: ProviderRace): Promise<void> {
    try {
      await race.run();
      const { found, steps } = race.result('timeout');
      const last = steps.at(-1);
      if (found && last) cache.set(address, { found, step: last.step });
    } catch {
      // Only a clock that throws leads here. The callers get the result so far.
    }
    closeFlight(address, race);
  }

  function start(address: string, race: ProviderRace) {
    const flight = { race, waiting: 0, landed: fly(address, race) };
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
        const { ended } = await withTimeout(() => flight.landed, { clock, milliseconds, signal });
        return flight.race.result(ended === 'aborted' ? ended : 'timeout');
      } finally {
        flight.waiting -= 1;
        if (flight.waiting === 0) {
          closeFlight(address, flight.race);
          flight.race.abandon();
        }
      }
    },
  };
}
