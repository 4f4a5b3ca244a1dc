import { isMeasured, readBody } from '../platform/body.js';
import { withTimeout } from '../platform/time.js';
import type { Fetch, FetchInit, FetchResponse } from '../platform/web-types.js';
import type { AttemptRequest, Broken, Transport } from './transport.js';

/**
 * The limit for all requests with `keepalive` of a page together, by the fetch standard. A little is left for the
 * page's own requests.
 */
const MOST_BYTES = 60 * 1024;
/** Chromium accepts 20 of a page at a time, and refuses the next. */
const MOST_REQUESTS = 15;

/** Counted over all clients, since the limit is the page's. */
let bytes = 0;
let requests = 0;

/**
 * Returns a function that releases the space. Undefined if it is used up: a browser refuses that request without saying
 * why. Also undefined in an app, which has no page.
 */
function reserveKeepalive(body: string): (() => void) | undefined {
  if (!globalThis.TextEncoder) return undefined;
  const size = new TextEncoder().encode(body).byteLength;
  if (bytes + size > MOST_BYTES || requests >= MOST_REQUESTS) return undefined;
  bytes += size;
  requests += 1;
  return () => {
    bytes -= size;
    requests -= 1;
  };
}

/** Undefined if the work had not finished when the page was left. */
export async function untilPageHides<T>(work: () => Promise<T>): Promise<T | undefined> {
  const listening = new AbortController();
  try {
    return await Promise.race([work(), pageHidden(listening.signal).then(() => undefined)]);
  } finally {
    listening.abort();
  }
}

interface PageEvents {
  addEventListener?(type: 'pagehide', listener: () => void): void;
  removeEventListener?(type: 'pagehide', listener: () => void): void;
}

/** Resolves when the page is left; never outside a page. The signal removes the listener. */
export const pageHidden = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const scope = globalThis as unknown as PageEvents;
    const hidden = () => resolve();
    scope.addEventListener?.('pagehide', hidden);
    signal.addEventListener('abort', () => scope.removeEventListener?.('pagehide', hidden));
  });

export const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json' } as const;

/** Sends a request, and resolves with its answer when the headers have arrived. */
export type Send = (url: string, init: FetchInit & { body: string }) => Promise<FetchResponse>;

interface FetchRuntime {
  /** A page's requests set the cookies and omit the referrer. Other runtimes refuse these options. */
  readonly inPage: boolean;
  /** `answered`: the headers had arrived. */
  readBroken(error: unknown, answered: boolean): Broken;
}

/** A browser may have sent the request, and does not say why it failed. */
export const BROWSER_PAGE: FetchRuntime = {
  inPage: true,
  readBroken: () => ({
    text: "no answer came, and no reason; check the address, the network, and that a page's origin is allowed (CORS; allowedOrigins of a relay)",
    notSent: false,
    retryable: true,
  }),
};

/** Errors of the function do not leave the transport: they contain headers and bodies. */
export const transportBy = (send: Send, { inPage, readBroken }: FetchRuntime): Transport => ({
  async send({ url, headers, body, credentials, keepalive }: AttemptRequest, limit) {
    let hasAnswered = false;
    const releaseKeepalive = inPage && keepalive ? reserveKeepalive(body) : undefined;
    const result = await withTimeout(async (signal) => {
      const response = await send(url, {
        method: 'POST',
        headers: { ...JSON_HEADERS, ...headers },
        body,
        signal,
        // A redirect would forward the key, or the player's session.
        redirect: 'manual',
        ...(inPage && { credentials, referrerPolicy: 'no-referrer' }),
        ...(releaseKeepalive && { keepalive: true }),
      });
      hasAnswered = true;
      const text = await readBody(response, signal);
      const { status, headers: answered } = response;
      return {
        status,
        header: (name: string) => answered.get(name),
        text,
        measured: text !== undefined && isMeasured(response),
      };
    }, limit);
    releaseKeepalive?.();
    if (result.ended === 'done') return { ended: 'answered', ...result.value };
    return result.ended === 'failed' ? { ended: 'broken', failure: readBroken(result.error, hasAnswered) } : result;
  },
});

export const pageTransport = (fetch: Fetch = (url, init) => globalThis.fetch(url, init)): Transport =>
  transportBy(fetch, BROWSER_PAGE);
