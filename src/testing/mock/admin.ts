import { readBody } from '../../core/platform/body.js';
import { toResponse } from '../../core/web/answer.js';
import { parseJson } from '../../core/web/read-json.js';
import { isSameSecret } from '../../core/web/same-secret.js';
import { adminRoutes, type RouteOptions } from './admin-routes.js';
import { type MockAnswer, refuse } from './answers.js';
import { inspectorPage } from './inspector-page.js';
import type { MockGateway } from './interface.js';
import { LONGEST_REQUEST } from './respond.js';

export const ADMIN_PATH = '/__admin/';

const LONGEST_STATE = 16 * LONGEST_REQUEST;

export interface AdminOptions extends RouteOptions {
  /** The server's own address, such as `http://127.0.0.1:4010`. */
  readonly address: string;
  /** The token that a caller must send. Without one, the server answers only under its own host names. */
  readonly token?: string | undefined;
}

export type Admin = (request: Request) => Promise<Response | undefined>;

/**
 * Other processes use these routes and the inspector at `/` to read and change the gateway, as a test in the same
 * process does with the gateway's methods.
 */
export function createAdmin(gateway: MockGateway, options: AdminOptions): Admin {
  const guard = createGuard(options);
  const routes = adminRoutes(gateway, options);

  async function answer(request: Request, url: URL): Promise<MockAnswer> {
    const refused = guard.admin(request);
    if (refused) return refused;
    const methods = routes.get(url.pathname.slice(ADMIN_PATH.length));
    if (!methods)
      return refuse(
        404,
        `There is no such path; known are ${[...routes.keys()].map((name) => ADMIN_PATH + name).join(', ')}`,
      );
    const route = methods[request.method === 'HEAD' ? 'GET' : request.method];
    const allow = Object.keys(methods).join(', ');
    if (!route) return refuse(405, `Use ${allow}`, { allow });
    try {
      return await route({
        request,
        query: url.searchParams,
        json: () => readJson(request, url.pathname.endsWith('/state') ? LONGEST_STATE : LONGEST_REQUEST),
      });
    } catch (error) {
      if (error instanceof TooLarge) return refuse(413, error.message);
      // The gateway throws a TypeError for bad input. Its message is for the sender.
      if (error instanceof TypeError) return refuse(400, error.message);
      throw error;
    }
  }

  return async (request) => {
    const url = new URL(request.url);
    if (`${url.pathname}/`.startsWith(ADMIN_PATH)) return responseOf(await answer(request, url));
    const file = request.method === 'GET' || request.method === 'HEAD' ? inspectorPage(url.pathname) : undefined;
    if (!file) return undefined;
    const refused = guard.page(request);
    return refused ? responseOf(refused) : file;
  };
}

class TooLarge extends Error {}

async function readJson(request: Request, most: number): Promise<unknown> {
  const text = await readBody(request, undefined, most);
  if (text === undefined) throw new TooLarge(`The body is larger than ${most} bytes`);
  const value = parseJson(text);
  if (value === undefined) throw new TypeError('The body is not JSON');
  return value;
}

const responseOf = (answer: MockAnswer): Response =>
  toResponse(answer, { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** Refuses another page (DNS rebinding, cross-origin), and a caller without the token. */
function createGuard({ address, token }: AdminOptions) {
  const { port, host } = new URL(address);
  const hosts = new Set([host, ...LOOPBACK_NAMES.map((name) => (port ? `${name}:${port}` : name))]);

  /** A page reached by a foreign host name cannot have the token, so a caller with the token may use any name. */
  function check(request: Request, isTrusted: boolean): MockAnswer | undefined {
    const url = new URL(request.url);
    if (!isTrusted && !hosts.has(url.host))
      return refuse(403, `The Host header must be one of ${[...hosts].join(', ')}`);
    const origin = request.headers.get('origin');
    if (origin !== null && origin !== url.origin)
      return refuse(403, "The Origin header is not this server's own address");
    // Browsers send this header with requests from another site, even if they send no Origin.
    if (request.headers.get('sec-fetch-site') === 'cross-site') return refuse(403, 'Another site may not ask for this');
    return undefined;
  }

  return {
    /** For files, which contain nothing to protect, the token is not needed. */
    page: (request: Request) => check(request, token !== undefined),
    admin(request: Request): MockAnswer | undefined {
      if (token === undefined) return check(request, false);
      const given = tokenOf(request);
      if (given !== undefined && isSameSecret(given, token)) return check(request, true);
      const problem = given === undefined ? 'missing' : 'invalid';
      const message = `The admin token is ${problem}: send it as "authorization: Bearer …" or "x-admin-token: …"`;
      return check(request, false) ?? refuse(401, message, { 'www-authenticate': 'Bearer' });
    },
  };
}

const tokenOf = ({ headers }: Request): string | undefined =>
  /^bearer +(.+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? headers.get('x-admin-token') ?? undefined;
