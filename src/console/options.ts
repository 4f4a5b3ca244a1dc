import type { Outbox, Outboxes } from '../outbox/interface.js';
import type { Logger } from '../platform/logger.js';
import type { Clock } from '../platform/time.js';
import type { WebAbortSignal, WebRequest } from '../platform/web-types.js';

/** A colleague who looks at the console, by the operator's own session. */
export interface ConsoleVisitor {
  /** A name that colleagues know, such as a login: it is kept with each decision. At most 200 characters. */
  readonly name: string;
  /** Whether they may decide: retry, resolve, undo, lift a pause. Default: false. */
  readonly mayAct?: boolean | undefined;
  /** Whether they may see the body of a report, which holds personal data. Each time is kept, with a reason. Default: false. */
  readonly mayReadBodies?: boolean | undefined;
}

/** Facts of a request beside its headers. */
export interface ConsoleConnection {
  /** The path as the browser asked for it, where the framework changes `url`: `toNodeHandler` gives it, for Express as well. */
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
   * The operator's own session check, for every request. Gives the colleague who looks; nothing (null, undefined, false)
   * for a visitor who is not logged in, which is answered with 401, and so is an error that it throws. It must leave the body unread.
   */
  authorize(request: WebRequest, call: ConsoleCall): MaybePromise<ConsoleVisitor | null | undefined | false>;
  /** Whether the console only shows, for every colleague. Default: false. */
  readOnly?: boolean | undefined;
  /**
   * Origins at which your colleagues open the console, beside that of the request's own address. Name your own site where the console does
   * not see the address that the browser asked for: in route handlers of Next.js, and behind a proxy that changes the `Host` header. Default: none.
   */
  allowedOrigins?: readonly string[] | undefined;
  /** Milliseconds for `authorize`. Default: 10,000. */
  hookTimeoutMs?: number | undefined;
  /** Takes the details of failures; no line holds personal data. Default: warnings and errors to the console. */
  logger?: Logger | undefined;
  /** Default: the system's clock. */
  clock?: Clock | undefined;
}
