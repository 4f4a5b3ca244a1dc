import type { Answer, RelayCredentials } from '../delivery/settings.js';
import type { Transport } from '../delivery/transport.js';
import type { Environment } from '../errors/errors.js';
import type { IpProvider } from '../location/lookup/provider.js';
import type { GeolocationLike } from '../location/page/geolocation-types.js';
import type { ReverseGeocode } from '../location/page/reverse-geocode.js';
import type { SourceNames } from '../location/settings.js';
import type { Logger, LogLevel } from '../platform/logger.js';
import type { Clock } from '../platform/time.js';
import type { AbortSignalLike, Fetch } from '../platform/web-types.js';
import type { OperationName } from '../protocol/operations.js';
import type { HeadersOption } from '../schema/headers.js';
import type { LocationInput } from '../schema/location.js';
import type { ValidationMode } from '../schema/model.js';
import type { ClientEvent } from './events.js';

/** Where reports of one environment go. In Node.js, what is left out is read from the environment variables named below. */
export interface GatewayOptions {
  /**
   * The gateway's address; `/integration-gateway/external` is added. `https:` is required, but for loopback hosts.
   * `LOCATION_SDK_STAGING_BASE_URL`, `LOCATION_SDK_PRODUCTION_BASE_URL`.
   */
  baseUrl?: string | undefined;
  /**
   * The operator's key (specification, section 5), or a function that is asked for it on every request, so that
   * it can be rotated. `LOCATION_SDK_STAGING_API_KEY`, `LOCATION_SDK_PRODUCTION_API_KEY`.
   */
  apiKey?: string | (() => string | Promise<string>) | undefined;
}

/** How a page asks the browser where it is. */
export interface BrowserGeolocationOptions {
  /** `false`: the browser is not asked. Default: true. */
  enabled?: boolean | undefined;
  /** Ask for the best position that the device can give; a less accurate one is asked for where that fails or takes too long. Default: true. */
  highAccuracy?: boolean | undefined;
  /** Milliseconds by the wall clock, the player's thinking time included. Default: 10,000. */
  timeoutMs?: number | undefined;
  /** How old a position may be to be used again, in milliseconds: the browser's own, or the client's last. 0: always a new one. Default: 60,000. */
  maximumAgeMs?: number | undefined;
  /**
   * For how many milliseconds the browser is not asked again once the player or a policy said no, or once it gave no answer in
   * `timeoutMs`. Ends early where the browser says that the player allows it now. 0: every call asks. Default: 60,000.
   */
  denialMemoryMs?: number | undefined;
}

/** How an address is looked up. */
export interface IpLookupOptions {
  /** `false`: no service is asked. Default: true. */
  enabled?: boolean | undefined;
  /** Asked one after the other until one knows. Default: GeoJS, ipapi.co, freeipapi. */
  providers?: readonly IpProvider[] | undefined;
  /** Milliseconds for each service. Default: 4,000. */
  timeoutMs?: number | undefined;
  /**
   * How long a service may take before the next one is started beside it, in milliseconds (hedging): the first usable
   * answer wins, the others are aborted. Every service that is started learns the address. Default: undefined, one at a
   * time.
   *
   * @example
   * ```ts
   * createClient({ location: { ip: { hedgeAfterMs: 800 } } });
   * ```
   */
  hedgeAfterMs?: number | undefined;
  /**
   * How long a service is left alone that answered 429 or 403, in milliseconds; its `Retry-After` counts instead, up to
   * ten times this. One that cannot be reached, or does not answer in its time, rests at most 5,000. When nobody else
   * knows, the one whose rest ends first is asked all the same. Default: 60,000; 0 for no rest.
   */
  restMs?: number | undefined;
  /**
   * How long an answer is used again for the same address, in milliseconds; failures never are. A page that changes its
   * network, or its VPN, has its old location for that long. Default: 300,000; 0 for not at all.
   */
  cacheMs?: number | undefined;
  /**
   * For how many addresses answers are kept, in memory only; the one that was asked for longest ago makes room.
   * Default: 10,000.
   */
  cacheSize?: number | undefined;
}

/** How a location is found where the caller passes none (specification, section 1). */
export interface LocationOptions {
  /** `false` sends an event without a location where none is found. Default: true, the call rejects with a `LocationError`. */
  required?: boolean | undefined;
  /** Replaces the whole chain; see `fixedLocation`. */
  fixed?: LocationInput | undefined;
  /** Milliseconds for the whole chain. Default: 20,000. */
  timeoutMs?: number | undefined;
  /**
   * Fills city, region and country of a position that the browser gave; asked once for each. One that throws or is
   * slow costs its time limit and no report. Default: none, the coordinates go alone.
   *
   * @example
   * ```ts
   * reverseGeocode: async (coordinates, { signal }) =>
   *   (await fetch('/place', { method: 'POST', body: JSON.stringify(coordinates), signal })).json() // never in an address: those are logged
   * ```
   */
  reverseGeocode?: ReverseGeocode | undefined;
  /** Milliseconds for `reverseGeocode`. Default: 1,500. */
  reverseGeocodeTimeoutMs?: number | undefined;
  /** Browser geolocation. */
  browser?: BrowserGeolocationOptions | undefined;
  /** IP lookup through third-party services. */
  ip?: IpLookupOptions | undefined;
  /** What is sent as `source`. Default: `gps`, `ip`, `client_ip`, `provided` (our decision: the specification names no values). */
  sourceNames?: Partial<SourceNames> | undefined;
}

/** How often, and after what waits, a call is tried again: exponential waits with full jitter. */
export interface RetryOptions {
  /** How many attempts may follow the first; 0 means one attempt. Default: 2. */
  limit?: number | undefined;
  /** The first wait at most, in milliseconds; each next one doubles. Default: 500. */
  baseMs?: number | undefined;
  /** The longest wait, in milliseconds. Default: 8,000. */
  capMs?: number | undefined;
}

/** What `createClient` and `configure` take. All of it is optional; an environment must be set up to be used. */
export interface ClientOptions<Mode extends ValidationMode = 'strict'> {
  /** Where calls go that do not say so themselves (specification, section 1). Default: `'staging'`. */
  environment?: Environment | undefined;
  /** Where each environment's reports go. */
  gateways?:
    | {
        /** The gateway for tests: its address and key. Default: `LOCATION_SDK_STAGING_BASE_URL` and `LOCATION_SDK_STAGING_API_KEY`. */
        staging?: GatewayOptions | undefined;
        /** The gateway that counts: its address and key. Default: `LOCATION_SDK_PRODUCTION_BASE_URL` and `LOCATION_SDK_PRODUCTION_API_KEY`. */
        production?: GatewayOptions | undefined;
      }
    | undefined;
  /**
   * In a page, instead of `gateways`: the address of your backend's relay, which holds the key, adds who the player is and
   * reports. `https:` is required, but for loopback hosts; in a page an address such as `/location-sdk` is the page's own
   * host's. The environment is the relay's, and so is the lookup of addresses: of `location`, only the browser's
   * geolocation is used, and an event goes without where there is none. Default: none.
   *
   * @example
   * ```ts
   * const client = createClient({ relayUrl: '/relay' });
   * await client.reportBetEvent({ bet_id: 'B-1', amount: 1500 });
   * ```
   */
  relayUrl?: string | undefined;
  /** In a page: whether its cookies go to the relay; `'include'` is for a relay on another origin. Default: `'same-origin'`. */
  relayCredentials?: RelayCredentials | undefined;
  /** Paths below `/integration-gateway/external/`, by function; for a gateway whose paths differ. */
  paths?: { readonly [Name in OperationName]?: string | undefined } | undefined;
  /** Which fields are required: all that the specification lists, or the identifiers only. Default: `'strict'`. */
  validation?: Mode | undefined;
  /**
   * The most decimals that an amount may have; one with more is refused, such as 0.1 + 0.2. The specification names no unit: ask the
   * authority whether it wants naira (2) or kobo (0). Default: undefined, any number.
   */
  maxDecimals?: number | undefined;
  /** How a location is found where the caller passes none. */
  location?: LocationOptions | undefined;
  /** Attempts after a failure that may pass. */
  retry?: RetryOptions | undefined;
  /** The longest `Retry-After` that is waited for, in milliseconds; a longer one ends the call. Default: 30,000. */
  maxRetryAfterMs?: number | undefined;
  /** Milliseconds for one attempt, answer included. Default: 10,000. */
  attemptTimeoutMs?: number | undefined;
  /** Milliseconds for a whole call, location and retries included. Default: 60,000. */
  timeoutMs?: number | undefined;
  /** Whether a 2xx answer means that the report is recorded. Default: its body is JSON or empty and reports no error. */
  isRecorded?: ((answer: Answer) => boolean) | undefined;
  /** Whether a refusal means that the gateway holds the report already. Default: 409, or 400 or 422 that say so. */
  isDuplicate?: ((answer: Answer) => 'same' | 'conflict' | false) | undefined;
  /** Allows `http:` for the staging gateway, for a container network. Default: false. */
  allowInsecureHttp?: boolean | undefined;
  /** Allows an API key in a page, where every visitor can read it. Default: false. */
  allowApiKeyInBrowser?: boolean | undefined;
  /**
   * Headers of each request that reports, for a gateway behind another one: an object, or a function that is asked on every request. Those that this package
   * sets itself, such as `x-api-key` and `content-type`, are refused. No value is logged. Default: none.
   *
   * @example
   * ```ts
   * createClient({ headers: async () => ({ authorization: `Bearer ${await tokens.current()}` }) });
   * ```
   */
  headers?: HeadersOption | undefined;
  /** Where log lines go; none holds a secret. Default: the console. */
  logger?: Logger | undefined;
  /**
   * The least that is logged. At `'debug'` each attempt, its end with the gateway's id of the request, and each wait have a line. Default: `'warn'`; with a
   * `logger` of your own `'debug'`, since it has a level itself.
   */
  logLevel?: LogLevel | undefined;
  /**
   * Sends the reports, such as `nodeTransport()` of `location-sdk/transport/node`. Default: ky over the platform's `fetch`, or your own
   * `fetch` where you pass one.
   */
  transport?: Transport | undefined;
  /** Your own `fetch`, for reports and lookup services; called with an address and an init. Default: the platform's `fetch`. */
  fetch?: Fetch | undefined;
  /**
   * Told when the browser is asked for the position and when it answers, of every step of the location chain, and of every attempt:
   * to show it, or for metrics. No event holds personal data. Default: none.
   *
   * @example
   * ```ts
   * createClient({
   *   onEvent(event) {
   *     if (event.type === 'location-asked') hint.hidden = event.permission !== 'prompt'; // "Please answer the question above"
   *     if (event.type === 'location-answered') hint.hidden = true;
   *   },
   * });
   * ```
   */
  onEvent?: ((event: ClientEvent) => void) | undefined;
  /** Default: the browser's `navigator.geolocation`. */
  geolocation?: GeolocationLike | undefined;
  /** Default: the system's clock. */
  clock?: Clock | undefined;
  /** A number from 0 up to 1, for the jitter of retries. Default: `Math.random`. */
  random?: (() => number) | undefined;
}

/** What `createClient` takes in a page whose reports go through a relay. */
export type RelayedOptions = ClientOptions<ValidationMode> & {
  /** The address of your backend's relay, such as `/relay`. */
  relayUrl: string;
};

/** What every call takes beside its payload. */
export interface CallOptions {
  /** Where this call goes; not with a relay, whose environment is its own. Default: the client's `environment`. */
  environment?: Environment | undefined;
  /** On a server: the player's address, to find the location by. One address, without a port. */
  clientIP?: string | undefined;
  /** The player's location, where the caller knows it. */
  location?: LocationInput | undefined;
  /** Ends the call. What was on its way may still arrive: the outcome is then `'unknown'`. */
  signal?: AbortSignalLike | undefined;
  /** Milliseconds for the whole call. Default: the client's `timeoutMs`. */
  timeoutMs?: number | undefined;
  /** Headers beside those of the client, whose values they replace. */
  headers?: HeadersOption | undefined;
}
