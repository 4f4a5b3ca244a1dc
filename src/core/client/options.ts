import type { Answer, AttemptEvent, RelayCredentials } from '../delivery/settings.js';
import type { Transport } from '../delivery/transport.js';
import type { Environment, LocationFailure } from '../errors/errors.js';
import type { IpProvider } from '../location/lookup/provider.js';
import type { GeolocationEvent, GeolocationLike } from '../location/page/page.js';
import type { SourceNames } from '../location/settings.js';
import type { Logger } from '../platform/logger.js';
import type { Clock } from '../platform/time.js';
import type { AbortSignalLike, Fetch } from '../platform/web-types.js';
import type { OperationName } from '../protocol/operations.js';
import type { HeadersOption } from '../schema/headers.js';
import type { LocationInput } from '../schema/location.js';
import type { ValidationMode } from '../schema/model.js';

/** The gateway of one environment. In Node.js, missing options are read from the environment variables named below. */
export interface GatewayOptions {
  /**
   * The gateway's address; `/integration-gateway/external` is added. `https:` is required except for loopback hosts.
   * `LOCATION_SDK_STAGING_BASE_URL`, `LOCATION_SDK_PRODUCTION_BASE_URL`.
   */
  baseUrl?: string | undefined;
  /**
   * The operator's key (specification, section 5), or a function that returns it. The function is called for every
   * request, so that the key can be rotated. `LOCATION_SDK_STAGING_API_KEY`, `LOCATION_SDK_PRODUCTION_API_KEY`.
   */
  apiKey?: string | (() => string | Promise<string>) | undefined;
}

/** The browser's geolocation in a page. */
interface BrowserGeolocationOptions {
  /** `false`: the browser is not asked. Default: true. */
  enabled?: boolean | undefined;
  /** Asks for the device's best position, and then for a less accurate one. Default: true. */
  highAccuracy?: boolean | undefined;
  /** The limit, in milliseconds, including the time in which the player decides. Default: 10,000. */
  timeoutMs?: number | undefined;
  /**
   * The greatest age of a position that may be used again, in milliseconds. 0: always a new position. Default: 60,000.
   */
  maximumAgeMs?: number | undefined;
  /**
   * How long the browser is not asked again after a refusal or no answer, in milliseconds, unless it reports that the
   * player now grants permission. Default: 60,000.
   */
  denialMemoryMs?: number | undefined;
}

/** The lookup of IP addresses. */
interface IpLookupOptions {
  /** `false`: no service is asked. Default: true. */
  enabled?: boolean | undefined;
  /** The services, in the order in which they are asked. Default: GeoJS, ipapi.co, freeipapi. */
  providers?: readonly IpProvider[] | undefined;
  /** The limit for each service, in milliseconds. Default: 4,000. */
  timeoutMs?: number | undefined;
  /**
   * How long a service is left out after it answers 429 or 403, in milliseconds, unless its `Retry-After` says
   * otherwise. Default: 60,000; 0 for no pause.
   */
  restMs?: number | undefined;
  /**
   * How long an answer is used again for the same address, in milliseconds. A page that changes its network keeps its
   * old location for that long. Default: 300,000; 0 disables the cache.
   */
  cacheMs?: number | undefined;
  /** The most addresses that are kept, in memory only. Default: 10,000. */
  cacheSize?: number | undefined;
}

/** How a location is found if the caller passes none (specification, section 1). */
export interface LocationOptions {
  /**
   * `false` sends an event without a location if none is found. In a page with `relayUrl` it has no effect: set it in
   * the relay's client. Default: true, the call rejects with a `LocationError`.
   */
  required?: boolean | undefined;
  /** Replaces the whole chain; see `fixedLocation`. */
  fixed?: LocationInput | undefined;
  /** The limit for the whole chain, in milliseconds. Default: 20,000. */
  timeoutMs?: number | undefined;
  /** Browser geolocation. */
  browser?: BrowserGeolocationOptions | undefined;
  /** IP lookup through third-party services. */
  ip?: IpLookupOptions | undefined;
  /** The value of `source` for each way to find a location. Default: `gps`, `ip`, `client_ip`, `provided`. */
  sourceNames?: Partial<SourceNames> | undefined;
}

/** How often a call is retried, and after which waits: exponential backoff with full jitter. */
export interface RetryOptions {
  /** The most attempts after the first. 0 means one attempt. Default: 2. */
  limit?: number | undefined;
  /** The longest first wait, in milliseconds. It doubles with each wait. Default: 500. */
  baseMs?: number | undefined;
  /** The longest wait of its own, in milliseconds. Default: 8,000. */
  capMs?: number | undefined;
}

/** The options of `createClient` and `configure`. All are optional; an environment must be set up to be used. */
export interface ClientOptions<Mode extends ValidationMode = 'strict'> {
  /**
   * The environment of calls that do not name one (specification, section 1). Default: `LOCATION_SDK_ENVIRONMENT` in
   * Node.js, else `'staging'`.
   */
  environment?: Environment | undefined;
  /** The gateway of each environment. */
  gateways?:
    | {
        /**
         * The gateway for tests: its address and key. Default: `LOCATION_SDK_STAGING_BASE_URL` and
         * `LOCATION_SDK_STAGING_API_KEY`.
         */
        staging?: GatewayOptions | undefined;
        /**
         * The gateway for real reports: its address and key. Default: `LOCATION_SDK_PRODUCTION_BASE_URL` and
         * `LOCATION_SDK_PRODUCTION_API_KEY`.
         */
        production?: GatewayOptions | undefined;
      }
    | undefined;
  /**
   * In a page, instead of `gateways`: the address of your backend's relay, such as `/relay`. `https:` is required
   * except for loopback hosts. Default: none.
   *
   * @example
   * ```ts
   * const client = createClient({ relayUrl: '/relay' });
   * await client.reportBetEvent({ bet_id: 'B-1', amount: 1500 });
   * ```
   */
  relayUrl?: string | undefined;
  /**
   * In a page: whether its cookies are sent to the relay. `'include'` is for a relay on another origin. Default:
   * `'same-origin'`.
   */
  relayCredentials?: RelayCredentials | undefined;
  /** Paths below `/integration-gateway/external/`, by function; for a gateway whose paths differ. */
  paths?: { readonly [Name in OperationName]?: string | undefined } | undefined;
  /** Which fields are required: all that the specification lists, or the identifiers only. Default: `'strict'`. */
  validation?: Mode | undefined;
  /** The most decimals of amounts and of `ur`: 0.1 + 0.2 has 17. Default: undefined, any number. */
  maxDecimals?: number | undefined;
  /** The most characters (UTF-16 code units) of a `bet_id` or `request_id`: from 1 to 800. Default: 255. */
  maxReferenceLength?: number | undefined;
  /** How a location is found if the caller passes none. */
  location?: LocationOptions | undefined;
  /** Retries after a transient failure. */
  retry?: RetryOptions | undefined;
  /** The longest `Retry-After` that a call waits for, in milliseconds. A longer one ends the call. Default: 30,000. */
  maxRetryAfterMs?: number | undefined;
  /** The limit for one attempt, including the answer, in milliseconds. Default: 10,000. */
  attemptTimeoutMs?: number | undefined;
  /** The limit for a whole call, including location and retries, in milliseconds. Default: 60,000. */
  timeoutMs?: number | undefined;
  /**
   * Decides whether a 2xx answer means that the report is recorded. Default: its body is JSON or empty, and nothing in
   * it says that it failed.
   */
  isRecorded?: ((answer: Answer) => boolean) | undefined;
  /**
   * Decides whether an answer that does not say "recorded" means that the gateway already has the report. Default: a
   * 409, 400, 422 or failed 2xx whose words say so.
   */
  isDuplicate?: ((answer: Answer) => 'same' | 'conflict' | false) | undefined;
  /** Allows `http:` for the staging gateway, for a container network. Default: false. */
  allowInsecureHttp?: boolean | undefined;
  /** Allows an API key in a page, where every visitor can read it. Default: false. */
  allowApiKeyInBrowser?: boolean | undefined;
  /**
   * Headers of each request that reports, for a gateway behind another one: an object, or a function that is called for
   * every request. Errors and log lines show none of their values but an id, such as `x-request-id`. Default: none.
   *
   * @example
   * ```ts
   * createClient({ headers: async () => ({ authorization: `Bearer ${await tokens.current()}` }) });
   * ```
   */
  headers?: HeadersOption | undefined;
  /**
   * Receives the log lines, which contain no secret. `debug` gets a line for each attempt, result and wait:
   * `logger: console` prints everything. Default: warnings and errors to the console.
   */
  logger?: Logger | undefined;
  /** Sends the reports, for example `nodeTransport()` of `location-sdk/transport/node`. Default: ky over `fetch`. */
  transport?: Transport | undefined;
  /** Your own `fetch`, for reports and lookup services. Default: the platform's `fetch`. */
  fetch?: Fetch | undefined;
  /**
   * Called with each event of the location search and of the attempts. No event contains personal data. Default: none.
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

/** The options of `createClient` in a page whose reports go through a relay. */
export type RelayedOptions = ClientOptions<ValidationMode> & {
  /** The address of your backend's relay, for example `/relay`. */
  relayUrl: string;
};

/** The options of a client in a page: without those of a client that reaches the gateway itself. */
export type PageOptions = Omit<
  RelayedOptions,
  'allowApiKeyInBrowser' | 'allowInsecureHttp' | 'environment' | 'gateways' | 'isDuplicate' | 'isRecorded' | 'paths'
>;

/** The options of every call. */
export interface CallOptions {
  /** The environment of this call. Not with a relay, which has its own. Default: the client's `environment`. */
  environment?: Environment | undefined;
  /** On a server: the player's public address, from which the location is found, without a port. */
  clientIP?: string | undefined;
  /** The player's location, if the caller has it. */
  location?: LocationInput | undefined;
  /** Cancels the call. If a request may have arrived, the outcome is `'unknown'`. */
  signal?: AbortSignalLike | undefined;
  /** The limit for the whole call, in milliseconds. Default: the client's `timeoutMs`. */
  timeoutMs?: number | undefined;
}

/** A step of the location chain has ended. */
interface LocationStepEvent {
  /** The type of the event. */
  readonly type: 'location-step';
  /** The operation that needed the location: a function's name. */
  readonly operation: string;
  /** Undefined with a relay, which has its own environment. */
  readonly environment: Environment | undefined;
  /** `'browser-geolocation'`, `'client-ip'`, `'ip-lookup'`, or the name of the lookup service. */
  readonly step: string;
  /** How long the step took, in milliseconds. */
  readonly durationMs: number;
  /** Why the step failed. Undefined if it succeeded. */
  readonly reason: LocationFailure | undefined;
}

/**
 * The events that the option `onEvent` receives; `type` identifies the event. None contains a secret, a coordinate or
 * personal data.
 */
export type ClientEvent = LocationStepEvent | GeolocationEvent | AttemptEvent;
