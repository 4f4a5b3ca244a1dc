import type { LocationStep } from '../errors.js';
import type { Location, LocationInput } from '../schema/location.js';
import type { Clock } from '../time.js';
import type { AbortSignalLike, Fetch } from '../web-types.js';
import { askBrowser, type GeolocationLike, type GeolocationSettings } from './browser-geolocation.js';
import { parseClientIp } from './client-ip.js';
import { type IpLookupSettings, lookUpIp } from './ip-lookup.js';

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
  /** Undefined: not asked. */
  readonly browser: GeolocationSettings | undefined;
  /** Undefined: not asked. */
  readonly ip: IpLookupSettings | undefined;
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
  if (settings.browser) {
    const started = clock.now();
    const milliseconds = Math.min(settings.browser.timeoutMs, deadline - started);
    const asked = await askBrowser({ ...surroundings, settings: settings.browser, milliseconds, signal });
    if ('position' in asked) return { location: { ...asked.position, source: sourceNames.gps }, steps };
    steps.push({ step: 'browser-geolocation', ...asked, durationMs: clock.now() - started });
  }
  if (settings.ip && !signal?.aborted) {
    const lookup = await lookUpIp({ ...surroundings, ip: undefined, settings: settings.ip, deadline, signal });
    steps.push(...lookup.steps);
    if (lookup.found) return { location: withSource(lookup.found, sourceNames.ip), steps };
  }
  return { steps, advice: 'ask the player to allow location, or pass location' };
}

/** On a server the only address that tells anything is the player's: the server's own would locate the data centre. */
async function locateClient(settings: LocationSettings, surroundings: Surroundings, request: LocateRequest): Promise<Located> {
  const { clientIP, deadline, signal } = request;
  if (clientIP === undefined) {
    return { steps: [], advice: "on a server, pass the player's address as clientIP, or pass location" };
  }
  const client = parseClientIp(clientIP);
  if (!client || client.notPublic) {
    const message = client ? `clientIP is ${client.notPublic}` : 'clientIP is not an address';
    return {
      steps: [{ step: 'client-ip', reason: 'not-public', message, durationMs: 0 }],
      advice: "pass the player's public address: is the proxy's X-Forwarded-For read?",
    };
  }
  const advice = 'pass location, or call again later';
  if (!settings.ip) return { steps: [], advice: 'lookups are switched off (location.ip.enabled), so pass location' };
  const { found, steps } = await lookUpIp({ ...surroundings, ip: client.address, settings: settings.ip, deadline, signal });
  return found ? { location: withSource(found, settings.sourceNames.client_ip), steps } : { steps, advice };
}

/** Completes a location with its source, and leaves out what is not known. */
export function withSource(location: LocationInput, source: string): Location {
  const known = Object.entries(location).filter(([, value]) => value !== undefined);
  return { source, ...(Object.fromEntries(known) as LocationInput & { latitude: number; longitude: number }) } as Location;
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
