import type { Limit } from '../platform/time.js';

/** One request, as a channel makes it. */
export interface AttemptRequest {
  /** The whole address. */
  readonly url: string;
  /** Beside those of every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** The report as JSON, sent byte for byte. */
  readonly body: string;
  /** In a browser: whether cookies go with it. */
  readonly credentials: 'same-origin' | 'include' | 'omit';
  /** In a browser: whether it should outlive its page, if there is room for it. */
  readonly keepalive: boolean;
}

/** Stands in what a transport tells for the host that was asked. */
export const THE_HOST = 'the other side';

/** What broke, as far as the platform tells. */
export interface Broken {
  /** What happened and what to look at; never the platform's own words, which may hold anything. "the other side" becomes the host. */
  readonly text: string;
  /** Whether the request certainly never left. */
  readonly notSent: boolean;
  /** Whether another attempt may succeed. */
  readonly retryable: boolean;
  /** Whether it was a proxy that answered. */
  readonly foreign?: boolean;
}

/** How one request ended. */
export type Attempted =
  | {
      /** The answer came. */
      readonly ended: 'answered';
      /** The HTTP status; 0 for a redirect in a browser. */
      readonly status: number;
      /** One header of the answer, by its name in lower case. */
      header(name: string): string | null;
      /** The body; undefined where it is larger than is read. */
      readonly text: string | undefined;
      /** Whether the answer proves that its whole body was read. */
      readonly measured: boolean;
    }
  | {
      /** The connection failed. */
      readonly ended: 'broken';
      /** What broke. */
      readonly failure: Broken;
    }
  | {
      /** The time was over. */
      readonly ended: 'timeout';
      /** Whether nothing of the request had left. */
      readonly unsent?: boolean;
    }
  | {
      /** The caller's signal aborted it. */
      readonly ended: 'aborted';
      /** Whether nothing of the request had left. */
      readonly unsent?: boolean;
    };

export type Answered = Extract<Attempted, { ended: 'answered' }>;

/** Sends one request and waits for its whole answer, headers and body, within the limit. Never rejects because of the network. */
export interface Transport {
  /** Sends a request. The limit ends it, also where it is not connected yet. */
  send(request: AttemptRequest, limit: Limit): Promise<Attempted>;
}
