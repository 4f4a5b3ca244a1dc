import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { ValidationMode } from '../../core/schema/model.js';
import { ADMIN_PATH, type Admin, createAdmin } from '../../testing/mock/admin.js';
import { refuse } from '../../testing/mock/answers.js';
import { createMockGateway } from '../../testing/mock/gateway.js';
import type { MockClientOptions, MockGateway } from '../../testing/mock/interface.js';
import { readMockOptions } from '../../testing/mock/options.js';
import { openApiDocument } from '../../testing/openapi/document.js';
import { listen, sendAnswer, sendResponse, streamBody, toRequest, toWebBody, urlOf } from './http.js';

/** The address of a mock gateway, and the access to its own routes. */
export interface ServeOptions {
  /** 0 takes a free port. Default: 0. */
  port?: number | undefined;
  /**
   * Default: `'127.0.0.1'`, which only this machine can reach. Any address other than loopback needs an `adminToken`.
   */
  host?: string | undefined;
  /**
   * The token that requests to `/__admin/` must send, as `authorization: Bearer …` or `x-admin-token`. Default: none is
   * needed.
   */
  adminToken?: string | undefined;
}

/** A mock gateway on a socket. */
export interface MockServer<Mode extends ValidationMode = ValidationMode> {
  /** Its address, for example `http://127.0.0.1:4010`. */
  readonly url: string;
  /** The mock gateway that answers. */
  readonly gateway: MockGateway<Mode>;
  /** Options for a client that reaches it over HTTP. */
  clientOptions(): MockClientOptions<Mode>;
  /** Closes the server at once, with open connections and pending requests. The recorded reports stay. */
  close(): Promise<void>;
}

/**
 * Serves a mock gateway over HTTP, with its own routes below `/__admin/`. Rejects with a `TypeError` for unsafe
 * options, and with Node.js's own error if it cannot listen.
 *
 * @example
 * ```ts
 * const server = await serve(createMockGateway(), { port: 4010 });
 * const client = createClient(server.clientOptions());
 * ```
 */
export async function serve<Mode extends ValidationMode = 'strict'>(
  gateway: MockGateway<Mode> = createMockGateway<Mode>(),
  options: ServeOptions = {},
): Promise<MockServer<Mode>> {
  readMockOptions('serve', options);
  const { port = 0, host = '127.0.0.1', adminToken } = options;
  if (adminToken !== undefined && !/^[\x21-\x7e]+$/.test(adminToken))
    throw new TypeError('adminToken must consist of visible ASCII characters, without spaces.');
  if (!isLoopback(host) && adminToken === undefined) {
    throw new TypeError(
      `On ${host} other machines can reach the mock gateway, so its reports need an adminToken (on the command line: --admin-token).`,
    );
  }
  const closing = new AbortController();
  let admin: Admin | undefined;
  const listener = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    outgoing.on('error', () => undefined);
    respond(gateway, admin as Admin, closing.signal, incoming, outgoing).catch(() => incoming.socket.destroy());
  };
  const server = await listen(listener, port, host);
  const { address, port: taken, family } = server.address;
  // An address that stands for all interfaces cannot be dialled. This machine reaches itself through loopback.
  const dialled = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address;
  const url = `http://${family === 'IPv6' ? `[${dialled}]` : dialled}:${taken}`;
  const { validation, location } = gateway.clientOptions(url);
  const { duplicateStatus } = gateway;
  const openapi = () =>
    openApiDocument({ address: url, validation, location: { required: location.required }, duplicateStatus });
  admin = createAdmin(gateway, { address: url, pid: process.pid, token: adminToken, openapi });
  return {
    url,
    gateway,
    clientOptions: () => gateway.clientOptions(url),
    close() {
      closing.abort();
      gateway.release();
      return server.close();
    },
  };
}

const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

async function respond(
  gateway: MockGateway,
  admin: Admin,
  closing: AbortSignal,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const url = urlOf(incoming, 'mock-gateway.localhost');
  if (!url) {
    const json = { 'content-type': 'application/json; charset=utf-8' };
    const { status, body } = refuse(400, 'The address or the Host header makes no sense');
    const answer = { status, headers: json, body: JSON.stringify(body), transport: { kind: 'whole' } as const };
    return sendAnswer(answer, outgoing, closing);
  }
  const reads = incoming.method === 'GET' || incoming.method === 'HEAD';
  if (reads || `${url.pathname}/`.startsWith(ADMIN_PATH)) {
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort());
    const answer = await admin(
      toRequest(incoming, url, { signal: gone.signal, ...(!reads && { body: streamBody(incoming) }) }),
    );
    if (answer) return sendResponse(answer, outgoing);
  }
  const request = toRequest(incoming, url, reads ? {} : { body: (await toWebBody(incoming)) as BodyInit });
  return sendAnswer(await gateway.handle(request), outgoing, closing);
}
