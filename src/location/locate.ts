import type { LocationFailure, LocationStep } from '../errors.js';
import type { Location, LocationInput } from '../schema/location.js';
import type { Clock } from '../time.js';
import type { AbortSignalLike, Fetch } from '../web-types.js';
import { askBrowser, type GeolocationLike, type GeolocationSettings } from './browser-geolocation.js';
import { type IpLookupSettings, lookUpIp } from './ip-lookup.js';
import { locateClient } from './locate-client.js';
import { withSource } from './with-source.js';

/** What is sent as `source` for each way in which a location was found. */
export interface SourceNames {
  /** Browser geolocation. */
  readonly gps: string;
  /** Lookup of the caller's own address. */
  readonly ip: string;
  /** Lookup of `clientIP`. */
  readonly client_ip: string;
  /** Passed by the caller without a source. */
  readonly provided: string;
}

/** How a location is found; made by `config.ts`. */
export interface LocationSettings {
  /** Whether an event without a location is an error. */
  readonly required: boolean;
  readonly fixed: LocationInput | undefined;
  /** For the whole chain. */
  readonly timeoutMs: number;
  readonly browser: GeolocationSettings & { readonly enabled: boolean };
  readonly ip: IpLookupSettings & { readonly enabled: boolean };
  readonly sourceNames: SourceNames;
}

export interface Surroundings {
  readonly browser: boolean;
  readonly secureContext: boolean;
  readonly geolocation: GeolocationLike | undefined;
  readonly fetch: Fetch;
  readonly clock: Clock;
}

export interface LocateRequest {
  clientIP: string | undefined;
  /** On the clock, in milliseconds. */
  deadline: number;
  signal: AbortSignalLike | undefined;
}

export type Located = { location: Location; steps: readonly LocationStep[] } | { location?: never; steps: readonly LocationStep[]; advice: string };

/** What helps, by why the browser gave no position. */
const ADVICE: { readonly [Reason in LocationFailure]?: string } = {
  denied: 'ask the player to allow location, or pass location',
  'insecure-context': 'serve the page over https, or pass location',
};

/**
 * Finds where the player is (specification, section 1): browser geolocation, else lookup of the address; on a
 * server, lookup of `clientIP`. Never throws: where nothing is found, `steps` says why.
 */
export async function findLocation(settings: LocationSettings, surroundings: Surroundings, request: LocateRequest): Promise<Located> {
  const { sourceNames } = settings;
  if (settings.fixed) return { location: withSource(settings.fixed, sourceNames.provided), steps: [] };
  const { browser, clock } = surroundings;
  const { signal } = request;
  const deadline = Math.min(request.deadline, clock.now() + settings.timeoutMs);

  if (!browser) return locateClient(settings, surroundings, { ...request, deadline });

  const steps: LocationStep[] = [];
  if (settings.browser.enabled) {
    const started = clock.now();
    const milliseconds = Math.min(settings.browser.timeoutMs, deadline - started);
    const asked = await askBrowser({ ...surroundings, settings: settings.browser, milliseconds, signal });
    if ('position' in asked) return { location: { ...asked.position, source: sourceNames.gps }, steps };
    steps.push({ step: 'browser-geolocation', ...asked, durationMs: clock.now() - started });
  }
  if (settings.ip.enabled && !signal?.aborted) {
    const lookup = await lookUpIp({ ...surroundings, ip: undefined, settings: settings.ip, deadline, signal });
    steps.push(...lookup.steps);
    if (lookup.found) return { location: withSource(lookup.found, sourceNames.ip), steps };
  }
  return { steps, advice: ADVICE[steps[0]?.reason ?? 'not-available'] ?? 'pass location, or call again later' };
}

/**
 * A location for terminals that never move, and for tests: the whole chain is replaced by it.
 *
 * @example
 * ```ts
 * createClient({ location: fixedLocation({ latitude: 6.45, longitude: 3.39, source: 'terminal' }) });
 * ```
 */
export const fixedLocation = (location: LocationInput): { fixed: LocationInput } => ({ fixed: location });
