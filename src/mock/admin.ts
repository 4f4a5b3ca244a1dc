import { BadInput } from './admin-query.js';
import { type AdminCall, type AdminParts, adminRoutes } from './admin-routes.js';
import { type MockAnswer, refuse } from './answers.js';
import { createGuard, type GuardOptions } from './guard.js';
import type { MockGateway } from './interface.js';
import { LONGEST_BODY, readText } from './read-body.js';

export const ADMIN_PATH = '/__admin/';

const LONGEST_STATE = 16 * LONGEST_BODY;
/** Deeper than any valid request needs. The state that is stored must also be returned. */
const MOST_NESTED = 32;

export interface AdminOptions extends GuardOptions, AdminParts {
  /** The inspector: the file at a path, `/` first. */
  readonly page?: ((path: string) => Response | undefined) | undefined;
}

/** Answers the server's own routes. Undefined for a path of the gateway. */
export type Admin = (request: Request) => Promise<Response | undefined>;

/**
 * The server's own routes, below `/__admin/`, and the inspector at `/`. Other processes use them to read and change the
 * gateway, as a test in the same process does with the gateway's methods.
 *
 * @example
 * ```ts
 * const admin = createAdmin(gateway, { address: 'http://127.0.0.1:4010', version: '1.0.0' });
 * const answer = (await admin(request)) ?? (await gateway.fetch(request));
 * ```
 */
export function createAdmin(gateway: MockGateway, options: AdminOptions): Admin {
  const guard = createGuard(options);
  const routes = adminRoutes(gateway, options);

  async function answer(request: Request, url: URL): Promise<MockAnswer | Response> {
    const refused = guard.admin(request);
    if (refused) return refused;
    const methods = routes.get(url.pathname.slice(ADMIN_PATH.length));
    if (!methods) return refuse(404, `There is no such path; known are ${[...routes.keys()].map((name) => ADMIN_PATH + name).join(', ')}`);
    const route = methods[request.method === 'HEAD' ? 'GET' : request.method];
    const allow = Object.keys(methods).join(', ');
    if (!route) return refuse(405, `Use ${allow}`, { allow });
    try {
      return await route({ request, query: url.searchParams, json: () => readJson(request, url.pathname.endsWith('/state') ? LONGEST_STATE : LONGEST_BODY) });
    } catch (error) {
      if (error instanceof TooLarge) return refuse(413, error.message);
      // The gateway throws a TypeError for bad input. Its message is for the sender.
      if (error instanceof TypeError) return refuse(400, error.message);
      throw error;
    }
  }

  return async (request) => {
    const url = new URL(request.url);
    if (`${url.pathname}/`.startsWith(ADMIN_PATH)) return toResponse(await answer(request, url));
    const file = request.method === 'GET' || request.method === 'HEAD' ? options.page?.(url.pathname) : undefined;
    if (!file) return undefined;
    const refused = guard.page(request);
    return refused ? toResponse(refused) : file;
  };
}

class TooLarge extends Error {}

const readJson: (request: Request, most: number) => ReturnType<AdminCall['json']> = async (request, most) => {
  const text = await readText(request, most);
  if (text === undefined) throw new TooLarge(`The body is larger than ${most} bytes`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BadInput('The body is not JSON');
  }
  if (isNested(value, MOST_NESTED)) throw new BadInput(`The body is nested deeper than ${MOST_NESTED} levels`);
  return value;
};

const isNested = (value: unknown, most: number): boolean =>
  typeof value === 'object' && value !== null && (most === 0 || Object.values(value).some((member) => isNested(member, most - 1)));

function toResponse(answer: MockAnswer | Response): Response {
  if (answer instanceof Response) return answer;
  const { status, body, headers } = answer;
  return new Response(body === undefined ? null : JSON.stringify(body), {
    status,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  });
}
