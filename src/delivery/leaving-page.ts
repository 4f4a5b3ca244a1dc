/** What all requests with `keepalive` of a page may hold together, by the fetch standard; a little is left to the page's own. */
const MOST_BYTES = 60 * 1024;
/** Chromium takes 20 of a page at a time, and refuses the next. */
const MOST_REQUESTS = 15;

/** Of all clients, since the page has one room for all. */
let bytes = 0;
let requests = 0;

/**
 * Takes the room that a body needs to outlive its page, and returns what gives it back; undefined where there is none,
 * since a browser refuses what it has no room for and does not say why.
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

/** Does some work until the page goes away: undefined where it had not come to its end by then. */
export function untilPageHides<T>(work: () => Promise<T>): Promise<T | undefined> {
  const listening = new AbortController();
  return Promise.race([work(), pageHidden(listening.signal).then(() => undefined)]).finally(() => listening.abort());
}

interface Page {
  addEventListener?(type: 'pagehide', listener: () => void, options: { once: true; signal: AbortSignal }): void;
}

/** Resolves when the page goes away; never where there is none. The signal ends the listening. */
export const pageHidden = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    (globalThis as Page).addEventListener?.('pagehide', () => resolve(), { once: true, signal });
  });
