import type { Limit } from '../platform/time.js';

/** One request, as a channel makes it. */
export interface AttemptRequest {
  readonly url: string;
  /** Beside those of every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** In a browser: whether cookies go with it. */
  readonly credentials: 'same-origin' | 'include' | 'omit';
  /** In a browser: whether it should outlive its page, if there is room for it. */
  readonly keepalive: boolean;
}

/** What broke, as far as the platform tells. */
export interface Broken {
  /** What happened and what to look at; never the platform's own words, which may hold anything. */
  readonly text: string;
  /** Whether the request certainly never left. */
  readonly notSent: boolean;
  readonly retryable: boolean;
  /** Whether it was a proxy that answered. */
  readonly foreign?: boolean;
}

/** How one request ended. */
export type Attempted =
  /** `measured`: whether the answer proves that its whole body was read. */
  | {
      readonly ended: 'answered';
      readonly status: number;
      /** One header of the answer, by its name in lower case. */
      header(name: string): string | null;
      readonly text: string | undefined;
      readonly measured: boolean;
    }
  | { readonly ended: 'broken'; readonly failure: Broken }
  /** `unsent`: nothing of it had left. */
  | { readonly ended: 'timeout'; readonly unsent?: boolean }
  | { readonly ended: 'aborted'; readonly unsent?: boolean };

export type Answered = Extract<Attempted, { ended: 'answered' }>;

/** Sends one request and waits for its whole answer, headers and body, within the limit. Never rejects because of the network. */
export interface Transport {
  /** Sends a request. The limit ends it, also where it is not connected yet. */
  send(request: AttemptRequest, limit: Limit): Promise<Attempted>;
}
