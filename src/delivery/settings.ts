import type { BackoffSettings } from '../platform/backoff.js';
import type { Logger } from '../platform/logger.js';
import type { Clock } from '../platform/time.js';
import type { BaseUrl } from '../protocol/addresses.js';
import type { OperationName } from '../protocol/operations.js';
import type { HeadersOption } from '../schema/headers.js';
import type { AttemptEvent } from './events.js';
import type { Transport } from './transport.js';

/** An answer of the gateway, as the options `isRecorded` and `isDuplicate` see it. */
export interface Answer {
  /** The HTTP status. */
  readonly status: number;
  /** The parsed JSON; the text itself where it is not JSON; undefined where it is empty. */
  readonly body: unknown;
  /** Whether the body is JSON or empty. */
  readonly json: boolean;
}

/** Whether a page's cookies go with its reports: to its own origin, to any origin, to none. */
export type RelayCredentials = 'same-origin' | 'include' | 'omit';

/** Where reports of one environment go. */
export interface Gateway {
  /** Without a slash at its end, and without `/integration-gateway`. */
  readonly baseUrl: string;
  /** Below `/integration-gateway/external/`. */
  readonly paths: Readonly<Record<OperationName, string>>;
  /** A function is asked on every request. */
  readonly apiKey: string | (() => string | Promise<string>);
}

/** The operator's backend that takes a page's events and reports them; it holds the key, and the environment is its own. */
export interface Relay {
  /** Its address, without a slash at its end. Where a page's own address is missing, it has neither address nor problem. */
  readonly resolve: () => BaseUrl;
  readonly credentials: RelayCredentials;
}

/** How reports are delivered; made by `config.ts`, nothing in it is optional. */
export interface DeliverySettings {
  readonly transport: Transport;
  /** Of the client: none or one. */
  readonly headers: readonly HeadersOption[];
  readonly retry: BackoffSettings & { readonly limit: number };
  readonly maxRetryAfterMs: number;
  readonly attemptTimeoutMs: number;
  readonly logger: Required<Logger>;
  readonly clock: Clock;
  readonly random: () => number;
  /** Takes debug lines, and cannot fail; undefined where they are not wanted. */
  readonly debug: ((message: string) => void) | undefined;
  /** Cannot fail; undefined where there is no listener. */
  readonly onEvent: ((event: AttemptEvent) => void) | undefined;
}
