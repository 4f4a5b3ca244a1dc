import type { OperationName } from '../operations.js';
import type { Sent } from '../schema/sent-words.js';
import type { Clock } from '../time.js';
import type { Fetch } from '../web-types.js';
import type { BackoffSettings } from './backoff.js';

/** An answer of the gateway, as the options `isRecorded` and `isDuplicate` see it. */
export interface Answer {
  /** The HTTP status. */
  readonly status: number;
  /** The parsed JSON; the text itself where it is not JSON; undefined where it is empty. */
  readonly body: unknown;
  /** Whether the body is JSON or empty. */
  readonly json: boolean;
}

/** Who hears what the SDK has to say; `console` fits. No line holds a secret or personal data. */
export interface Logger {
  /** Every attempt and every wait. */
  debug?(message: string): void;
  /** What is worth knowing once. */
  info?(message: string): void;
  /** What somebody should look at. */
  warn?(message: string): void;
  /** What somebody must look at. */
  error?(message: string): void;
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
  /** Without a slash at its end. */
  readonly relayUrl: string;
  readonly credentials: RelayCredentials;
  /** Of every request. */
  readonly headers: Readonly<Record<string, string>>;
}

export type Destination = Gateway | Relay;

/** How reports are delivered; made by `config.ts`, nothing in it is optional. */
export interface DeliverySettings {
  readonly fetch: Fetch;
  readonly browser: boolean;
  readonly retry: BackoffSettings & { readonly limit: number };
  readonly maxRetryAfterMs: number;
  readonly attemptTimeoutMs: number;
  readonly isRecorded: (answer: Answer) => boolean;
  /** The default one also asks for what was sent. */
  readonly isDuplicate: (answer: Answer, sent: () => Sent) => 'same' | 'conflict' | false;
  readonly logger: Required<Logger>;
  readonly clock: Clock;
  readonly random: () => number;
}
