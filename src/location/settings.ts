import type { Clock } from '../platform/time.js';
import type { Fetch } from '../platform/web-types.js';
import type { GeolocationEvent } from './events.js';
import type { IpLookupSettings } from './lookup/ip-lookup.js';
import type { IpProvider } from './lookup/provider.js';
import type { GeolocationLike, GeolocationSettings } from './page/geolocation-types.js';
import type { PageScope } from './page/page.js';
import type { PlaceSettings } from './page/reverse-geocode.js';

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
  readonly ip: Omit<IpLookupSettings, 'providers'> & { readonly enabled: boolean; readonly providers: readonly IpProvider[] | undefined };
  readonly sourceNames: SourceNames;
}

export interface Surroundings {
  /** In place of the browser's. */
  readonly geolocation: GeolocationLike | undefined;
  /** The global object, of which a page's own facts are read. */
  readonly scope: PageScope;
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Told while the browser is asked; undefined where there is no listener. */
  readonly onEvent: ((event: GeolocationEvent) => void) | undefined;
}
