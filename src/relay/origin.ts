import { isLoopback } from '../protocol/addresses.js';
import { PLAYER_HEADER } from '../protocol/player-header.js';

/** Whether pages of this origin reach whoever they mean to: over https, or on the same machine. */
const isSecure = (url: URL) => url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));

/** What is wrong with an entry of `allowedOrigins`. */
export function originProblem(origin: unknown): string | undefined {
  const expected = 'expected origins such as https://play.example.com, without a path and without wildcards (http:// is for loopback hosts)';
  try {
    const url = new URL(origin as string);
    return url.origin === origin && isSecure(url) && !url.hostname.includes('*') ? undefined : expected;
  } catch {
    return expected;
  }
}

/** Where a request comes from: the relay's own site, another origin that is allowed, or anywhere else. */
export type Sender = { readonly kind: 'own' | 'refused' } | { readonly kind: 'other'; readonly origin: string };

/**
 * Reads what browsers say of who sends a request and no page can forge, `Origin` and `Sec-Fetch-Site`. Each that is there
 * must fit, and one must be there: what says nothing is no browser that the SDK runs in.
 */
export function senderOf(request: Request, allowed: ReadonlySet<string>): Sender {
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  if (origin !== null && allowed.has(origin)) return { kind: 'other', origin };
  const own = (origin === null ? site !== null : isOwn(origin, request.url)) && (site === null || site === 'same-origin');
  return { kind: own ? 'own' : 'refused' };
}

/** The same host and port. What ends TLS before the relay hides the scheme from it, so the origin's own must be a safe one. */
function isOwn(origin: string, address: string): boolean {
  try {
    const url = new URL(origin);
    return url.origin === origin && isSecure(url) && url.host === hostFor(url.protocol, address);
  } catch {
    return false;
  }
}

/** The host as a page of that scheme writes it: without the scheme's own port. */
const hostFor = (protocol: string, address: string) => {
  const { host, port } = new URL(address);
  return port === '' ? host : new URL(`${protocol}//${host}`).host;
};

/** What lets a page of another origin read an answer. */
export const corsHeaders = (origin: string): Record<string, string> => ({
  'access-control-allow-origin': origin,
  // The operator's session is usually a cookie.
  'access-control-allow-credentials': 'true',
  'access-control-expose-headers': 'retry-after',
});

/** What lets a page of another origin ask at all. */
export const preflightHeaders = (more: readonly string[]): Record<string, string> => ({
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': ['content-type', 'x-location-sdk', PLAYER_HEADER, ...more].join(', '),
  'access-control-max-age': '600',
});
