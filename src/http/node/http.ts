import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectBytes, WITHOUT_BODY } from '../../core/platform/body.js';
import { LONGEST_REQUEST } from '../../testing/mock/respond.js';
import { piecesOf, type WireAnswer } from '../../testing/mock/wire.js';

/** The limits for receiving a request, so that an incomplete one also ends. */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
};

export async function listen(listener: RequestListener, port: number, host: string) {
  const server = createServer(LIMITS, listener);
  await once(server.listen(port, host), 'listening');
  return {
    address: server.address() as AddressInfo,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const PLAIN_HOST = /^[\w.:[\]-]+$/;

/** Undefined if it is invalid. `hostless` is the host if the request names none. */
export function urlOf({ url = '/', headers }: IncomingMessage, hostless = ''): URL | undefined {
  const host = headers.host || hostless;
  if (!PLAIN_HOST.test(host)) return undefined;
  // A proxy's request form contains the whole address: its path is used.
  const path = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '').replace(/^(?!\/)/, '/');
  try {
    return new URL(`http://${host}${path}`);
  } catch {
    return undefined;
  }
}

/** The web's request. Throws for a method that it refuses, such as TRACE. */
export function toRequest(
  incoming: IncomingMessage,
  url: URL,
  init: { body?: BodyInit | null; signal?: AbortSignal } = {},
): Request {
  const { method = 'GET', headers } = incoming;
  const pairs = Object.entries(headers).flatMap(([name, value = []]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  );
  return new Request(url, { method, headers: pairs, ...init, duplex: 'half' } as RequestInit);
}

/** Longer than the gateway accepts: it replaces a body that is too long. */
const TOO_LONG = new Uint8Array(LONGEST_REQUEST + 1);

export async function toWebBody(incoming: IncomingMessage): Promise<Uint8Array> {
  if (Number(incoming.headers['content-length'] ?? 0) > LONGEST_REQUEST) return TOO_LONG;
  const collected = collectBytes();
  let bytes = 0;
  for await (const piece of incoming.iterator({ destroyOnReturn: false })) {
    bytes += piece.byteLength;
    if (bytes > LONGEST_REQUEST) return TOO_LONG;
    collected.add(piece);
  }
  return collected.whole();
}

/** The body as a stream. A reader that stops keeps the connection open for the answer. */
export const streamBody = (incoming: IncomingMessage): ReadableStream =>
  (ReadableStream as unknown as { from(source: AsyncIterable<Uint8Array>): ReadableStream }).from(
    incoming.iterator({ destroyOnReturn: false }),
  );

/** For the rest of an unread request, so that its sender sees the answer and no broken connection. */
const LONGEST_REST_MS = 10_000;
const LONGEST_PAUSE_MS = 1_000;

export async function sendAnswer(answer: WireAnswer, outgoing: ServerResponse, signal: AbortSignal): Promise<void> {
  const { status, headers, body, transport } = answer;
  const { req: incoming } = outgoing;
  const { socket } = incoming;
  if (transport.kind === 'connection-reset') return void socket.resetAndDestroy();
  closeIfUnread(outgoing);
  const bytes = Buffer.from(WITHOUT_BODY.includes(status) ? '' : body);
  outgoing.writeHead(status, {
    ...headers,
    ...(!WITHOUT_BODY.includes(status) && { 'content-length': bytes.byteLength }),
  });
  if (transport.kind === 'whole') return end(incoming, outgoing, bytes);

  const pieces = piecesOf(bytes.toString());
  const slow = transport.kind === 'slow-body';
  for (const piece of slow ? pieces : pieces.slice(0, Math.ceil(pieces.length / 2))) {
    if (slow) await sleep(transport.milliseconds / pieces.length, undefined, { signal });
    if (outgoing.destroyed) return;
    await new Promise((resolve) => outgoing.write(piece, resolve));
  }
  if (slow) outgoing.end();
  else socket.destroySoon();
}

/** Until it is over or the client disconnects. */
export async function sendResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  const { req: incoming } = outgoing;
  closeIfUnread(outgoing);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  const reader = response.body?.getReader();
  if (!reader) return end(incoming, outgoing);
  const stop = () => void reader.cancel().catch(() => undefined);
  if (incoming.method === 'HEAD') stop();
  outgoing.once('close', stop);
  outgoing.flushHeaders();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return end(incoming, outgoing);
    if (!outgoing.write(value))
      await new Promise<void>((resolve) => outgoing.once('drain', resolve).once('close', resolve));
  }
}

/** Ends an answer. If the request is still arriving, its rest is accepted for a while before the connection closes. */
async function end(incoming: IncomingMessage, outgoing: ServerResponse, bytes?: Uint8Array): Promise<void> {
  if (incoming.complete) return void outgoing.end(bytes);
  if (bytes) outgoing.write(bytes);
  outgoing.flushHeaders();
  await restOf(incoming);
  outgoing.end();
}

function closeIfUnread(outgoing: ServerResponse): void {
  if (!outgoing.req.complete) outgoing.setHeader('connection', 'close');
}

async function restOf(incoming: IncomingMessage): Promise<void> {
  await new Promise<unknown>((resolve) => {
    const pause = setTimeout(resolve, LONGEST_PAUSE_MS);
    const whole = setTimeout(resolve, LONGEST_REST_MS);
    const over = () => {
      clearTimeout(pause);
      clearTimeout(whole);
      resolve(undefined);
    };
    incoming
      .on('data', () => pause.refresh())
      .once('end', over)
      .once('close', over);
  });
}
