import type { FoundStep, LocationFailure, LocationStep } from '../../errors/errors.js';
import { asOwnRecord } from '../../platform/as-record.js';
import { type Clock, withTimeout } from '../../platform/time.js';
import type { Fetch } from '../../platform/web-types.js';
import { isNullIsland, isOnGlobe, placeName } from '../read-place.js';
import type { Rests } from './circuit-breaker.js';
import { type IpLocation, type IpProvider, isLookupFailure, LookupFailure } from './provider.js';

export interface ServiceSettings {
  readonly providers: readonly IpProvider[];
  /** The limit for each service. */
  readonly timeoutMs: number;
  /** How long a service may take before the next one is started in parallel. Undefined for never. */
  readonly hedgeAfterMs: number | undefined;
}

export type LookupResult =
  | { found: IpLocation; ageMs: number; steps: readonly (LocationStep | FoundStep)[] }
  | { found: undefined; steps: readonly LocationStep[] };

/** One race through the services for one address. Any number of callers may wait for it. */
export interface ProviderRace {
  /** Starts the race. Settles when there is an answer or no service is left to try. */
  run(): Promise<void>;
  /** The result so far. `ended` says why the caller does not wait for the services that have not answered. */
  result(ended: 'timeout' | 'aborted'): LookupResult;
  /** Ends the race: no caller waits for it. */
  abandon(): void;
}

/** The state of one service in the race. */
interface Progress {
  readonly step: string;
  started?: number;
  ended?: number;
  reason?: LocationFailure;
  message?: string;
}

const UNFINISHED = {
  timeout: 'timed out: no time was left to find a location',
  aborted: 'the call was cancelled',
  overtaken: 'another service answered first',
};

/**
 * Tries the services in order of preference until one gives a location. The next one starts when the one before it has
 * failed or, with `hedgeAfterMs`, has taken that long. Paused services are skipped. If all others fail, the services
 * that were unreachable are tried although they are paused. If all services have refused, the one whose pause ends
 * first is tried: a location for the event matters more than the pause.
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
      // Two answers may arrive at once. The preferred service wins.
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
        const message = `paused for about ${Math.ceil(left / 1000)} s (${rests.why(service)})`;
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

/** An error thrown by a service may contain any data, so only our own words are shown. */
const asLookupFailure = (error: unknown) => (isLookupFailure(error) ? error : new LookupFailure('bad-answer', 'the lookup threw an error'));

/** Checks the coordinates in a service's answer. 0, 0 is refused: services write it for an unknown place. */
function usable(answer: IpLocation | undefined): IpLocation {
  const { latitude, longitude, accuracy, city, region, country } = asOwnRecord(answer);
  if (!isOnGlobe(latitude, longitude) || isNullIsland(latitude, longitude))
    throw new LookupFailure('bad-answer', 'the service has no location for the address');
  return {
    latitude: latitude as number,
    longitude: longitude as number,
    city: placeName(city),
    region: placeName(region),
    country: placeName(country),
    accuracy: Number.isFinite(accuracy) && Number(accuracy) >= 0 ? Number(accuracy) : undefined,
  };
}
