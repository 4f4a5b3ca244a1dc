import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { setTimeout } from 'node:timers/promises';
import { createMockGateway } from '../mock/gateway.js';
import type { MockClientOptions, MockGateway } from '../mock/interface.js';
import { piecesOf } from '../mock/wire.js';

export interface ServeOptions {
  /** 0 takes a free one. Default: 0. */
  port?: number | undefined;
  /** Default: `'127.0.0.1'`, which nobody else reaches. */
  host?: string | undefined;
}

/** A mock gateway on a socket. */
export interface MockServer {
  /** Its address, for example `http://127.0.0.1:4010`. */
  readonly url: string;
  readonly gateway: MockGateway;
  /** Options for a client that reaches it over HTTP. */
  clientOptions(): MockClientOptions;
  /** Ends it at once, open connections included. */
  close(): Promise<void>;
}

/**
 * Serves a mock gateway over HTTP. Rejects with Node.js's own error where it cannot listen.
 *
 * @example
 * ```ts
 * const server = await serve(createMockGateway(), { port: 4010 });
 * const client = createClient(server.clientOptions());
 * ```
 */
export async function serve(gateway: MockGateway = createMockGateway(), { port = 0, host = '127.0.0.1' }: ServeOptions = {}): Promise<MockServer> {
  const server = createServer((incoming, outgoing) => {
    respond(gateway, incoming, outgoing).catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { address, port: taken, family } = server.address() as AddressInfo;
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`;
  return {
    url,
    gateway,
    clientOptions: () => gateway.clientOptions(url),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(gateway: MockGateway, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { status, headers, body, transport } = await gateway.handle(toRequest(incoming));
  const { socket } = incoming;
  if (transport.kind === 'connection-reset') return void socket.resetAndDestroy();
  const bytes = Buffer.from(status === 204 || status === 304 ? '' : body);
  outgoing.writeHead(status, { ...headers, 'content-length': bytes.byteLength });
  if (transport.kind === 'whole') return void outgoing.end(bytes);

  const pieces = piecesOf(body);
  const slow = transport.kind === 'slow-body';
  for (const piece of slow ? pieces : pieces.slice(0, Math.ceil(pieces.length / 2))) {
    if (slow) await setTimeout(transport.milliseconds / pieces.length);
    if (outgoing.destroyed) return;
    await new Promise((resolve) => outgoing.write(piece, resolve));
  }
  if (slow) outgoing.end();
  else socket.destroySoon();
}

function toRequest(incoming: IncomingMessage): Request {
  const { method = 'GET', url = '/', headers } = incoming;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(new URL(url, 'http://mock-gateway.localhost'), {
    method,
    headers: Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((one): [string, string] => [name, one])),
    ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' }),
  } as RequestInit);
}
