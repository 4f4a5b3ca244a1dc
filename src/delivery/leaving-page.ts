/** The limit for all requests with `keepalive` of a page together, by the fetch standard. A little is left for the page's own requests. */
const MOST_BYTES = 60 * 1024;
/** Chromium accepts 20 of a page at a time, and refuses the next. */
const MOST_REQUESTS = 15;

/** Counted over all clients, since the limit is the page's. */
let bytes = 0;
let requests = 0;

/**
 * Reserves the space that a body needs to outlive its page, and returns a function that releases it. Undefined if the
 * space is used up: a browser refuses that request without saying why.
 */
export function takeRoom(body: string): (() => void) | undefined {
  const size = new TextEncoder().encode(body).byteLength;
  if (bytes + size > MOST_BYTES || requests >= MOST_REQUESTS) return undefined;
  bytes += size;
  requests += 1;
  return () => {
    bytes -= size;
    requests -= 1;
  };
}

/** Runs some work until the page is left. Undefined if it had not finished by then. */
export function untilPageHides<T>(work: () => Promise<T>): Promise<T | undefined> {
  const listening = new AbortController();
  return Promise.race([work(), pageHidden(listening.signal).then(() => undefined)]).finally(() => listening.abort());
}

interface Page {
  addEventListener?(type: 'pagehide', listener: () => void, options: { once: true; signal: AbortSignal }): void;
}

/** Resolves when the page is left; never outside a page. The signal removes the listener. */
export const pageHidden = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    (globalThis as Page).addEventListener?.('pagehide', () => resolve(), { once: true, signal });
  });
