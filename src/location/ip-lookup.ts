import type { LocationStep } from '../errors.js';
import { type Clock, limited } from '../time.js';
import type { AbortSignalLike, Fetch } from '../web-types.js';
import { type IpLocation, type IpProvider, LookupFailure } from './provider.js';
import { placeName } from './providers/answer.js';

export interface IpLookupSettings {
  readonly providers: readonly IpProvider[];
  /** For each service. */
  readonly timeoutMs: number;
}

interface Lookup {
  /** The address to look up; undefined for the caller's own. */
  ip: string | undefined;
  settings: IpLookupSettings;
  fetch: Fetch;
  clock: Clock;
  /** On the clock, in milliseconds: when the whole chain must be over. */
  deadline: number;
  signal: AbortSignalLike | undefined;
}

/** Asks one service after the other until one knows; says of each other one why it did not. */
export async function lookUpIp({ ip, settings, fetch, clock, deadline, signal }: Lookup): Promise<{ found?: IpLocation; steps: LocationStep[] }> {
  const steps: LocationStep[] = [];
  for (const provider of settings.providers) {
    const started = clock.now();
    const milliseconds = Math.min(settings.timeoutMs, deadline - started);
    const failed = (reason: LocationStep['reason'], message: string) => steps.push({ step: provider.name, reason, message, durationMs: clock.now() - started });
    if (milliseconds <= 0) {
      failed('timeout', 'the time for finding a location was over');
      continue;
    }
    const answer = await limited(async (ended) => usable(await provider.lookup({ ip, fetch, signal: ended })), { clock, milliseconds, signal });
    if (answer.ended === 'done') {
      if (answer.value) return { found: answer.value, steps };
      failed('bad-answer', 'the service does not know where the address is');
    } else if (answer.ended === 'failed') {
      const known = answer.error instanceof LookupFailure ? answer.error : new LookupFailure('bad-answer', 'the lookup threw an error');
      failed(known.reason, known.message);
    } else if (answer.ended === 'timeout') {
      failed('timeout', `no answer within ${milliseconds} ms`);
    } else {
      failed('aborted', 'the call was aborted');
      break;
    }
  }
  return { steps };
}

/** A service's answer, if it has coordinates that can be: 0, 0 is what services write when they do not know. */
function usable(answer: IpLocation | undefined): IpLocation | undefined {
  const { latitude, longitude, accuracy, city, region, country } = answer ?? {};
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return undefined;
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180) || (latitude === 0 && longitude === 0)) return undefined;
  return {
    latitude,
    longitude,
    city: placeName(city),
    region: placeName(region),
    country: placeName(country),
    accuracy: Number.isFinite(accuracy) ? accuracy : undefined,
  };
}
