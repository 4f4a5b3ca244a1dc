import type { FoundStep, LocationFailure, LocationStep } from '../../errors/errors.js';
import { asOwnRecord } from '../../platform/as-record.js';
import { type Clock, withTimeout } from '../../platform/time.js';
import type { Fetch } from '../../platform/web-types.js';
import { isNullIsland, isOnGlobe, placeName } from '../read-place.js';
import type { Rests } from './circuit-breaker.js';
import { type IpLocation, type IpProvider, isLookupFailure, LookupFailure } from './provider.js';

export interface ServiceSettings {
  readonly providers: readonly IpProvider[];
  /** For each service. */
  readonly timeoutMs: number;
  /** How long a service may take before the next one is started beside it; undefined for no such start. */
  readonly hedgeAfterMs: number | undefined;
}

export type LookupResult =
  | { found: IpLocation; ageMs: number; steps: readonly (LocationStep | FoundStep)[] }
  | { found: undefined; steps: readonly LocationStep[] };

/** One walk through the services for one address; any number of callers may wait for it. */
export interface ProviderRace {
  /** Begins it; settles when there is an answer or nobody is left to be asked. */
  run(): Promise<void>;
  /** What has come of it so far; `ended` says why the caller waits no longer for what has not answered. */
  result(ended: 'timeout' | 'aborted'): LookupResult;
  /** Ends it: nobody waits any more. */
  abandon(): void;
}

/** A service, as far as the race has come with it. */
interface Progress {
  readonly step: string;
  started?: number;
  ended?: number;
  reason?: LocationFailure;
  message?: string;
}

const UNFINISHED = {
  timeout: 'the time for finding a location was over',
  aborted: 'the call was aborted',
  overtaken: 'another service answered first',
};

/**
 * Asks one service after the other, in order of preference, until one knows. The next one starts when the one before
 * has failed, or, with `hedgeAfterMs`, has taken that long. A service that rests is left out; but when nobody else
 * knows, those that were out of reach are asked all the same, or, where all have refused, the one whose rest ends
 * first: an event is worth more than a rest.
 */
export function createProviderRace(ip: string | undefined, settings: ServiceSettings, world: { fetch: Fetch; clock: Clock; rests: Rests }): ProviderRace {
  const { providers, timeoutMs: milliseconds, hedgeAfterMs } = settings;
  const { fetch, clock, rests } = world;
  const over = new AbortController();
  const { signal } = over;
  const progress = providers.map(({ name }): Progress => ({ step: name }));
  let best: { service: number; found: IpLocation } | undefined;

  async function ask(provider: IpProvider, service: number): Promise<void> {
    const own: Progress = { step: provider.name, started: clock.now() };
    progress[service] = own;
    const answer = await withTimeout(async (late) => usable(await provider.lookup({ ip, fetch, signal: late })), { clock, milliseconds, signal });
    own.ended = clock.now();
    if (answer.ended === 'aborted') return;
    if (answer.ended === 'done') {
      rests.note(service);
      // Two may be there at once: then preference decides.
      if (!best || service < best.service) best = { service, found: answer.value };
      over.abort();
      return;
    }
    const failure = answer.ended === 'timeout' ? new LookupFailure('timeout', `no answer within ${milliseconds} ms`) : asLookupFailure(answer.error);
    own.reason = failure.reason;
    own.message = failure.message;
    rests.note(service, failure);
  }

  async function askAll(): Promise<void> {
    const running: Promise<void>[] = [];
    const resting: number[] = [];
    for (const [service, provider] of providers.entries()) {
      if (signal.aborted) break;
      const left = rests.leftOf(service);
      if (left > 0) {
        const now = clock.now();
        const message = `it rests for about ${Math.ceil(left / 1000)} s (${rests.why(service)})`;
        progress[service] = { step: provider.name, started: now, ended: now, reason: 'resting', message };
        resting.push(service);
        continue;
      }
      const asked = ask(provider, service);
      running.push(asked);
      await (hedgeAfterMs === undefined ? asked : withTimeout(() => asked, { clock, milliseconds: hedgeAfterMs, signal }));
    }
    await Promise.all(running);
    const soonest = resting.sort((a, b) => rests.leftOf(a) - rests.leftOf(b));
    const outOfReach = soonest.filter((service) => !rests.hasRefused(service));
    for (const service of outOfReach.length > 0 ? outOfReach : soonest.slice(0, 1)) {
      const provider = providers[service];
      if (provider && !signal.aborted) await ask(provider, service);
    }
  }

  return {
    run: () => askAll().finally(() => over.abort()),
    result(ended) {
      const now = clock.now();
      const found = ({ step, started = now, ended = now }: Progress): FoundStep => ({ step, durationMs: ended - started });
      const reason = best ? 'overtaken' : ended;
      const others = progress.filter((own, service) => service !== best?.service && (own.started !== undefined || reason === 'timeout'));
      const steps = others.map((own): LocationStep => ({ ...found(own), reason: own.reason ?? reason, message: own.message ?? UNFINISHED[reason] }));
      const winner = best && progress[best.service];
      return best && winner ? { found: best.found, ageMs: 0, steps: [...steps, found(winner)] } : { found: undefined, steps };
    },
    abandon: () => over.abort(),
  };
}

/** What a service throws may hold anything: only our own words are shown. */
const asLookupFailure = (error: unknown) => (isLookupFailure(error) ? error : new LookupFailure('bad-answer', 'the lookup threw an error'));

/** A service's answer, which must have coordinates that can be: 0, 0 is what services write when they do not know. */
function usable(answer: IpLocation | undefined): IpLocation {
  const { latitude, longitude, accuracy, city, region, country } = asOwnRecord(answer);
  if (!isOnGlobe(latitude, longitude) || isNullIsland(latitude, longitude))
    throw new LookupFailure('bad-answer', 'the service does not know where the address is');
  return {
    latitude: latitude as number,
    longitude: longitude as number,
    city: placeName(city),
    region: placeName(region),
    country: placeName(country),
    accuracy: Number.isFinite(accuracy) && Number(accuracy) >= 0 ? Number(accuracy) : undefined,
  };
}
