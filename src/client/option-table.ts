import type { RelayCredentials } from '../delivery/settings.js';
import type { Transport } from '../delivery/transport.js';
import type { Environment } from '../errors/errors.js';
import type { IpProvider } from '../location/lookup/provider.js';
import type { GeolocationLike } from '../location/page/page.js';
import type { ReverseGeocode } from '../location/page/reverse-geocode.js';
import { asRecord } from '../platform/as-record.js';
import { consoleLogger, type Logger } from '../platform/logger.js';
import { type Clock, systemClock } from '../platform/time.js';
import type { Fetch } from '../platform/web-types.js';
import { type OperationName, operationNames, operations } from '../protocol/operations.js';
import { LONGEST_REFERENCE } from '../schema/fields.js';
import type { HeadersOption } from '../schema/headers.js';
import { type LocationInput, locationInput } from '../schema/location.js';
import { type Model, model, type ValidationMode } from '../schema/model.js';
import {
  having,
  isAnything,
  isClock,
  isDuration,
  isFlag,
  isFunction,
  isLimit,
  isObject,
  isString,
  isWord,
  must,
  type Option,
  oneOf,
  option,
  optional,
  wholeNumber,
} from '../schema/option-rules.js';
import type { ClientOptions, GatewayOptions } from './options.js';

const isPath = must(
  'a path of letters, digits, hyphens and slashes',
  (value) => typeof value === 'string' && /^\/?[\w-]+(\/[\w-]+)*$/.test(value),
);
const isCount = wholeNumber(0);
const isKey = must(
  'a string, or a function that returns one',
  (value) => typeof value === 'string' || typeof value === 'function',
);
const areProviders = must(
  'a list of { name, lookup }',
  (value) =>
    Array.isArray(value) &&
    value.every((one) => typeof asRecord(one).lookup === 'function' && typeof asRecord(one).name === 'string'),
);

const durationOption = (standard: number) => option(isDuration, standard);
const limit = (standard: number) => option(isLimit, standard);
const flag = (standard: boolean) => option(isFlag, standard);
const word = (standard: string) => option(isWord, standard);

const gateway = { baseUrl: optional<string>(isWord), apiKey: optional<GatewayOptions['apiKey']>(isKey) };
const environment = oneOf('staging', 'production');

/** All options of a client with their defaults. `ClientOptions` documents them. */
export const optionTable = {
  environment: option<Environment>(environment, 'staging'),
  gateways: { staging: gateway, production: gateway },
  relayUrl: optional<string>(isWord),
  relayCredentials: option<RelayCredentials>(oneOf('same-origin', 'include', 'omit'), 'same-origin'),
  paths: Object.fromEntries(
    operationNames.map((name) => [name, option<string>(isPath, operations[name].path)]),
  ) as Record<OperationName, Option<string>>,
  validation: option<ValidationMode>(oneOf('strict', 'partial'), 'strict'),
  maxDecimals: optional<number>(isCount),
  maxReferenceLength: option(wholeNumber(1, LONGEST_REFERENCE), 255),
  location: {
    required: flag(true),
    fixed: optional<LocationInput>(locationInput),
    timeoutMs: limit(20_000),
    reverseGeocode: optional<ReverseGeocode>(isFunction),
    reverseGeocodeTimeoutMs: limit(1_500),
    browser: {
      enabled: flag(true),
      highAccuracy: flag(true),
      timeoutMs: limit(10_000),
      maximumAgeMs: durationOption(60_000),
      denialMemoryMs: durationOption(60_000),
    },
    ip: {
      enabled: flag(true),
      providers: optional<readonly IpProvider[]>(areProviders),
      timeoutMs: limit(4_000),
      restMs: durationOption(60_000),
      cacheMs: durationOption(300_000),
      cacheSize: option(isCount, 10_000),
    },
    sourceNames: { gps: word('gps'), ip: word('ip'), client_ip: word('client_ip'), provided: word('provided') },
  },
  retry: { limit: option(isCount, 2), baseMs: durationOption(500), capMs: durationOption(8_000) },
  maxRetryAfterMs: durationOption(30_000),
  attemptTimeoutMs: limit(10_000),
  timeoutMs: limit(60_000),
  isRecorded: optional<ClientOptions['isRecorded']>(isFunction),
  isDuplicate: optional<ClientOptions['isDuplicate']>(isFunction),
  allowInsecureHttp: flag(false),
  allowApiKeyInBrowser: flag(false),
  headers: optional<HeadersOption>(isAnything),
  logger: option<Logger>(isObject, consoleLogger('location-sdk')),
  transport: optional<Transport>(having('send')),
  fetch: option<Fetch>(isFunction, (url, init) => globalThis.fetch(url, init)),
  onEvent: optional<ClientOptions['onEvent']>(isFunction),
  geolocation: optional<GeolocationLike>(having('getCurrentPosition')),
  clock: option<Clock>(isClock, systemClock),
  random: option(isFunction, () => Math.random()),
};

/** The options of a call except `location`, which has its own model. */
export const callOptions: Model = model(
  {},
  { environment, clientIP: isString, signal: having('addEventListener', 'removeEventListener'), timeoutMs: isLimit },
);
