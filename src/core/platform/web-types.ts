/**
 * Web types for public signatures. A consumer's project may load the DOM's types, Node.js's, or neither, so nothing
 * here names one: each alias is the consumer's own type if it exists, else a structural replacement.
 */

/** Replaces `AbortSignal`. Every one fits. */
export interface AbortSignalLike {
  /** Whether it was aborted. */
  readonly aborted: boolean;
  /** Adds a listener for the abort. */
  addEventListener(type: 'abort', listener: () => void): void;
  /** Removes the listener. */
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Replaces the request type if the consumer's project has none. */
interface RequestLike {
  /** The whole URL. */
  readonly url: string;
  /** The HTTP method. */
  readonly method: string;
  /** Headers by name. */
  readonly headers: {
    /** One header, by its name. */
    get(name: string): string | null;
  };
}

/** The consumer's own `Request`, or its replacement. */
export type WebRequest = typeof globalThis extends { Request: { prototype: infer T } } ? T : RequestLike;
/** The consumer's own `Response`, or its replacement. */
export type WebResponse = typeof globalThis extends { Response: { prototype: infer T } }
  ? T
  : FetchResponse & {
      /** The whole body, parsed as JSON. */
      json(): Promise<unknown>;
    };
/** The consumer's own `URL`, or its replacement. */
export type WebUrl = typeof globalThis extends { URL: { prototype: infer T } }
  ? T
  : {
      /** The whole address. */
      readonly href: string;
    };
/** The consumer's own `AbortSignal`, or its replacement. React Native's is only found as a part of its `fetch`. */
export type WebAbortSignal = typeof globalThis extends { AbortSignal: { prototype: infer T } }
  ? T
  : typeof globalThis extends { fetch(url: string, init?: { signal?: infer T }): unknown }
    ? NonNullable<T>
    : AbortSignalLike;

/** The init that the SDK passes to `fetch` with the URL. */
export interface FetchInit {
  /** The HTTP method. */
  method: string;
  /** Headers by name. */
  headers: Record<string, string>;
  /** The body of the request, as text. */
  body?: string;
  /** Cancels the request. */
  signal: WebAbortSignal;
  /** Redirects are not followed: they would forward the key. */
  redirect?: 'manual';
  /** Whether cookies are sent. */
  credentials?: 'omit' | 'same-origin' | 'include';
  /** No referrer is sent. */
  referrerPolicy?: 'no-referrer';
  /** Whether it outlives the page. */
  keepalive?: boolean;
}

/** The parts of an answer that the SDK reads. Every `Response` fits. */
export interface FetchResponse {
  /** The HTTP status of the answer. */
  readonly status: number;
  /** Headers by name. */
  readonly headers: {
    /** One header, by its name. */
    get(name: string): string | null;
  };
  /** `'default'` if it was made in this process. Any other value means that it came over a network. */
  readonly type?: string;
  /** The body, unread. */
  readonly body?: unknown;
  /** The whole body as text. */
  text(): Promise<string>;
}

/**
 * A `fetch` function: the platform's, a wrapped one, or a mock gateway's. It is always called with a URL and an init.
 */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;
