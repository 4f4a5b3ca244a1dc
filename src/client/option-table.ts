import * as z from 'zod/mini';
import type { RelayCredentials } from '../delivery/settings.js';
import type { Transport } from '../delivery/transport.js';
import type { Environment } from '../errors/errors.js';
import type { IpProvider } from '../location/lookup/provider.js';
import type { GeolocationLike } from '../location/page/geolocation-types.js';
import type { ReverseGeocode } from '../location/page/reverse-geocode.js';
import { asRecord } from '../platform/as-record.js';
import type { Logger } from '../platform/logger.js';
import { type Clock, LONGEST_TIMER_MS, systemClock } from '../platform/time.js';
import type { Fetch } from '../platform/web-types.js';
import { type OperationName, operationNames, operations } from '../protocol/operations.js';
import { type Field, text } from '../schema/fields.js';
import { type LocationInput, locationInput } from '../schema/location.js';
import { isModel, type Model, model, type ValidationMode } from '../schema/model.js';
import type { ClientOptions, GatewayOptions } from './options.js';

/** An option: what it must be, and what it is where it is left out. */
class Option<T> {
  constructor(
    readonly schema: Field | Model,
    readonly standard: T,
  ) {}
}

interface Table {
  readonly [name: string]: Option<unknown> | Table;
}

/** The options of a table with nothing left out. */
export type CompleteOptions<T> = { readonly [Name in keyof T]: T[Name] extends Option<infer Value> ? Value : CompleteOptions<T[Name]> };

const option = <T>(schema: Field | Model, standard: T) => new Option<T>(schema, standard);

/** What throws when it is read cannot be used. */
const isReadable = (check: () => boolean): boolean => {
  try {
    return check();
  } catch {
    return false;
  }
};

const having = (...methods: string[]) =>
  z.custom((value) => isReadable(() => methods.every((name) => typeof asRecord(value)[name] === 'function')), `an object with ${methods.join(', ')}`);

const milliseconds = (least: number) => {
  const expected = `a number of milliseconds from ${least} to ${LONGEST_TIMER_MS}`;
  return z.number(expected).check(z.refine((value) => value >= least && value <= LONGEST_TIMER_MS, expected));
};
const isDuration = milliseconds(0);
/** Every wait has a limit, so 0 does not mean "none". */
const isLimit = milliseconds(1);
const isFlag = z.boolean('true or false');
const isWord = text();
const isFunction = z.custom((value) => typeof value === 'function', 'a function');
const isPath = z.custom((value) => typeof value === 'string' && /^\/?[\w-]+(\/[\w-]+)*$/.test(value), 'a path of letters, digits, hyphens and slashes');
const isCount = z.custom((value) => Number.isInteger(value) && Number(value) >= 0, 'a whole number from 0');
const oneOf = (...words: string[]) => z.custom((value) => words.includes(value as string), words.map((word) => `'${word}'`).join(' or '));
const isKey = z.custom((value) => typeof value === 'string' || typeof value === 'function', 'a string, or a function that returns one');
const isObject = z.custom((value) => asRecord(value) === value, 'an object');
const areProviders = z.custom(
  (value) => Array.isArray(value) && value.every((one) => typeof asRecord(one).lookup === 'function' && typeof asRecord(one).name === 'string'),
  'a list of { name, lookup }',
);

const duration = (standard: number) => option(isDuration, standard);
const limit = (standard: number) => option(isLimit, standard);
const flag = (standard: boolean) => option(isFlag, standard);
const word = (standard: string) => option(isWord, standard);

const gateway = { baseUrl: option<string | undefined>(isWord, undefined), apiKey: option<GatewayOptions['apiKey']>(isKey, undefined) };
const environment = oneOf('staging', 'production');

/** Every option of a client and its default; `ClientOptions` says what they mean. */
export const optionTable = {
  environment: option<Environment>(environment, 'staging'),
  gateways: { staging: gateway, production: gateway },
  relayUrl: option<string | undefined>(isWord, undefined),
  relayCredentials: option<RelayCredentials>(oneOf('same-origin', 'include', 'omit'), 'same-origin'),
  paths: Object.fromEntries(operationNames.map((name) => [name, option<string>(isPath, operations[name].path)])) as Record<OperationName, Option<string>>,
  validation: option<ValidationMode>(oneOf('strict', 'partial'), 'strict'),
  location: {
    required: flag(true),
    fixed: option<LocationInput | undefined>(locationInput, undefined),
    timeoutMs: limit(20_000),
    reverseGeocode: option<ReverseGeocode | undefined>(isFunction, undefined),
    reverseGeocodeTimeoutMs: limit(1_500),
    browser: { enabled: flag(true), highAccuracy: flag(true), timeoutMs: limit(10_000), maximumAgeMs: duration(60_000), denialMemoryMs: duration(60_000) },
    ip: {
      enabled: flag(true),
      providers: option<readonly IpProvider[] | undefined>(areProviders, undefined),
      timeoutMs: limit(4_000),
      hedgeAfterMs: option<number | undefined>(isDuration, undefined),
      restMs: duration(60_000),
      cacheMs: duration(300_000),
      cacheSize: option(isCount, 10_000),
    },
    sourceNames: { gps: word('gps'), ip: word('ip'), client_ip: word('client_ip'), provided: word('provided') },
  },
  retry: { limit: option(isCount, 2), baseMs: duration(500), capMs: duration(8_000) },
  maxRetryAfterMs: duration(30_000),
  attemptTimeoutMs: limit(10_000),
  timeoutMs: limit(60_000),
  isRecorded: option<ClientOptions['isRecorded']>(isFunction, undefined),
  isDuplicate: option<ClientOptions['isDuplicate']>(isFunction, undefined),
  allowInsecureHttp: flag(false),
  allowApiKeyInBrowser: flag(false),
  logger: option<Logger>(isObject, { warn: (message) => console.warn(`location-sdk: ${message}`) }),
  transport: option<Transport | undefined>(having('send'), undefined),
  fetch: option<Fetch>(isFunction, (url, init) => globalThis.fetch(url, init)),
  onEvent: option<ClientOptions['onEvent']>(isFunction, undefined),
  geolocation: option<GeolocationLike | undefined>(having('getCurrentPosition'), undefined),
  clock: option<Clock>(having('now', 'setTimeout', 'clearTimeout'), systemClock),
  random: option(isFunction, () => Math.random()),
};

const modelOf = (table: Table): Model =>
  model({}, Object.fromEntries(Object.entries(table).map(([name, entry]) => [name, entry instanceof Option ? entry.schema : modelOf(entry)])));

export const clientOptions = modelOf(optionTable);

/** The options of a call, but for `location`, which has a model of its own. */
export const callOptions: Model = model(
  {},
  { environment, clientIP: z.string('a string'), signal: having('addEventListener', 'removeEventListener'), timeoutMs: isLimit },
);

/**
 * The options' own members, each read once: what some library put on the prototype of all objects is no option.
 * Throws what a getter throws.
 */
export function ownOptions(table: object, given: unknown): unknown {
  if (asRecord(given) !== given || Array.isArray(given)) return given;
  const own: Record<string, unknown> = Object.create(null);
  for (const name of Object.keys(given)) {
    const entry = Object.keys(table).includes(name) ? (table as Table)[name] : undefined;
    const value = (given as Record<string, unknown>)[name];
    const isData = entry instanceof Option && isModel(entry.schema);
    if (isData) own[name] = ownOptions({}, value);
    else own[name] = entry === undefined || entry instanceof Option ? value : ownOptions(entry, value);
  }
  return own;
}

/** What was given, completed by the table. */
export function complete<T>(table: T, given: unknown): CompleteOptions<T> {
  const entries = Object.entries(table as Table).map(([name, entry]) => {
    const value = Object.keys(asRecord(given)).includes(name) ? asRecord(given)[name] : undefined;
    return [name, entry instanceof Option ? (value ?? entry.standard) : complete(entry, value)];
  });
  return Object.fromEntries(entries) as CompleteOptions<T>;
}
