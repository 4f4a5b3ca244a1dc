import type { FoundStep, LocationStep } from '../errors.js';
import { type Clock, limited } from '../time.js';
import type { AbortSignalLike, Fetch } from '../web-types.js';
import { type IpLocation, type IpProvider, LookupFailure } from './provider.js';
import { placeName } from './providers/answer.js';

export interface IpLookupSettings {
  readonly providers: readonly IpProvider[];
  /** For each service. */
  readonly timeoutMs: number;
}

export interface LookupRequest {
  /** The address to look up; undefined for the caller's own. */
  ip: string | undefined;
  /** On the clock, in milliseconds: when the whole chain must be over. */
  deadline: number;
  signal: AbortSignalLike | undefined;
}

export type LookupResult =
  | { found: IpLocation; ageMs: number; steps: readonly (LocationStep | FoundStep)[] }
  | { found?: never; steps: readonly LocationStep[] };

/** The lookup services of one client. */
export interface IpLookups {
  /** Asks one service after the other until one knows; says of each other one why it did not. Never rejects. */
  find(request: LookupRequest): Promise<LookupResult>;
}

export function createIpLookup(settings: IpLookupSettings, { fetch, clock }: { fetch: Fetch; clock: Clock }): IpLookups {
  return {
    async find({ ip, deadline, signal }) {
      const steps: LocationStep[] = [];
      for (const provider of settings.providers) {
        const started = clock.now();
        const milliseconds = Math.min(settings.timeoutMs, deadline - started);
        const ended = () => ({ step: provider.name, durationMs: clock.now() - started });
        const failed = (reason: LocationStep['reason'], message: string) => steps.push({ ...ended(), reason, message });
        if (milliseconds <= 0) {
          failed('timeout', 'the time for finding a location was over');
          continue;
        }
        const answer = await limited(async (over) => usable(await provider.lookup({ ip, fetch, signal: over })), { clock, milliseconds, signal });
        if (answer.ended === 'done') {
          if (answer.value) return { found: answer.value, ageMs: 0, steps: [...steps, ended()] };
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
    },
  };
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
