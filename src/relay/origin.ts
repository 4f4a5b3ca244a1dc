import { isLoopback } from '../protocol/addresses.js';
import { PLAYER_HEADER, RELAY_HEADER } from '../protocol/player-header.js';

/** Whether pages of this origin have a safe connection: over https, or on the same machine. */
const isSecure = (url: URL) => url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));

/** The problem with an entry of `allowedOrigins`. */
export function originProblem(origin: unknown): string | undefined {
  const expected = 'expected origins such as https://play.example.com, without a path and without wildcards (http:// is for loopback hosts)';
  try {
    const url = new URL(origin as string);
    return url.origin === origin && isSecure(url) && !url.hostname.includes('*') ? undefined : expected;
  } catch {
    return expected;
  }
}

/** The origin of a request: the relay's own site, another allowed origin, or any other. */
export type Sender = { readonly kind: 'own' | 'refused' } | { readonly kind: 'other'; readonly origin: string };

/**
 * Reads the headers that name the sender's origin and that no page can forge, `Origin` and `Sec-Fetch-Site`. Each one
 * that is present must fit, and one must be present: every browser in which the SDK runs sends one.
 */
export function senderOf(request: Request, allowed: ReadonlySet<string>): Sender {
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  if (origin !== null && allowed.has(origin)) return { kind: 'other', origin };
  const own = (origin === null ? site !== null : isOwn(origin, request.url)) && (site === null || site === 'same-origin');
  return { kind: own ? 'own' : 'refused' };
}

/** The same host and port. A proxy that ends TLS before the relay hides the scheme, so the origin's own scheme must be safe. */
function isOwn(origin: string, address: string): boolean {
  try {
    const url = new URL(origin);
    return url.origin === origin && isSecure(url) && url.host === hostFor(url.protocol, address);
  } catch {
    return false;
  }
}

/** The host as a page of that scheme writes it: without the scheme's default port. */
const hostFor = (protocol: string, address: string) => {
  const { host, port } = new URL(address);
  return port === '' ? host : new URL(`${protocol}//${host}`).host;
};

/** The headers that let a page of another origin read an answer. */
export const corsHeaders = (origin: string): Record<string, string> => ({
  'access-control-allow-origin': origin,
  // The operator's session is usually a cookie.
  'access-control-allow-credentials': 'true',
  'access-control-expose-headers': `retry-after, ${RELAY_HEADER}`,
});

/** The headers that let a page of another origin send a request. */
export const preflightHeaders = (more: readonly string[]): Record<string, string> => ({
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': ['content-type', RELAY_HEADER, PLAYER_HEADER, ...more].join(', '),
  'access-control-max-age': '600',
});
