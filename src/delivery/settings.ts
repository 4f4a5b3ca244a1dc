import type { BackoffSettings } from '../platform/backoff.js';
import type { Logger } from '../platform/logger.js';
import type { Clock } from '../platform/time.js';
import type { BaseUrl } from '../protocol/addresses.js';
import type { OperationName } from '../protocol/operations.js';
import type { HeadersOption } from '../schema/headers.js';
import type { AttemptEvent } from './events.js';
import type { Transport } from './transport.js';

/** An answer of the gateway, as passed to the options `isRecorded` and `isDuplicate`. */
export interface Answer {
  /** The HTTP status. */
  readonly status: number;
  /** The parsed JSON. The text if it is not JSON. Undefined if it is empty. */
  readonly body: unknown;
  /** Whether the body is JSON or empty. */
  readonly json: boolean;
}

/** Whether a page's cookies are sent with its reports: to its own origin, to any origin, or never. */
export type RelayCredentials = 'same-origin' | 'include' | 'omit';

/** The gateway of one environment. */
export interface Gateway {
  /** Without a slash at its end, and without `/integration-gateway`. */
  readonly baseUrl: string;
  /** Below `/integration-gateway/external/`. */
  readonly paths: Readonly<Record<OperationName, string>>;
  /** A function is called for every request. */
  readonly apiKey: string | (() => string | Promise<string>);
}

/** The operator's backend that accepts a page's events and reports them. It holds the key, and has its own environment. */
export interface Relay {
  /** Its address, without a slash at its end. If there is no page address, it has neither an address nor a problem. */
  readonly resolve: () => BaseUrl;
  readonly credentials: RelayCredentials;
}

/** The settings of delivery; made by `config.ts`, and none is optional. */
export interface DeliverySettings {
  readonly transport: Transport;
  /** Headers of the client: none or one set. */
  readonly headers: readonly HeadersOption[];
  readonly retry: BackoffSettings & { readonly limit: number };
  readonly maxRetryAfterMs: number;
  readonly attemptTimeoutMs: number;
  readonly logger: Required<Logger>;
  readonly clock: Clock;
  readonly random: () => number;
  /** Receives debug lines, and cannot fail. Undefined if they are off. */
  readonly debug: ((message: string) => void) | undefined;
  /** Cannot fail. Undefined if there is no listener. */
  readonly onEvent: ((event: AttemptEvent) => void) | undefined;
}
