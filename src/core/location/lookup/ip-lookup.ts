import type { FoundStep, LocationFailure, LocationStep } from '../../errors/errors.js';
import { asOwnRecord } from '../../platform/as-record.js';
import { sweepLater } from '../../platform/sweep-later.js';
import { type Clock, parseRetryAfter, withTimeout } from '../../platform/time.js';
import type { Fetch } from '../../platform/web-types.js';
import { isKnownPlace, placeName } from '../read-place.js';
import type { LocationSettings } from '../settings.js';
import { type LocateRequest, type LocationResult, withSource } from '../source.js';
import { type IpLocation, type IpLookupRequest, type IpProvider, isLookupFailure, LookupFailure } from './provider.js';

/**
 * Addresses and their places are personal data: the cache is bounded in number and in time, stays in memory, and is not
 * shown when a client is printed.
 */
export function createLookupCache<T>(
  { cacheMs, cacheSize }: Pick<LocationSettings['ip'], 'cacheMs' | 'cacheSize'>,
  clock: Clock,
) {
  /** The oldest entry comes first. */
  const entries = new Map<string, { value: T; at: number }>();
  // The age is unknown if the clock was set back.
  const isFresh = (ageMs: number) => ageMs >= 0 && ageMs < cacheMs;

  const forgetOld = sweepLater(() => {
    const now = clock.now();
    for (const [oldest, { at }] of entries) {
      if (entries.size <= cacheSize && isFresh(now - at)) return at + cacheMs - now;
      entries.delete(oldest);
    }
    return undefined;
  });

  return {
    get(address: string): { value: T; ageMs: number } | undefined {
      const entry = entries.get(address);
      const ageMs = entry ? clock.now() - entry.at : Number.NaN;
      return entry && isFresh(ageMs) ? { value: entry.value, ageMs } : undefined;
    },

    set(address: string, value: T): void {
      entries.delete(address);
      entries.set(address, { value, at: clock.now() });
      forgetOld();
    },
  };
}

/** Its address is normalised. */
export type LookupRequest = Omit<LocateRequest, 'clientIP'> & Pick<IpLookupRequest, 'ip'>;

/** Never rejects. */
export type IpLookup = (request: LookupRequest) => Promise<LocationResult>;

const OWN = '';

/** A broken connection may recover quickly, so an unreachable service is paused for a short time only. */
const LONGEST_UNREACHABLE_PAUSE_MS = 5_000;

/** The longest pause that `Retry-After` can set, in multiples of `restMs`: a service may send an unreasonable value. */
const MOST_PAUSES = 10;

interface Service {
  readonly provider: IpProvider;
  pause: { readonly since: number; readonly milliseconds: number; readonly why: string } | undefined;
}

/**
 * The lookup services of one client, and the cache of their answers. It answers from the cache if it can. Otherwise it
 * tries the services in order of preference until one gives a location. Paused services are skipped. If all others
 * fail, the one whose pause ends first is tried: a location for the event matters more than the pause.
 */
export function createIpLookup(
  providers: readonly IpProvider[],
  { timeoutMs, restMs, ...cacheSettings }: Omit<LocationSettings['ip'], 'enabled' | 'providers'>,
  { fetch, clock }: { fetch: Fetch; clock: Clock },
  sourceName: string,
): IpLookup {
  const cache = createLookupCache<{ found: IpLocation; step: string }>(cacheSettings, clock);
  const services = providers.map((provider): Service => ({ provider, pause: undefined }));

  /** In milliseconds. 0 if the service may be used. */
  function pauseLeft({ pause }: Service): number {
    const passed = pause ? clock.now() - pause.since : 0;
    // A clock that was set back must not make a pause longer.
    return pause && passed >= 0 ? Math.max(0, pause.milliseconds - passed) : 0;
  }

  function pauseAfter({ reason, retryAfter, message }: LookupFailure): Service['pause'] {
    const since = clock.now();
    const milliseconds =
      reason === 'refused'
        ? Math.min(parseRetryAfter(retryAfter, since) ?? restMs, restMs * MOST_PAUSES)
        : Math.min(reason === 'unreachable' || reason === 'timeout' ? restMs : 0, LONGEST_UNREACHABLE_PAUSE_MS);
    return { since, milliseconds, why: message };
  }

  async function ask(
    service: Service,
    { ip, deadline, signal }: LookupRequest,
  ): Promise<{ found: IpLocation; step: FoundStep } | { found: undefined; step: LocationStep }> {
    const { name } = service.provider;
    const started = clock.now();
    const failed = (reason: LocationFailure, message: string) => ({
      found: undefined,
      step: { step: name, reason, message, durationMs: clock.now() - started },
    });
    const milliseconds = Math.min(timeoutMs, deadline - started);
    if (milliseconds <= 0) return failed('timeout', 'timed out: no time was left to find a location');
    const answer = await withTimeout(
      async (late) => usable(await service.provider.lookup({ ip, fetch, signal: late })),
      { clock, milliseconds, signal },
    );
    if (answer.ended === 'aborted') return failed('aborted', 'the call was cancelled');
    if (answer.ended === 'done') {
      service.pause = undefined;
      return { found: answer.value, step: { step: name, durationMs: clock.now() - started } };
    }
    const failure =
      answer.ended === 'timeout'
        ? new LookupFailure('timeout', `no answer within ${milliseconds} ms`)
        : asLookupFailure(answer.error);
    // A service that was given less time than its own may be well.
    if (answer.ended !== 'timeout' || milliseconds === timeoutMs) service.pause = pauseAfter(failure);
    return failed(failure.reason, failure.message);
  }

  return async (request) => {
    if (request.signal?.aborted) return { location: undefined, steps: [] };
    const address = request.ip ?? OWN;
    const known = cache.get(address);
    if (known) {
      const { found, step } = known.value;
      return { location: withSource(found, sourceName), ageMs: known.ageMs, steps: [{ step, durationMs: 0 }] };
    }

    const steps = new Map<Service, LocationStep>();
    const tryOne = async (service: Service): Promise<LocationResult | undefined> => {
      if (request.signal?.aborted) return undefined;
      const { found, step } = await ask(service, request);
      if (!found) {
        steps.set(service, step);
        return undefined;
      }
      cache.set(address, { found, step: step.step });
      steps.delete(service);
      return { location: withSource(found, sourceName), ageMs: 0, steps: [...steps.values(), step] };
    };
    const paused: Service[] = [];
    for (const service of services) {
      const left = pauseLeft(service);
      const answer = left > 0 ? undefined : await tryOne(service);
      if (answer) return answer;
      if (left <= 0) continue;
      const message = `paused for about ${Math.ceil(left / 1000)} s (${service.pause?.why})`;
      steps.set(service, { step: service.provider.name, reason: 'resting', message, durationMs: 0 });
      paused.push(service);
    }
    const [soonest] = paused.sort((a, b) => pauseLeft(a) - pauseLeft(b));
    return (soonest && (await tryOne(soonest))) ?? { location: undefined, steps: [...steps.values()] };
  };
}

/** An error thrown by a service may contain any data, so only our own words are shown. */
const asLookupFailure = (error: unknown) =>
  isLookupFailure(error) ? error : new LookupFailure('bad-answer', 'the lookup threw an error');

/** 0, 0 is refused: services write it for an unknown place. */
function usable(answer: IpLocation | undefined): IpLocation {
  const own = asOwnRecord(answer);
  if (!isKnownPlace(own)) throw new LookupFailure('bad-answer', 'the service has no location for the address');
  const { latitude, longitude, accuracy, city, region, country } = own;
  return {
    latitude,
    longitude,
    city: placeName(city),
    region: placeName(region),
    country: placeName(country),
    accuracy: Number.isFinite(accuracy) && Number(accuracy) >= 0 ? Number(accuracy) : undefined,
  };
}
