import { type MockAnswer, refuse } from './answers.js';

export interface GuardOptions {
  /** The server's own address, such as `http://127.0.0.1:4010`. */
  readonly address: string;
  /** The token that a caller must send. Without one, the server answers only under its own host names. */
  readonly token?: string | undefined;
}

/** Says why a request is refused. Undefined if it is allowed. */
export interface Guard {
  /** For routes that need protection from other pages (DNS rebinding, cross-origin requests) and from callers without the token. */
  admin(request: Request): MockAnswer | undefined;
  /** The same without the token: for files that contain nothing to protect. */
  page(request: Request): MockAnswer | undefined;
}

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

export function createGuard({ address, token }: GuardOptions): Guard {
  const { port, host } = new URL(address);
  const hosts = new Set([host, ...LOOPBACK_NAMES.map((name) => (port ? `${name}:${port}` : name))]);

  /** A page reached by a foreign host name cannot have the token, so a caller with the token may use any name. */
  function check(request: Request, isTrusted: boolean): MockAnswer | undefined {
    const url = new URL(request.url);
    if (!isTrusted && !hosts.has(url.host)) return refuse(403, `The Host header must be one of ${[...hosts].join(', ')}`);
    const origin = request.headers.get('origin');
    if (origin !== null && origin !== url.origin) return refuse(403, "The Origin header is not this server's own address");
    // Browsers send this header with requests from another site, even if they send no Origin.
    if (request.headers.get('sec-fetch-site') === 'cross-site') return refuse(403, 'Another site may not ask for this');
    return undefined;
  }

  return {
    page: (request) => check(request, token !== undefined),
    admin(request) {
      if (token === undefined) return check(request, false);
      const given = tokenOf(request);
      if (given !== undefined && isSame(given, token)) return check(request, true);
      const problem = given === undefined ? 'missing' : 'invalid';
      const message = `The admin token is ${problem}: send it as "authorization: Bearer …" or "x-admin-token: …"`;
      return check(request, false) ?? refuse(401, message, { 'www-authenticate': 'Bearer' });
    },
  };
}

const tokenOf = ({ headers }: Request): string | undefined =>
  /^bearer +(.+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? headers.get('x-admin-token') ?? undefined;

/** Compares the whole text even after a difference, so that the time reveals little. */
function isSame(given: string, wanted: string): boolean {
  let difference = given.length ^ wanted.length;
  for (let index = 0; index < given.length; index += 1) difference |= given.charCodeAt(index) ^ wanted.charCodeAt(index % wanted.length);
  return difference === 0;
}
