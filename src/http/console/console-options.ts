import { ConfigurationError } from '../../core/errors/errors.js';
import { isRecord } from '../../core/platform/as-record.js';
import { consoleLogger, type Logger, safeLogger } from '../../core/platform/logger.js';
import { type Clock, LONGEST_TIMER_MS, systemClock } from '../../core/platform/time.js';
import type { WebAbortSignal, WebRequest } from '../../core/platform/web-types.js';
import {
  isClock,
  isFlag,
  isFunction,
  isObject,
  must,
  option,
  readOptions,
  required,
  wholeNumber,
} from '../../core/schema/option-rules.js';
import { originIssues } from '../../core/web/origin.js';
import type { Outbox, Outboxes } from '../../outbox/interface.js';

/** A colleague who looks at the console, by the operator's own session. */
export interface ConsoleVisitor {
  /** A name that colleagues know, such as a login: it is kept with each decision. At most 200 characters. */
  readonly name: string;
  /** Whether they may decide: retry, resolve, undo, resume. Default: false. */
  readonly mayAct?: boolean | undefined;
  /**
   * Whether they may see the body of a report, which holds personal data. Each reading is stored as a decision with its
   * reason. Default: false.
   */
  readonly mayReadBodies?: boolean | undefined;
}

/** Facts of a request beside its headers. */
export interface ConsoleConnection {
  /**
   * The path as the browser asked for it, where the framework changes `url`: `toNodeHandler` gives it, for Express as
   * well.
   */
  readonly requestTarget?: string | undefined;
  /** The platform's own request, for `authorize`: `toNodeHandler` gives Node.js's (with Express, its `req`). */
  readonly native?: unknown;
}

/** Given to `authorize` beside the request. */
export interface ConsoleCall {
  /** See `ConsoleConnection`. */
  readonly native: unknown;
  /** Aborted when its time is over. */
  readonly signal: WebAbortSignal;
}

type MaybePromise<T> = T | Promise<T>;

/** Options of `createConsole`. */
export interface ConsoleOptions {
  /** The outbox to look at, of one account or of several. Its worker need not be started in this process. */
  outbox: Pick<Outbox, 'stats'> | Pick<Outboxes, 'stats'>;
  /**
   * Your session check, called for every request. Return the colleague. If it returns null, undefined or false, or
   * throws, the console answers 401. It must not read the body.
   */
  authorize(request: WebRequest, call: ConsoleCall): MaybePromise<ConsoleVisitor | null | undefined | false>;
  /** Whether the console only shows, for every colleague. Default: false. */
  readOnly?: boolean | undefined;
  /**
   * Origins at which your colleagues open the console, beside that of the request's own address. Name your own site
   * where the console does not see the address that the browser asked for: in route handlers of Next.js, and behind a
   * proxy that changes the `Host` header. Default: none.
   */
  allowedOrigins?: readonly string[] | undefined;
  /** Milliseconds for `authorize`. Default: 10,000. */
  hookTimeoutMs?: number | undefined;
  /** Takes the details of failures; no line holds personal data. Default: warnings and errors to the console. */
  logger?: Logger | undefined;
  /** Default: the system's clock. */
  clock?: Clock | undefined;
}

export type ConsoleSettings = ReturnType<typeof readConsoleSettings>;

/** `outbox` is checked where its data are made. */
const optionTable = {
  outbox: required<unknown>(must('what createOutbox returns', (value) => isRecord(value))),
  authorize: required<ConsoleOptions['authorize']>(isFunction),
  readOnly: option(isFlag, false),
  allowedOrigins: option<readonly string[]>(must('a list', Array.isArray), []),
  hookTimeoutMs: option(wholeNumber(1, LONGEST_TIMER_MS, 'milliseconds'), 10_000),
  logger: option(isObject, consoleLogger('location-sdk console')),
  clock: option<Clock>(isClock, systemClock),
};

/** Throws a `ConfigurationError` that lists every problem. */
export function readConsoleSettings(options: Omit<ConsoleOptions, 'outbox'> & { readonly outbox: unknown }) {
  const read = readOptions('the console', optionTable, options, ({ allowedOrigins }) => originIssues(allowedOrigins));
  if (read.problem !== undefined)
    throw new ConfigurationError(read.problem, { operation: 'createConsole', issues: read.issues });
  const { allowedOrigins, logger, ...others } = read.complete;
  return Object.freeze({
    ...others,
    allowedOrigins: new Set(allowedOrigins) as ReadonlySet<string>,
    logger: safeLogger(logger),
  });
}
