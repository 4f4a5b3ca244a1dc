import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WebRequest } from '../../core/platform/web-types.js';
import { senderOf } from '../../core/web/origin.js';
import { isSameSecret } from '../../core/web/same-secret.js';
import { json, refusals, textAnswer, toResponse } from '../console/answers.js';
import type { Console } from '../console/console.js';
import { listen } from './http.js';
import { toNodeHandler } from './node-handler.js';

const ENTER_PATH = '/enter';
const SCRIPT_PATH = '/enter.js';

const MOST_BYTES = 1_000;

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Outbox</title><script type="module" src=".${SCRIPT_PATH}"></script><h1>Outbox</h1><p role="status">One moment…</p></html>`;

/** The token stands behind the #, which no browser sends or logs, and is gone from the address before it is used. */
const SCRIPT = `const token = location.hash.slice(1);
history.replaceState(null, '', location.pathname);
const headers = { 'content-type': 'application/json', 'x-location-sdk': '1' };
const answer = await fetch('.${ENTER_PATH}', { method: 'POST', headers, body: JSON.stringify({ token }) }).catch(() => undefined);
if (answer?.ok) location.replace('./');
else document.querySelector('p').textContent = 'This address was used already, or it is not whole. Start the command again for a new one.';
`;

const HOST = '127.0.0.1';
const secret = () => randomBytes(32).toString('base64url');

/**
 * Serves a console on loopback. The token in its address is exchanged once for the cookie of a session; the console
 * made by `make` is told whether a request has that cookie. Another host's name in a request is refused, since a page
 * elsewhere may let its own name lead to this machine.
 */
export async function serveConsole(make: (isLoggedIn: (request: WebRequest) => boolean) => Console, port: number) {
  let token: string | undefined = secret();
  const session = secret();
  let hosts: readonly string[] = [];
  let cookie = '';

  const isLoggedIn = ({ headers }: WebRequest): boolean =>
    (headers.get('cookie') ?? '')
      .split(/; ?/)
      .some((one) => one.startsWith(`${cookie}=`) && isSameSecret(one.slice(cookie.length + 1), session));

  const handler = make(isLoggedIn);
  const enter = (given: string): string | undefined => {
    if (token === undefined || !isSameSecret(given, token)) return undefined;
    token = undefined;
    return `${cookie}=${session}; Path=/; HttpOnly; SameSite=Strict`;
  };
  const handle = toNodeHandler(async (request, connection) =>
    new URL(request.url).pathname.startsWith(ENTER_PATH)
      ? enterAnswer(request as Request, enter)
      : handler(request, connection),
  );
  const isOwnHost = ({ headers: { host } }: IncomingMessage) => host !== undefined && hosts.includes(host);
  const listener = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    if (isOwnHost(incoming)) void handle(incoming, outgoing);
    else
      outgoing
        .writeHead(403, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
        .end('This is not accepted.\n');
  };
  const { address, close } = await listen(listener, port, HOST);
  const taken = address.port;
  hosts = [`${HOST}:${taken}`, `localhost:${taken}`];
  // Browsers give a cookie to every port of a host, so each console has a name of its own.
  cookie = `location-sdk-console-${taken}`;
  return { address: `http://${HOST}:${taken}${ENTER_PATH}#${token}`, close };
}

/** `enter` gives the cookie for the right token. */
async function enterAnswer(request: Request, enter: (token: string) => string | undefined): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  if (search !== '') return toResponse(refusals.noSuchPath);
  if (pathname === SCRIPT_PATH)
    return toResponse(request.method === 'GET' ? textAnswer('text/javascript', SCRIPT) : refusals.method('GET'));
  if (pathname !== ENTER_PATH) return toResponse(refusals.noSuchPath);
  if (request.method === 'GET') return toResponse(textAnswer('text/html', PAGE));
  if (request.method !== 'POST') return toResponse(refusals.method('GET, POST'));
  const isOwn = senderOf(request, new Set()).kind === 'own' && request.headers.get('x-location-sdk') === '1';
  if (!isOwn) return toResponse(refusals.foreign);
  const cookie = enter(await tokenIn(request));
  return toResponse(cookie === undefined ? refusals.noSession : json({}, { 'set-cookie': cookie }));
}

async function tokenIn(request: Request): Promise<string> {
  if (Number(request.headers.get('content-length') ?? MOST_BYTES + 1) > MOST_BYTES) return '';
  try {
    const { token } = (await request.json()) as { token?: unknown };
    return typeof token === 'string' ? token : '';
  } catch {
    return '';
  }
}
