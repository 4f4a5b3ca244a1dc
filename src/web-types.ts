/**
 * Web types for public signatures. A consumer's project may load the DOM's types, Node.js's, or neither, so
 * nothing here names one: each alias is the consumer's own type where it exists, else a structural stand-in.
 */

export interface AbortSignalLike {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** What stands for a request where the consumer's project has no such type. */
export interface RequestLike {
  readonly url: string;
  readonly method: string;
  readonly headers: { get(name: string): string | null };
}

export type WebRequest = typeof globalThis extends { Request: { prototype: infer T } } ? T : RequestLike;
export type WebResponse = typeof globalThis extends { Response: { prototype: infer T } } ? T : FetchResponse & { json(): Promise<unknown> };
export type WebUrl = typeof globalThis extends { URL: { prototype: infer T } } ? T : { readonly href: string };
export type WebAbortSignal = typeof globalThis extends { AbortSignal: { prototype: infer T } } ? T : AbortSignalLike;

/** What the SDK passes to `fetch` beside the address. */
export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body?: string;
  signal: WebAbortSignal;
  redirect?: 'manual';
  credentials?: 'omit' | 'same-origin' | 'include';
  referrerPolicy?: 'no-referrer';
  keepalive?: boolean;
}

/** What the SDK reads of an answer; every `Response` fits. */
export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body?: unknown;
  text(): Promise<string>;
}

/** A `fetch` function: the platform's, a wrapped one, or a mock gateway's. Always called with an address and an init. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** A `CryptoKey` that was imported for HKDF; every one fits. */
export interface HkdfKeyLike {
  readonly algorithm: { readonly name: string };
  readonly usages: readonly string[];
}
