import type { Logger } from '../platform/logger.js';
import { unlessThrown } from '../platform/unless-thrown.js';
import { isLoopback } from '../protocol/addresses.js';
import { issue, type ValidationIssue } from '../schema/issue.js';
import { createNotes } from './hooks.js';

const isSecure = (url: URL) => url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));

/** An origin as `Origin` headers name it, if its pages have a safe connection. */
function secureOriginOf(origin: unknown): URL | undefined {
  const url = unlessThrown(() => new URL(origin as string));
  return url?.origin === origin && url && isSecure(url) ? url : undefined;
}

/** The origin of an app's pages: a scheme of the app's own, which no web page can have. */
const APP_ORIGIN = /^([a-z][a-z0-9+.-]*):\/\/[\w.-]+(:[0-9]+)?$/;
/** Schemes that pages of other senders have, too. */
const SHARED_SCHEMES = [
  'http',
  'https',
  'ws',
  'wss',
  'ftp',
  'file',
  'data',
  'blob',
  'about',
  'javascript',
  'filesystem',
];

const isAppOrigin = (origin: string): boolean => {
  const [, scheme] = APP_ORIGIN.exec(origin) ?? [];
  return scheme !== undefined && !SHARED_SCHEMES.includes(scheme);
};

const isOrigin = (origin: unknown): boolean =>
  secureOriginOf(origin)?.hostname.includes('*') === false || (typeof origin === 'string' && isAppOrigin(origin));

/** The problem with the entries of the option `allowedOrigins`, if it is a list. */
export const originIssues = (allowedOrigins: unknown): ValidationIssue[] =>
  !Array.isArray(allowedOrigins) || allowedOrigins.every(isOrigin)
    ? []
    : [
        issue(
          ['allowedOrigins'],
          'invalid',
          'expected origins such as https://play.example.com, or capacitor://localhost of an app, without a path and without wildcards (http:// is for loopback hosts; null and file: may be any page)',
        ),
      ];

/**
 * The origin of a request: the site of its own address, another allowed origin, none (no page: an app, a server), or
 * any other.
 */
type Sender = { readonly kind: 'own' | 'none' | 'refused' } | { readonly kind: 'other'; readonly origin: string };

/**
 * Reads the headers that name the sender's origin and that no page can forge, `Origin` and `Sec-Fetch-Site`. Each one
 * that is present must fit. Every browser in which the SDK runs sends one.
 */
export function senderOf(request: Request, allowed: ReadonlySet<string>): Sender {
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  if (origin === null && site === null) return { kind: 'none' };
  if (origin !== null && allowed.has(origin)) return { kind: 'other', origin };
  const own =
    (origin === null ? site !== null : isOwn(origin, request.url)) && (site === null || site === 'same-origin');
  return { kind: own ? 'own' : 'refused' };
}

/**
 * The same host and port. A proxy that ends TLS before the server hides the scheme, so the origin's own scheme must be
 * safe.
 */
function isOwn(origin: string, address: string): boolean {
  const url = secureOriginOf(origin);
  return url !== undefined && url.host === hostFor(url.protocol, address);
}

/** The host as a page of that scheme writes it: without the scheme's default port. */
const hostFor = (protocol: string, address: string) => {
  const { host, port } = new URL(address);
  return port === '' ? host : new URL(`${protocol}//${host}`).host;
};

const LONGEST_HOST = 100;

const isHost = (text: string) => text.length <= LONGEST_HOST && /^[\w.:[\]-]+$/.test(text);

function adviceFor(origin: string, what: 'relay' | 'console'): string {
  const setting = `${what === 'relay' ? 'createRelay' : 'createConsole'}({ allowedOrigins: ['${origin}'] })`;
  if (isAppOrigin(origin)) return `name the origin of your app: ${setting}`;
  if (isOrigin(origin))
    return `name it: ${setting}. It must be named if a framework gives requests another address than the browser's (Next.js says localhost), or if a proxy changes the Host header (Vite's server.proxy with changeOrigin: true)`;
  if (origin.startsWith('http:'))
    return `give it an https:// address: a ${what} accepts http:// pages of loopback hosts only`;
  return 'give it an origin of its own, since files and sandboxed frames of any sender have this one: an app loads its pages from a scheme such as app://localhost, which allowedOrigins may name';
}

/**
 * The page does not get the reason of a refusal, so the operator does. A framework or proxy that hides the requested
 * address makes the operator's own pages look like another site. Each origin is logged once.
 */
export function createOriginNotes(logger: Required<Logger>, what: 'relay' | 'console'): (request: Request) => void {
  const note = createNotes(logger);
  return (request) => {
    const origin = request.headers.get('origin') ?? '';
    const host = origin.replace(/^[a-z][a-z0-9+.-]*:\/\//, '');
    const { host: own } = new URL(request.url);
    // Some web views name the origin of a file so.
    if ((origin !== 'file://' && !isHost(host)) || !isHost(own)) return;
    note(
      `a page of ${origin} was refused, since this ${what} was requested as ${own}. If that page is yours, ${adviceFor(origin, what)}`,
      origin,
    );
  };
}
