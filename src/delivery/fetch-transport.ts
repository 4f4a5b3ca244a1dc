import { isMeasured, readBody } from '../platform/body.js';
import { withTimeout } from '../platform/time.js';
import type { Fetch, FetchInit, FetchResponse } from '../platform/web-types.js';
import { takeRoom } from './leaving-page.js';
import type { AttemptRequest, Broken, Transport } from './transport.js';

/** The headers of every request. */
export const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json' } as const;

/** Sends a request, and resolves with its answer when the headers have arrived. */
export type Send = (url: string, init: FetchInit & { body: string }) => Promise<FetchResponse>;

/** The runtime from which a request is sent. */
export interface FetchRuntime {
  /** A page's requests set the cookies and omit the referrer. Other runtimes refuse these options. */
  readonly inPage: boolean;
  /** Reads a thrown error. `answered`: the headers had arrived. */
  readBroken(error: unknown, answered: boolean): Broken;
}

/** A browser may have sent the request, and does not say why it failed. */
export const BROWSER_PAGE: FetchRuntime = {
  inPage: true,
  readBroken: () => ({
    text: "no answer came, and a browser does not say why; check the address, the network, and that this page's origin is allowed (CORS)",
    notSent: false,
    retryable: true,
  }),
};

/** A transport over a function like `fetch`. Errors of that function do not leave it: they contain headers and bodies. */
export const transportBy = (send: Send, { inPage, readBroken }: FetchRuntime): Transport => ({
  async send({ url, headers, body, credentials, keepalive }: AttemptRequest, limit) {
    let hasAnswered = false;
    const leaveRoom = inPage && keepalive ? takeRoom(body) : undefined;
    const result = await withTimeout(async (signal) => {
      const response = await send(url, {
        method: 'POST',
        headers: { ...JSON_HEADERS, ...headers },
        body,
        signal,
        // A redirect would forward the key, or the player's session.
        redirect: 'manual',
        ...(inPage && { credentials, referrerPolicy: 'no-referrer' }),
        ...(leaveRoom && { keepalive: true }),
      });
      hasAnswered = true;
      const text = await readBody(response, signal);
      const { status, headers: answered } = response;
      return { status, header: (name: string) => answered.get(name), text, measured: text !== undefined && isMeasured(response) };
    }, limit);
    leaveRoom?.();
    if (result.ended === 'done') return { ended: 'answered', ...result.value };
    return result.ended === 'failed' ? { ended: 'broken', failure: readBroken(result.error, hasAnswered) } : result;
  },
});

/** The transport of pages: `fetch`. */
export const pageTransport = (fetch: Fetch = (url, init) => globalThis.fetch(url, init)): Transport => transportBy(fetch, BROWSER_PAGE);
