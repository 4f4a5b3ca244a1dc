/**
 * Web types for public signatures. A consumer's project may load the DOM's types, Node.js's, or neither, so
 * nothing here names one: each alias is the consumer's own type where it exists, else a structural stand-in.
 */

/** What stands for an `AbortSignal`; every one fits. */
export interface AbortSignalLike {
  /** Whether it was aborted. */
  readonly aborted: boolean;
  /** Hears when it is aborted. */
  addEventListener(type: 'abort', listener: () => void): void;
  /** Hears no more. */
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** What stands for a request where the consumer's project has no such type. */
export interface RequestLike {
  /** The whole address that was asked. */
  readonly url: string;
  /** The HTTP method. */
  readonly method: string;
  /** Headers by name. */
  readonly headers: {
    /** One header, by its name. */
    get(name: string): string | null;
  };
}

/** The consumer's own `Request`, or what stands for it. */
export type WebRequest = typeof globalThis extends { Request: { prototype: infer T } } ? T : RequestLike;
/** The consumer's own `Response`, or what stands for it. */
export type WebResponse = typeof globalThis extends { Response: { prototype: infer T } }
  ? T
  : FetchResponse & {
      /** The whole body, parsed as JSON. */
      json(): Promise<unknown>;
    };
/** The consumer's own `URL`, or what stands for it. */
export type WebUrl = typeof globalThis extends { URL: { prototype: infer T } }
  ? T
  : {
      /** The whole address. */
      readonly href: string;
    };
/** The consumer's own `AbortSignal`, or what stands for it. */
export type WebAbortSignal = typeof globalThis extends { AbortSignal: { prototype: infer T } } ? T : AbortSignalLike;

/** What the SDK passes to `fetch` beside the address. */
export interface FetchInit {
  /** The HTTP method. */
  method: string;
  /** Headers by name. */
  headers: Record<string, string>;
  /** What is sent. */
  body?: string;
  /** Ends the request. */
  signal: WebAbortSignal;
  /** Redirects are not followed: the key would travel. */
  redirect?: 'manual';
  /** Whether cookies go along. */
  credentials?: 'omit' | 'same-origin' | 'include';
  /** The page is not named. */
  referrerPolicy?: 'no-referrer';
  /** Whether it outlives the page. */
  keepalive?: boolean;
}

/** What the SDK reads of an answer; every `Response` fits. */
export interface FetchResponse {
  /** The HTTP status of the answer. */
  readonly status: number;
  /** Headers by name. */
  readonly headers: {
    /** One header, by its name. */
    get(name: string): string | null;
  };
  /** `'default'` where it was made in this process; any other value says that it came over a network. */
  readonly type?: string;
  /** What was answered, unread. */
  readonly body?: unknown;
  /** The whole body as text. */
  text(): Promise<string>;
}

/** A `fetch` function: the platform's, a wrapped one, or a mock gateway's. Always called with an address and an init. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** A `CryptoKey` that was imported for HKDF; every one fits. */
export interface HkdfKeyLike {
  /** What the key is for. */
  readonly algorithm: {
    /** The algorithm's name: `'HKDF'`. */
    readonly name: string;
  };
  /** What may be done with it: `'deriveBits'` or `'deriveKey'` must be among them. */
  readonly usages: readonly string[];
}
