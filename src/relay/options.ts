import type { Receipt, RelayReceipt } from '../client/receipt.js';
import type { Environment, ReportingError } from '../errors/errors.js';
import type { TrustedProxies } from '../location/server/trusted-proxies.js';
import type { Logger } from '../platform/logger.js';
import type { Clock } from '../platform/time.js';
import type { WebAbortSignal, WebRequest } from '../platform/web-types.js';
import type { BetEvent, BetUser } from '../schema/bet.js';
import type { LocationInput } from '../schema/location.js';
import type { WithdrawalEvent, WithdrawalUser } from '../schema/withdrawal.js';

/** What a page may report: the two initiated events, and nothing else. */
export type RelayOperation = 'reportBetEvent' | 'reportWithdrawalEvent';

/** The user object of the specification (2.1 for bets, 2.2 for withdrawals); under `validation: 'partial'`, its `user_id` and what else is known. */
export type RelayUser =
  | BetUser
  | WithdrawalUser
  | {
      /** The player's id at the operator. */
      readonly user_id: string;
    };

/** Who the player is, by the operator's own session; it may hold more, for `complete` and `limit`. */
export interface RelayPlayer {
  /** Who the player is: goes into the report. */
  readonly user: RelayUser;
  /** What this player's pages give the store of their outbox as `player`, where that is not `user.user_id`: an opaque name of yours. */
  readonly outboxPlayer?: string | undefined;
}

/** The fields of an event, as a page sent them: JSON whose values were checked, but anybody's words still. */
export type RelayEvent = Readonly<Record<string, unknown>>;

/** A location as the page found it. */
export type RelayLocation = LocationInput & {
  /** How it was found: `'gps'`, say. */
  readonly source: string;
};

/** What the relay passes to the client with each event. */
export interface RelayCallOptions {
  /** Where the report goes. */
  environment?: Environment;
  /** The player's public address. */
  clientIP?: string;
  /** The location to report. */
  location?: LocationInput;
  /** Limit of the whole call, in milliseconds. */
  timeoutMs: number;
}

/** What an outbox answers: it has the report, and delivers it later. */
export interface RelayQueued {
  /** By which the outbox knows it. */
  readonly id: unknown;
  /** Where the report stands. */
  readonly state: string;
  /** Settles when the report does. */
  readonly done?: unknown;
}

/** What reports: a client of `createClient`, or an outbox with methods of the same names. */
export interface RelayClient {
  /** Reports an initiated bet. */
  reportBetEvent(event: BetEvent, options: RelayCallOptions): Promise<Receipt | RelayReceipt | RelayQueued>;
  /** Reports an initiated withdrawal. */
  reportWithdrawalEvent(event: WithdrawalEvent, options: RelayCallOptions): Promise<Receipt | RelayReceipt | RelayQueued>;
  /** Where it has it, a page's repetition of what is in doubt is sent with the same bytes. */
  resend?(
    error: unknown,
    options: {
      /** Milliseconds that are left for it. */
      timeoutMs: number;
    },
  ): Promise<Receipt | RelayReceipt>;
}

/** What is known of the request beside its headers. */
export interface RelayConnection {
  /** The address of the connection's other end. `toNodeHandler` gives the socket's. */
  readonly remoteAddress?: string | undefined;
  /** Names and values as they came, which show a header that came in several lines. `toNodeHandler` gives Node.js's. */
  readonly rawHeaders?: readonly string[] | undefined;
  /**
   * The path as it came, such as `url` of Node.js's request. A `Request` has `..`, `%2e` and backslashes resolved, so that a
   * proxy's rule for `/relay/` may not have seen that path; with this, such a request is refused. `toNodeHandler` gives it.
   */
  readonly requestTarget?: string | undefined;
  /** The platform's own request, for `authorize`: `toNodeHandler` gives Node.js's (with Express, its `req`). */
  readonly native?: unknown;
}

/** What `authorize` and `complete` are told. */
export interface RelayCall {
  /** The called function, for example `'reportBetEvent'`. */
  readonly operation: RelayOperation;
  /** See `RelayConnection`. */
  readonly native: unknown;
  /** Aborted when the time of the hook is over. */
  readonly signal: WebAbortSignal;
}

/** What is told of a report that is over. */
export interface RelayReport<Player extends RelayPlayer = RelayPlayer> {
  /** The called function, for example `'reportBetEvent'`. */
  readonly operation: RelayOperation;
  /** What `authorize` gave. */
  readonly player: Player;
  /** As it was given to the client: it holds personal data. */
  readonly event: RelayEvent;
}

type MaybePromise<T> = T | Promise<T>;

/** What `createRelay` takes. */
export interface RelayOptions<Player extends RelayPlayer = RelayPlayer> {
  /** What reports: it holds the API key. */
  client: RelayClient;
  /**
   * The operator's own session check. Gives who the player is, with the `user` object of the operation; nothing (null,
   * undefined, false) where nobody is logged in, which is answered with 401, and so is an error that it throws. The
   * request's body must be left unread.
   */
  authorize(request: WebRequest, call: RelayCall): MaybePromise<Player | null | undefined | false>;
  /**
   * What the operator knows and the page does not: fields that are added to the event, or stand instead of the page's
   * (also `user` and `location`). The place to look the event up in the operator's own records, and to refuse it where
   * it is not this player's, or has another amount: `null` is answered with 403. Default: nothing is added.
   */
  complete?:
    | ((
        event: RelayEvent,
        call: RelayCall & {
          /** What `authorize` gave. */
          readonly player: Player;
        },
      ) => MaybePromise<object | null | undefined>)
    | undefined;
  /**
   * Whether the player is over the operator's limit: true, or how long to wait, is answered with 429. Where it throws,
   * nothing is reported. Default: no limit.
   */
  limit?:
    | ((
        player: Player,
        operation: RelayOperation,
      ) => MaybePromise<
        | boolean
        | {
            /** Milliseconds until the player may ask again. */
            readonly retryAfterMs: number;
          }
        | undefined
      >)
    | undefined;
  /**
   * Told of every receipt before the page is, and where the client is an outbox, later: keep the location of a
   * withdrawal for `reportSettledWithdrawal`. What it throws is logged and changes no answer. Default: none.
   */
  onReceipt?: ((receipt: Receipt, report: RelayReport<Player>) => unknown) | undefined;
  /** Told of every report that failed. One whose outcome is `'unknown'` can be sent again with `client.resend(error)`. Default: none. */
  onError?: ((error: ReportingError, report: RelayReport<Player>) => unknown) | undefined;
  /** Where the events go, whatever a page says. Default: the client's own. */
  environment?: Environment | undefined;
  /** Whose forwarding headers are believed; see `clientIpFrom`. Default: none; the connection's address is the player's. */
  trustedProxies?: TrustedProxies | undefined;
  /**
   * Origins whose pages may report, beside that of the request's own address. Name your own site where the relay does not see the
   * address that the browser asked for: in route handlers of Next.js, whose `request.url` says `localhost`, and behind a proxy that
   * changes the `Host` header. Default: none.
   *
   * @example
   * ```ts
   * allowedOrigins: ['https://play.example.com']
   * ```
   */
  allowedOrigins?: readonly string[] | undefined;
  /** Request headers beside `content-type` and `x-location-sdk` that pages of those origins may send, such as `authorization`. Default: none. */
  allowedHeaders?: readonly string[] | undefined;
  /** What is sent as the `source` of a page's location. Default: `'gps'`. */
  gpsSource?: string | undefined;
  /** The longest body, in bytes. Default: 65,536. */
  maxBodyBytes?: number | undefined;
  /** Milliseconds for a body to come. Default: 10,000. */
  bodyTimeoutMs?: number | undefined;
  /** Milliseconds for each of the operator's functions. Default: 10,000. */
  hookTimeoutMs?: number | undefined;
  /** Milliseconds for a whole request; the client gets what is left. Default: 60,000. */
  timeoutMs?: number | undefined;
  /** Where the details of failures go, and to `debug` why a request is refused; none holds personal data. Default: warnings and errors to the console. */
  logger?: Logger | undefined;
  /** Default: the system's clock. */
  clock?: Clock | undefined;
}
