import type { Receipt, RelayReceipt } from '../../core/client/receipt.js';
import { ConfigurationError, type Environment, type ReportingError } from '../../core/errors/errors.js';
import { readTrust, type TrustedProxies } from '../../core/location/server/trusted-proxies.js';
import { consoleLogger, type Logger, safeLogger } from '../../core/platform/logger.js';
import { type Clock, DAY_MS, LONGEST_TIMER_MS, systemClock } from '../../core/platform/time.js';
import type { WebAbortSignal, WebRequest } from '../../core/platform/web-types.js';
import type { BetEvent, BetUser } from '../../core/schema/bet.js';
import type { ValidationIssue } from '../../core/schema/issue.js';
import type { LocationInput } from '../../core/schema/location.js';
import {
  having,
  isAnything,
  isClock,
  isFlag,
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
} from '../../core/schema/option-rules.js';
import type { WithdrawalEvent, WithdrawalUser } from '../../core/schema/withdrawal.js';
import { originIssues } from '../../core/web/origin.js';

/** The reports that a page may send: the two initiated events. */
export type RelayOperation = 'reportBetEvent' | 'reportWithdrawalEvent';

export const RELAY_OPERATIONS: readonly RelayOperation[] = ['reportBetEvent', 'reportWithdrawalEvent'];

/**
 * The user object of the specification (2.1 for bets, 2.2 for withdrawals). Under `validation: 'partial'`: its
 * `user_id` and any other fields.
 */
export type RelayUser =
  | BetUser
  | WithdrawalUser
  | {
      /** The player's id at the operator. */
      readonly user_id: string;
    };

/** The player of the operator's own session. It may contain more, for `complete` and `limit`. */
export interface RelayPlayer {
  /** The user object for the report. */
  readonly user: RelayUser;
  /**
   * The name that this player's pages give their outbox store as `player`, if it is not `user.user_id`: an opaque name
   * that you choose.
   */
  readonly outboxPlayer?: string | undefined;
}

/**
 * The fields of an event from a page. They are JSON whose values were checked, but the sender may have written
 * anything.
 */
export type RelayEvent = Readonly<Record<string, unknown>>;

/** A location that the page found. */
export type RelayLocation = LocationInput & {
  /** The way in which it was found, for example `'gps'`. */
  readonly source: string;
};

/** The options that the relay passes to the client with each event. */
export interface RelayCallOptions {
  /** The environment of the report. */
  environment?: Environment;
  /** The player's public address. */
  clientIP?: string;
  /** The location to report. */
  location?: LocationInput;
  /** The limit of the whole call, in milliseconds. */
  timeoutMs: number;
}

/** The answer of an outbox: it has stored the report, and delivers it later. */
export interface RelayQueued {
  /** The outbox's id of the report. */
  readonly id: unknown;
  /** The state of the report. */
  readonly state: string;
  /** Settles when the report is delivered or has failed. */
  readonly done?: unknown;
}

/** Sends the reports: a client of `createClient`, or an outbox with methods of the same names. */
export interface RelayClient {
  /** Reports an initiated bet. */
  reportBetEvent(event: BetEvent, options: RelayCallOptions): Promise<Receipt | RelayReceipt | RelayQueued>;
  /** Reports an initiated withdrawal. */
  reportWithdrawalEvent(
    event: WithdrawalEvent,
    options: RelayCallOptions,
  ): Promise<Receipt | RelayReceipt | RelayQueued>;
  /** If present, a report in doubt that a page repeats is sent with the same bytes. */
  resend?(
    error: unknown,
    options: {
      /** The time that is left for it, in milliseconds. */
      timeoutMs: number;
    },
  ): Promise<Receipt | RelayReceipt>;
}

/** Facts about the request beside its headers. */
export interface RelayConnection {
  /** The address of the connection's peer. `toNodeHandler` passes the socket's. */
  readonly remoteAddress?: string | undefined;
  /**
   * Header names and values as received. They show a header that came in several lines. `toNodeHandler` passes
   * Node.js's.
   */
  readonly rawHeaders?: readonly string[] | undefined;
  /**
   * The path as received, for example `url` of Node.js's request. A `Request` has `..`, `%2e` and backslashes resolved,
   * so a proxy's rule for `/relay/` may have seen another path. With this option the relay refuses that request.
   * `toNodeHandler` passes it.
   */
  readonly requestTarget?: string | undefined;
  /** The platform's own request, for `authorize`: `toNodeHandler` passes Node.js's (with Express, its `req`). */
  readonly native?: unknown;
}

/** The context for `authorize` and `complete`. */
export interface RelayCall {
  /** The called function, for example `'reportBetEvent'`. */
  readonly operation: RelayOperation;
  /** See `RelayConnection`. */
  readonly native: unknown;
  /** Aborted when the time limit of the hook is over. */
  readonly signal: WebAbortSignal;
}

/** The context of a finished report. */
export interface RelayReport<Player extends RelayPlayer = RelayPlayer> {
  /** The called function, for example `'reportBetEvent'`. */
  readonly operation: RelayOperation;
  /** The result of `authorize`. */
  readonly player: Player;
  /** The event as it was passed to the client. It contains personal data. */
  readonly event: RelayEvent;
}

type MaybePromise<T> = T | Promise<T>;

/** The options of `createRelay`. */
export interface RelayOptions<Player extends RelayPlayer = RelayPlayer> {
  /** Sends the reports. It holds the API key. */
  client: RelayClient;
  /**
   * Your own session check. Returns the player, with the `user` object of the operation. For null, undefined, false or
   * an error the relay answers 401. Do not read the request's body.
   */
  authorize(request: WebRequest, call: RelayCall): MaybePromise<Player | null | undefined | false>;
  /**
   * Adds or replaces fields of the page's event, `user` and `location` too, not its reference, from your records. Return
   * `null` if the event belongs to another player: the relay answers 403. Default: nothing is added.
   */
  complete?:
    | ((
        event: RelayEvent,
        call: RelayCall & {
          /** The result of `authorize`. */
          readonly player: Player;
        },
      ) => MaybePromise<object | null | undefined>)
    | undefined;
  /** Whether the player is over your limit: true, or `{ retryAfterMs }`, and the relay answers 429. Default: no limit. */
  limit?:
    | ((
        player: Player,
        operation: RelayOperation,
      ) => MaybePromise<
        | boolean
        | {
            /** Milliseconds until the player may try again. */
            readonly retryAfterMs: number;
          }
        | undefined
      >)
    | undefined;
  /**
   * Called with every receipt before the page gets its answer; if the client is an outbox, later. An error that it
   * throws is only logged. Default: none.
   */
  onReceipt?: ((receipt: Receipt, report: RelayReport<Player>) => unknown) | undefined;
  /** Called with every report that failed in the client. Default: none. */
  onError?: ((error: ReportingError, report: RelayReport<Player>) => unknown) | undefined;
  /** The environment of the events. A page cannot change it. Default: the client's own. */
  environment?: Environment | undefined;
  /** The proxies whose forwarding headers are trusted; see `clientIpFrom`. Default: none. */
  trustedProxies?: TrustedProxies | undefined;
  /**
   * Further origins whose pages may report: of a site, or of an app around a web view. Default: none.
   *
   * @example
   * ```ts
   * allowedOrigins: ['https://play.example.com', 'capacitor://localhost']
   * ```
   */
  allowedOrigins?: readonly string[] | undefined;
  /**
   * Whether a native app may report: a request without `Origin`, `Sec-Fetch-Site` and cookies, as `curl` sends it.
   * `authorize` must then check a token of another header. Default: false.
   */
  allowNative?: boolean | undefined;
  /** Request headers that pages of those origins may send, such as `authorization`. Default: none. */
  allowedHeaders?: readonly string[] | undefined;
  /** The value of `source` for a page's location. Default: `'gps'`. */
  gpsSource?: string | undefined;
  /** The longest body, in bytes. Default: 65,536. */
  maxBodyBytes?: number | undefined;
  /** The limit for receiving the body, in milliseconds. Default: 10,000. */
  bodyTimeoutMs?: number | undefined;
  /** The limit for each of the operator's functions, in milliseconds. Default: 10,000. */
  hookTimeoutMs?: number | undefined;
  /** The limit for a whole request, in milliseconds. The client gets the remaining time. Default: 60,000. */
  timeoutMs?: number | undefined;
  /**
   * How far the `timestamp` of a page's event may be from the backend's clock, in milliseconds. A timestamp of
   * `complete` may be any. Default: 86,400,000.
   */
  timestampWindowMs?: number | undefined;
  /** Receives the log lines, which contain no personal data. Default: warnings and errors to the console. */
  logger?: Logger | undefined;
  /** Default: the system's clock. */
  clock?: Clock | undefined;
}

const isTime = wholeNumber(1, LONGEST_TIMER_MS, 'milliseconds');
const isHeader = (value: unknown) => typeof value === 'string' && /^[\w-]+$/.test(value);

const optionTable = {
  client: required<RelayClient>(having('reportBetEvent', 'reportWithdrawalEvent')),
  authorize: required<RelayOptions['authorize']>(isFunction),
  complete: optional<RelayOptions['complete']>(isFunction),
  limit: optional<RelayOptions['limit']>(isFunction),
  onReceipt: optional<RelayOptions['onReceipt']>(isFunction),
  onError: optional<RelayOptions['onError']>(isFunction),
  environment: optional<Environment>(oneOf('staging', 'production')),
  trustedProxies: optional<TrustedProxies>(isAnything),
  allowedOrigins: option<readonly string[]>(must('a list', Array.isArray), []),
  allowNative: option(isFlag, false),
  allowedHeaders: option<readonly string[]>(
    must('a list of names of headers', (value) => Array.isArray(value) && value.every(isHeader)),
    [],
  ),
  gpsSource: option(isWord, 'gps'),
  maxBodyBytes: option(wholeNumber(1, 16 * 1024 * 1024, 'bytes'), 65_536),
  bodyTimeoutMs: option(isTime, 10_000),
  hookTimeoutMs: option(isTime, 10_000),
  timeoutMs: option(isTime, 60_000),
  timestampWindowMs: option(wholeNumber(1, Number.MAX_SAFE_INTEGER, 'milliseconds'), DAY_MS),
  logger: option(isObject, consoleLogger('location-sdk relay')),
  clock: option<Clock>(isClock, systemClock),
};

export type RelaySettings = ReturnType<typeof readRelaySettings>;

/** Throws a `ConfigurationError` that lists every problem. */
export function readRelaySettings<Player extends RelayPlayer>(options: RelayOptions<Player>) {
  const read = readOptions('the relay', optionTable, options, ({ trustedProxies, allowedOrigins }) => {
    const issues: ValidationIssue[] = [];
    readTrust(trustedProxies, issues);
    return [...issues, ...originIssues(allowedOrigins)];
  });
  if (read.problem !== undefined)
    throw new ConfigurationError(read.problem, { operation: 'createRelay', issues: read.issues });
  const { allowedOrigins, allowedHeaders, logger, ...others } = read.complete;
  return Object.freeze({
    ...others,
    allowedOrigins: new Set(allowedOrigins) as ReadonlySet<string>,
    allowedHeaders: allowedHeaders.map((name) => name.toLowerCase()),
    logger: safeLogger(logger),
  });
}
