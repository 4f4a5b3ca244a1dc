import * as z from 'zod/mini';
import { operationNames } from './operations.js';
import type { Field } from './schema/fields.js';
import { locationInput } from './schema/location.js';
import { model } from './schema/model.js';
import { LONGEST_TIMER_MS } from './time.js';

/** What `ClientOptions` and `CallOptions` must look like; the same machinery as for payloads, so the same messages. */

const from = (least: number) => {
  const expected = `a number of milliseconds from ${least} to ${LONGEST_TIMER_MS}`;
  return z.number(expected).check(z.refine((value) => value >= least && value <= LONGEST_TIMER_MS, expected));
};
const duration = from(0);
/** Every wait has a limit, so there is no "none". */
const limit = from(1);

const count = z.number('a whole number from 0').check(z.refine((value) => Number.isInteger(value) && value >= 0, 'a whole number from 0'));
const flag = z.boolean('true or false');
const word = z.string('a string').check(z.refine((value) => value.trim() !== '', 'a string that is not empty or blank'));
const method = z.custom((value) => typeof value === 'function', 'a function');
const environment = z.enum(['staging', 'production'], "'staging' or 'production'");

const members = (value: unknown) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {});

const having = (...methods: string[]) =>
  z.custom((value) => methods.every((name) => typeof members(value)[name] === 'function'), `an object with ${methods.join(', ')}`);

const provider = z.custom((value) => typeof members(value).name === 'string' && typeof members(value).lookup === 'function', 'a provider: { name, lookup }');

/** What the key holds is checked in `config.ts`, together with the one of the environment variables. */
const apiKey = z.custom((value) => typeof value === 'string' || typeof value === 'function', 'a string, or a function that returns one');

const PATH = 'a path of letters, digits, hyphens and slashes';
const path = z.string(PATH).check(z.refine((value) => /^\/?[\w-]+(?:\/[\w-]+)*$/.test(value), PATH));

const optional = <F extends Record<string, Field | ReturnType<typeof model>>>(fields: F) => model({}, fields);

const gateway = optional({ baseUrl: word, apiKey });

export const clientOptions = optional({
  environment,
  gateways: optional({ staging: gateway, production: gateway }),
  paths: optional(Object.fromEntries(operationNames.map((name) => [name, path]))),
  validation: z.enum(['strict', 'partial'], "'strict' or 'partial'"),
  location: optional({
    required: flag,
    fixed: locationInput,
    timeoutMs: limit,
    browser: optional({ enabled: flag, highAccuracy: flag, timeoutMs: limit, maximumAgeMs: duration }),
    ip: optional({ enabled: flag, providers: z.array(provider, 'a list of providers'), timeoutMs: limit }),
    sourceNames: optional({ gps: word, ip: word, client_ip: word, provided: word }),
  }),
  retry: optional({ limit: count, baseMs: duration, capMs: duration }),
  maxRetryAfterMs: duration,
  attemptTimeoutMs: limit,
  timeoutMs: limit,
  isRecorded: method,
  isDuplicate: method,
  allowInsecureHttp: flag,
  allowApiKeyInBrowser: flag,
  logger: z.custom((value) => typeof value === 'object' && value !== null, 'an object with functions named debug, info, warn or error'),
  fetch: method,
  geolocation: having('getCurrentPosition'),
  clock: having('now', 'setTimeout', 'clearTimeout'),
  random: method,
});

/** But for `location`, which is checked by its own model. */
export const callOptions = optional({
  environment,
  clientIP: word,
  signal: having('addEventListener', 'removeEventListener'),
  timeoutMs: limit,
});
