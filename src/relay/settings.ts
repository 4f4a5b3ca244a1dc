import { ConfigurationError, type Environment } from '../errors/errors.js';
import { readTrust, type TrustedProxies } from '../location/server/trusted-proxies.js';
import type { Logger } from '../platform/logger.js';
import { safeLogger } from '../platform/safe-callback.js';
import { type Clock, LONGEST_TIMER_MS, systemClock } from '../platform/time.js';
import { issue, type ValidationIssue } from '../schema/issue.js';
import {
  having,
  isAnything,
  isClock,
  isFunction,
  isObject,
  isWord,
  must,
  oneOf,
  option,
  optional,
  readOptions,
  required,
  wholeNumber,
} from '../schema/option-rules.js';
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

const CONSOLE: Logger = {
  warn: (message) => console.warn(`location-sdk relay: ${message}`),
  error: (message) => console.warn(`location-sdk relay: ${message}`),
};

const isTime = wholeNumber(1, LONGEST_TIMER_MS, 'milliseconds');
const isHeader = (value: unknown) => typeof value === 'string' && /^[\w-]+$/.test(value);

/** All options of a relay with their defaults. */
const optionTable = {
  client: required<unknown>(having('reportBetEvent', 'reportWithdrawalEvent')),
  authorize: required<unknown>(isFunction),
  complete: optional<unknown>(isFunction),
  limit: optional<unknown>(isFunction),
  onReceipt: optional<unknown>(isFunction),
  onError: optional<unknown>(isFunction),
  environment: optional<Environment>(oneOf('staging', 'production')),
  trustedProxies: optional<TrustedProxies>(isAnything),
  allowedOrigins: option<readonly string[]>(must('a list', Array.isArray), []),
  allowedHeaders: option<readonly string[]>(
    must('a list of names of headers', (value) => Array.isArray(value) && value.every(isHeader)),
    [],
  ),
  gpsSource: option(isWord, 'gps'),
  maxBodyBytes: option(wholeNumber(1, 16 * 1024 * 1024, 'bytes'), 65_536),
  bodyTimeoutMs: option(isTime, 10_000),
  hookTimeoutMs: option(isTime, 10_000),
  timeoutMs: option(isTime, 60_000),
  logger: option<Logger>(isObject, CONSOLE),
  clock: option<Clock>(isClock, systemClock),
};

/** The problem with the addresses of proxies or of origins, beyond the table's checks. */
function addressIssues({ trustedProxies, allowedOrigins }: Readonly<Record<string, unknown>>): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  readTrust(trustedProxies, issues);
  const problem = Array.isArray(allowedOrigins) && allowedOrigins.map(originProblem).find((found) => found !== undefined);
  return problem ? [...issues, issue(['allowedOrigins'], 'invalid', problem)] : issues;
}

/** Checks the options and completes them. Throws a `ConfigurationError` that lists every problem. */
export function readRelaySettings<Player extends RelayPlayer>(options: RelayOptions<Player>): RelaySettings<Player> {
  const read = readOptions('the relay', optionTable, options, addressIssues);
  if (read.problem !== undefined) throw new ConfigurationError(read.problem, { operation: 'createRelay', issues: read.issues });
  const { allowedOrigins, allowedHeaders, logger, ...others } = read.complete;
  return Object.freeze({
    ...others,
    allowedOrigins: new Set(allowedOrigins),
    allowedHeaders: allowedHeaders.map((name) => name.toLowerCase()),
    logger: safeLogger(logger),
  }) as RelaySettings<Player>;
}
