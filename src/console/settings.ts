import { ConfigurationError } from '../errors/errors.js';
import type { Logger } from '../platform/logger.js';
import { safeLogger } from '../platform/safe-callback.js';
import { type Clock, LONGEST_TIMER_MS, systemClock } from '../platform/time.js';
import { originProblem } from '../relay/origin.js';
import { issue, type ValidationIssue } from '../schema/issue.js';
import { isAnything, isClock, isFlag, isFunction, isObject, must, option, readOptions, required, wholeNumber } from '../schema/option-rules.js';
import type { ConsoleOptions } from './options.js';

/** The options, checked and completed once. */
export interface ConsoleSettings extends Pick<ConsoleOptions, 'authorize'> {
  readonly readOnly: boolean;
  readonly allowedOrigins: ReadonlySet<string>;
  readonly hookTimeoutMs: number;
  readonly logger: Required<Logger>;
  readonly clock: Clock;
}

const CONSOLE: Logger = {
  warn: (message) => console.warn(`location-sdk console: ${message}`),
  error: (message) => console.warn(`location-sdk console: ${message}`),
};

/** Every option of a console and its default. `outbox` is checked where its data are made. */
const optionTable = {
  outbox: required<unknown>(isAnything),
  authorize: required<unknown>(isFunction),
  readOnly: option(isFlag, false),
  allowedOrigins: option<readonly string[]>(must('a list', Array.isArray), []),
  hookTimeoutMs: option(wholeNumber(1, LONGEST_TIMER_MS, 'milliseconds'), 10_000),
  logger: option<Logger>(isObject, CONSOLE),
  clock: option<Clock>(isClock, systemClock),
};

function originIssues({ allowedOrigins }: Readonly<Record<string, unknown>>): ValidationIssue[] {
  const problem = Array.isArray(allowedOrigins) && allowedOrigins.map(originProblem).find((found) => found !== undefined);
  return problem ? [issue(['allowedOrigins'], 'invalid', problem)] : [];
}

/** Checks the options and completes them; throws a `ConfigurationError` that lists everything that is wrong. */
export function readConsoleSettings(options: Omit<ConsoleOptions, 'outbox'> & { readonly outbox: unknown }): ConsoleSettings {
  const read = readOptions('the console', optionTable, options, originIssues);
  if (read.problem !== undefined) throw new ConfigurationError(read.problem, { operation: 'createConsole', issues: read.issues });
  const { allowedOrigins, logger, readOnly, hookTimeoutMs, clock, authorize } = read.complete;
  return Object.freeze({
    readOnly,
    hookTimeoutMs,
    clock,
    authorize: authorize as ConsoleOptions['authorize'],
    allowedOrigins: new Set(allowedOrigins),
    logger: safeLogger(logger),
  });
}
