import type { Limit } from '../platform/time.js';

/** One request, made by a channel. */
export interface AttemptRequest {
  /** The whole address. */
  readonly url: string;
  /** In addition to the headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** The report as JSON, sent byte for byte. */
  readonly body: string;
  /** In a browser: whether cookies are sent with it. */
  readonly credentials: 'same-origin' | 'include' | 'omit';
  /** In a browser: whether it should outlive its page, if there is space for it. */
  readonly keepalive: boolean;
}

/** A placeholder for the host's name in a transport's messages. */
export const THE_HOST = 'the remote host';

/** The failure, as the platform reports it. */
export interface Broken {
  /**
   * The failure and what to check. Never the platform's own message, which may contain any data. "the remote host" is
   * replaced by the host's name.
   */
  readonly text: string;
  /** Whether the request was certainly not sent. */
  readonly notSent: boolean;
  /** Whether another attempt may succeed. */
  readonly retryable: boolean;
  /** Whether a proxy answered. */
  readonly foreign?: boolean;
}

/** The result of one request. */
export type Attempted =
  | {
      /** The answer came. */
      readonly ended: 'answered';
      /** The HTTP status. 0 for a redirect in a browser. */
      readonly status: number;
      /** One header of the answer, by its name in lower case. */
      header(name: string): string | null;
      /** The body. Undefined if it is larger than the limit. */
      readonly text: string | undefined;
      /** Whether the answer proves that its whole body was read. */
      readonly measured: boolean;
    }
  | {
      /** The connection failed. */
      readonly ended: 'broken';
      /** The failure. */
      readonly failure: Broken;
    }
  | {
      /** The request timed out. */
      readonly ended: 'timeout';
      /** Whether nothing of the request was sent. */
      readonly unsent?: boolean;
    }
  | {
      /** The caller's signal cancelled it. */
      readonly ended: 'aborted';
      /** Whether nothing of the request was sent. */
      readonly unsent?: boolean;
    };

export type Answered = Extract<Attempted, { ended: 'answered' }>;

/**
 * Sends one request and waits for its complete answer, headers and body, within the limit. Network errors do not make
 * it reject.
 */
export interface Transport {
  /** Sends a request. The limit also covers connecting. */
  send(request: AttemptRequest, limit: Limit): Promise<Attempted>;
}
