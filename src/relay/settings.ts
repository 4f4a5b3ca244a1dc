import { ConfigurationError } from '../errors/errors.js';
import { clientIpFrom } from '../location/server/client-ip-from.js';
import { asRecord } from '../platform/as-record.js';
import type { Logger } from '../platform/logger.js';
import { safeLogger } from '../platform/safe-callback.js';
import { LONGEST_TIMER_MS, systemClock } from '../platform/time.js';
import { issue, printableKey, type ValidationIssue } from '../schema/issue.js';
import { suggest } from '../schema/suggest.js';
import { listIssues } from '../schema/validate.js';
import type { RelayOptions, RelayPlayer } from './options.js';
import { originProblem } from './origin.js';

type Checked = Required<Pick<RelayOptions, 'clock' | 'gpsSource' | 'maxBodyBytes' | 'bodyTimeoutMs' | 'hookTimeoutMs' | 'timeoutMs'>>;

/** The options, checked and completed once. */
export interface RelaySettings<Player extends RelayPlayer>
  extends Omit<RelayOptions<Player>, 'allowedOrigins' | 'allowedHeaders' | 'logger' | keyof Checked>,
    Readonly<{ [Name in keyof Checked]: NonNullable<Checked[Name]> }> {
  readonly allowedOrigins: ReadonlySet<string>;
  readonly allowedHeaders: readonly string[];
  readonly logger: Required<Logger>;
}

const DEFAULTS = { gpsSource: 'gps', maxBodyBytes: 65_536, bodyTimeoutMs: 10_000, hookTimeoutMs: 10_000, timeoutMs: 60_000, clock: systemClock } as const;

const CONSOLE: Logger = {
  warn: (message) => console.warn(`location-sdk relay: ${message}`),
  error: (message) => console.warn(`location-sdk relay: ${message}`),
};

type Check = (value: unknown) => string | undefined;

const must =
  (words: string, holds: (value: unknown) => boolean): Check =>
  (value) =>
    holds(value) ? undefined : `expected ${words}`;
const isFunction = must('a function', (value) => typeof value === 'function');
const hasMethods = (...names: string[]) =>
  must(`an object with ${names.join(', ')}`, (value) => names.every((name) => typeof asRecord(value)[name] === 'function'));
const isWithin = (most: number, unit: string) =>
  must(`a whole number of ${unit} from 1 to ${most}`, (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most);
const isTime = isWithin(LONGEST_TIMER_MS, 'milliseconds');
const isList =
  (problem: (one: unknown) => string | undefined): Check =>
  (value) => {
    if (!Array.isArray(value)) return 'expected a list';
    return value.map(problem).find((found) => found !== undefined);
  };

/** What each option must be. */
const CHECKS: { readonly [Name in keyof Required<RelayOptions>]: Check } = {
  client: hasMethods('reportBetEvent', 'reportWithdrawalEvent'),
  authorize: isFunction,
  complete: isFunction,
  limit: isFunction,
  onReceipt: isFunction,
  onError: isFunction,
  environment: must("'staging' or 'production'", (value) => value === 'staging' || value === 'production'),
  trustedProxies: (value) => {
    try {
      clientIpFrom({ headers: new Headers() }, { trustedProxies: value as RelayOptions['trustedProxies'] });
      return undefined;
    } catch (error) {
      return (error as Partial<ConfigurationError & { issues: ValidationIssue[] }>).issues?.map(({ message }) => message).join('; ') ?? 'cannot be used';
    }
  },
  allowedOrigins: isList(originProblem),
  allowedHeaders: isList(must('names of headers', (value) => typeof value === 'string' && /^[\w-]+$/.test(value))),
  gpsSource: must('a string that is not empty or blank', (value) => typeof value === 'string' && value.trim() !== ''),
  maxBodyBytes: isWithin(16 * 1024 * 1024, 'bytes'),
  bodyTimeoutMs: isTime,
  hookTimeoutMs: isTime,
  timeoutMs: isTime,
  logger: must('an object', (value) => asRecord(value) === value),
  clock: hasMethods('now', 'setTimeout', 'clearTimeout'),
};

const isRequired = (name: string) => name === 'client' || name === 'authorize';

/** Checks the options and completes them; throws a `ConfigurationError` that lists everything that is wrong. */
export function readSettings<Player extends RelayPlayer>(options: RelayOptions<Player>): RelaySettings<Player> {
  const given = asRecord(options);
  const names = Object.keys(CHECKS);
  const issues: ValidationIssue[] = Object.keys(given)
    .filter((name) => !names.includes(name))
    .map((name) => {
      const nearest = suggest(name, names);
      return issue([name], 'unknown-field', `unknown option ${printableKey(name)}; ${nearest ? `did you mean ${nearest}?` : 'remove it'}`);
    });
  for (const [name, check] of Object.entries(CHECKS)) {
    const missing = given[name] === undefined;
    const problem = missing && !isRequired(name) ? undefined : check(given[name]);
    if (problem) issues.push(issue([name], missing ? 'missing' : 'invalid', problem));
  }
  if (issues.length > 0) throw new ConfigurationError(`The relay's options cannot be used: ${listIssues(issues)}`, { operation: 'createRelay', issues });
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as unknown as RelayOptions<Player>;
  return Object.freeze({
    ...DEFAULTS,
    ...set,
    // Two that the types of a spread leave open.
    client: options.client,
    authorize: options.authorize,
    allowedOrigins: new Set(options.allowedOrigins ?? []),
    allowedHeaders: (options.allowedHeaders ?? []).map((name) => name.toLowerCase()),
    logger: safeLogger(options.logger ?? CONSOLE),
  }) as RelaySettings<Player>;
}
