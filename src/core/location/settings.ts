import { asRecord } from '../platform/as-record.js';
import type { Clock } from '../platform/time.js';
import type { Fetch } from '../platform/web-types.js';
import { type LocationInput, locationInput } from '../schema/location.js';
import {
  type CompleteOptions,
  isDuration,
  isFlag,
  isLimit,
  isWord,
  must,
  option,
  optional,
  wholeNumber,
} from '../schema/option-rules.js';
import { BROWSER_TIMEOUT_MS, CHAIN_TIMEOUT_MS, DENIAL_MEMORY_MS, GPS, MAXIMUM_AGE_MS } from './defaults.js';
import type { IpProvider } from './lookup/provider.js';
import type { GeolocationEvent, GeolocationLike, PageScope } from './page/page.js';

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

const areProviders = must(
  'a list of { name, lookup }',
  (value) =>
    Array.isArray(value) &&
    value.every((one) => typeof asRecord(one).lookup === 'function' && typeof asRecord(one).name === 'string'),
);

/** `LocationOptions` documents them. */
export const locationTable = {
  required: option(isFlag, true),
  fixed: optional<LocationInput>(locationInput),
  timeoutMs: option(isLimit, CHAIN_TIMEOUT_MS),
  browser: {
    enabled: option(isFlag, true),
    highAccuracy: option(isFlag, true),
    timeoutMs: option(isLimit, BROWSER_TIMEOUT_MS),
    maximumAgeMs: option(isDuration, MAXIMUM_AGE_MS),
    denialMemoryMs: option(isDuration, DENIAL_MEMORY_MS),
  },
  ip: {
    enabled: option(isFlag, true),
    providers: optional<readonly IpProvider[]>(areProviders),
    timeoutMs: option(isLimit, 4_000),
    restMs: option(isDuration, 60_000),
    cacheMs: option(isDuration, 300_000),
    cacheSize: option(wholeNumber(0), 10_000),
  },
  sourceNames: {
    gps: option(isWord, GPS),
    ip: option(isWord, 'ip'),
    client_ip: option(isWord, 'client_ip'),
    provided: option(isWord, 'provided'),
  },
};

export type LocationSettings = Omit<CompleteOptions<typeof locationTable>, 'fixed'>;

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
