import type { FoundStep, LocationFailure, LocationStep } from '../errors.js';
import { RELAY_ONLY } from '../relay-only.js';
import type { Location, LocationInput } from '../schema/location.js';
import { type Clock, limited } from '../time.js';
import type { AbortSignalLike, Fetch } from '../web-types.js';
import { createBrowserGeolocation, type GeolocationLike, type GeolocationSettings } from './browser-geolocation.js';
import { createServerFinder } from './find-on-server.js';
import { createPlaceFinder, type PlaceSettings } from './find-place.js';
import { createIpLookup, type IpLookupSettings } from './ip-lookup.js';
import { NOBODY_TO_ASK } from './nobody-to-ask.js';
import { type PageScope, readPage } from './page.js';
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
export interface LocationSettings extends PlaceSettings {
  /** Whether an event without a location is an error. */
  readonly required: boolean;
  /** For the whole chain. */
  readonly timeoutMs: number;
  readonly browser: GeolocationSettings & { readonly enabled: boolean };
  readonly ip: IpLookupSettings & { readonly enabled: boolean };
  readonly sourceNames: SourceNames;
}

export interface Surroundings {
  readonly browser: boolean;
  /** In place of the browser's. */
  readonly geolocation: GeolocationLike | undefined;
  /** The global object, of which a page's own facts are read. */
  readonly scope: PageScope;
  readonly fetch: Fetch;
  readonly clock: Clock;
}

export interface LocateRequest {
  /** The player's public address. */
  clientIP: string | undefined;
  /** On the clock, in milliseconds. */
  deadline: number;
  signal: AbortSignalLike | undefined;
}

/** A location that was found, and what was tried on the way; or only what was tried, and what helps. */
export type Located =
  | { location: Location; ageMs: number; steps: readonly (LocationStep | FoundStep)[] }
  | { location: undefined; steps: readonly LocationStep[]; advice: string };

/** The location chain of one client, with what it remembers: fixes, answers, services that rest. */
export interface Locator {
  /** Never rejects: where nothing is found, `steps` says why. */
  find(request: LocateRequest): Promise<Located>;
}

/** What helps, by why the browser gave no position. */
const ADVICE: { readonly [Reason in LocationFailure]?: string } = {
  denied: 'ask the player to allow location, or pass location',
  'blocked-by-policy': 'allow geolocation in the Permissions-Policy header, and by allow="geolocation" on the iframe, or pass location',
  'insecure-context': 'serve the page over https, or pass location',
  'page-hidden': 'call again while the player sees the page, or pass location',
};

/** Of what is left of a short call, so that a player who does not decide leaves some for the lookup. */
const BROWSER_SHARE = 2 / 3;

/** How much later than the budget the chain ends where the clock was set back meanwhile. */
const CLOCK_WAS_SET_MS = 100;

/**
 * Makes the chain that finds where the player is (specification, section 1): browser geolocation, else lookup of
 * the address; on a server, lookup of `clientIP`.
 */
export function createLocator(settings: LocationSettings, surroundings: Surroundings): Locator {
  const { browser, clock, scope } = surroundings;
  const { sourceNames } = settings;
  const geolocation = createBrowserGeolocation(settings.browser, { page: readPage(scope, surroundings.geolocation), clock });
  const lookup = createIpLookup(settings.ip, surroundings);
  const findPlace = createPlaceFinder(settings, clock);
  const findOnServer = createServerFinder(settings, lookup);

  async function findInPage({ deadline, signal }: LocateRequest): Promise<Located> {
    const steps: LocationStep[] = [];
    if (settings.browser.enabled) {
      const started = clock.now();
      const left = deadline - started;
      const milliseconds = Math.min(settings.browser.timeoutMs, !RELAY_ONLY && settings.ip.enabled ? left * BROWSER_SHARE : left);
      const asked = await geolocation.ask({ milliseconds, signal });
      const step = { step: 'browser-geolocation', durationMs: clock.now() - started };
      if (asked.position) {
        const found = await findPlace(asked.position, { deadline, signal });
        return {
          location: withSource({ ...asked.position, ...found.place }, sourceNames.gps),
          ageMs: asked.ageMs,
          steps: [step, ...found.steps],
        };
      }
      steps.push({ ...step, reason: asked.reason, message: asked.message });
    }
    // A page with a relay asks no service.
    if (!RELAY_ONLY && settings.ip.enabled && !signal?.aborted) {
      const answer = await lookup.find({ ip: undefined, deadline, signal });
      if (answer.found) return { location: withSource(answer.found, sourceNames.ip), ageMs: answer.ageMs, steps: [...steps, ...answer.steps] };
      steps.push(...answer.steps);
    }
    if (steps.length === 0 && !signal?.aborted) return NOBODY_TO_ASK;
    return { location: undefined, steps, advice: ADVICE[steps[0]?.reason ?? 'not-available'] ?? 'pass location, or call again later' };
  }

  return {
    async find({ clientIP, signal, ...request }) {
      const now = clock.now();
      const deadline = Math.min(request.deadline, now + settings.timeoutMs);
      const run = (over: AbortSignalLike | undefined) => (RELAY_ONLY || browser ? findInPage : findOnServer)({ clientIP, deadline, signal: over });
      let found: Promise<Located> | undefined;
      const begin = (over: AbortSignalLike) => {
        found = run(over);
        return found;
      };
      // Each wait is bounded by what the clock says is left. Somebody may set it back: then this one timer is the bound.
      await limited(begin, { clock, milliseconds: deadline - now + CLOCK_WAS_SET_MS, signal });
      return found ?? run(signal);
    },
  };
}

/**
 * A location for terminals that never move, and for tests: the whole chain is replaced by it.
 *
 * @example
 * ```ts
 * createClient({ location: fixedLocation({ latitude: 6.45, longitude: 3.39, source: 'terminal' }) });
 * ```
 */
export const fixedLocation = (
  location: LocationInput,
): {
  /** The location that every call gets. */
  fixed: LocationInput;
} => ({ fixed: location });
