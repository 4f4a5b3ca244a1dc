import type { RelayCredentials } from '../delivery/settings.js';
import type { Transport } from '../delivery/transport.js';
import type { Environment } from '../errors/errors.js';
import type { GeolocationLike } from '../location/page/page.js';
import { locationTable } from '../location/settings.js';
import { consoleLogger, type Logger } from '../platform/logger.js';
import { type Clock, systemClock } from '../platform/time.js';
import type { Fetch } from '../platform/web-types.js';
import { type OperationName, operationNames, operations } from '../protocol/operations.js';
import { LONGEST_REFERENCE } from '../schema/fields.js';
import type { HeadersOption } from '../schema/headers.js';
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
const isKey = must(
  'a string, or a function that returns one',
  (value) => typeof value === 'string' || typeof value === 'function',
);
const gateway = { baseUrl: optional<string>(isWord), apiKey: optional<GatewayOptions['apiKey']>(isKey) };
const environment = oneOf('staging', 'production');

/** `ClientOptions` documents them. */
export const optionTable = {
  environment: option<Environment>(environment, 'staging'),
  gateways: { staging: gateway, production: gateway },
  relayUrl: optional<string>(isWord),
  relayCredentials: option<RelayCredentials>(oneOf('same-origin', 'include', 'omit'), 'same-origin'),
  paths: Object.fromEntries(
    operationNames.map((name) => [name, option<string>(isPath, operations[name].path)]),
  ) as Record<OperationName, Option<string>>,
  validation: option<ValidationMode>(oneOf('strict', 'partial'), 'strict'),
  maxDecimals: optional<number>(wholeNumber(0)),
  maxReferenceLength: option(wholeNumber(1, LONGEST_REFERENCE), 255),
  location: locationTable,
  retry: { limit: option(wholeNumber(0), 2), baseMs: option(isDuration, 500), capMs: option(isDuration, 8_000) },
  maxRetryAfterMs: option(isDuration, 30_000),
  attemptTimeoutMs: option(isLimit, 10_000),
  timeoutMs: option(isLimit, 60_000),
  isRecorded: optional<ClientOptions['isRecorded']>(isFunction),
  isDuplicate: optional<ClientOptions['isDuplicate']>(isFunction),
  allowInsecureHttp: option(isFlag, false),
  allowApiKeyInBrowser: option(isFlag, false),
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
