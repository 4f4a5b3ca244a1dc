import type { Clock } from '../platform/time.js';
import type { Fetch } from '../platform/web-types.js';
import type { IpLookupSettings } from './lookup/ip-lookup.js';
import type { IpProvider } from './lookup/provider.js';
import type { GeolocationEvent, GeolocationLike, GeolocationSettings, PageScope } from './page/page.js';
import type { PlaceSettings } from './page/reverse-geocode.js';

/** The value of `source` for each way to find a location. */
export interface SourceNames {
  /** Browser geolocation. */
  readonly gps: string;
  /** Lookup of the caller's own address. */
  readonly ip: string;
  /** Lookup of `clientIP`. */
  readonly client_ip: string;
  /** A location that the caller passed without a source. */
  readonly provided: string;
}

/** The settings of the location chain; made by `config.ts`. */
export interface LocationSettings extends PlaceSettings {
  /** Whether an event without a location is an error. */
  readonly required: boolean;
  /** The limit for the whole chain. */
  readonly timeoutMs: number;
  readonly browser: GeolocationSettings & { readonly enabled: boolean };
  readonly ip: Omit<IpLookupSettings, 'providers'> & {
    readonly enabled: boolean;
    readonly providers: readonly IpProvider[] | undefined;
  };
  readonly sourceNames: SourceNames;
}

export interface Surroundings {
  /** Replaces the browser's geolocation. */
  readonly geolocation: GeolocationLike | undefined;
  /** The global object, from which facts about a page are read. */
  readonly scope: PageScope;
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Called while the browser is asked. Undefined if there is no listener. */
  readonly onEvent: ((event: GeolocationEvent) => void) | undefined;
}
