import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Console } from '../console/console.js';
import { ENTER_PATH, enterAnswer } from '../console/enter.js';
import { isSame } from '../console/token.js';
import type { WebRequest } from '../platform/web-types.js';
import { toNodeHandler } from './relay-handler.js';

/** A console on this machine alone. */
export interface ConsoleServer {
  /** Its address with the token that lets one browser in, once. */
  readonly address: string;
  /** Ends it at once, with open connections. */
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
/** How long a request may take to come in, so that what is never finished ends nevertheless. */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 5_000, connectionsCheckingInterval: 5_000 };

const secret = () => randomBytes(32).toString('base64url');

/**
 * Serves a console on loopback. The token in its address is exchanged once for the cookie of a session; the console made by `make`
 * is told whether a request has that cookie. Another host's name in a request is refused, since a page elsewhere may let its own name
 * lead to this machine.
 */
export async function serveConsole(make: (isLoggedIn: (request: WebRequest) => boolean) => Console, port: number): Promise<ConsoleServer> {
  let token: string | undefined = secret();
  const session = secret();
  let hosts: readonly string[] = [];
  let cookie = '';

  const isLoggedIn = ({ headers }: WebRequest): boolean =>
    (headers.get('cookie') ?? '').split(/; ?/).some((one) => one.startsWith(`${cookie}=`) && isSame(one.slice(cookie.length + 1), session));

  const handler = make(isLoggedIn);
  const enter = (given: string): string | undefined => {
    if (token === undefined || !isSame(given, token)) return undefined;
    token = undefined;
    return `${cookie}=${session}; Path=/; HttpOnly; SameSite=Strict`;
  };
  const handle = toNodeHandler(async (request, connection) =>
    new URL(request.url).pathname.startsWith(ENTER_PATH) ? enterAnswer(request as Request, enter) : handler(request, connection),
  );
  const isOwnHost = ({ headers: { host } }: IncomingMessage) => host !== undefined && hosts.includes(host);
  const server = createServer(LIMITS, (incoming, outgoing) => {
    if (isOwnHost(incoming)) void handle(incoming, outgoing);
    else outgoing.writeHead(403, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end('This is not accepted.\n');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { port: taken } = server.address() as AddressInfo;
  hosts = [`${HOST}:${taken}`, `localhost:${taken}`];
  // Browsers give a cookie to every port of a host, so each console has a name of its own.
  cookie = `location-sdk-console-${taken}`;
  return {
    address: `http://${HOST}:${taken}${ENTER_PATH}#${token}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
