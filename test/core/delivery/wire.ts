import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { inject } from 'vitest';
import type { ClientOptions } from '../../../src/core/client/options.js';
import { JSON_HEADERS } from '../../../src/core/delivery/fetch-transport.js';
import { moduleTransport } from '../../../src/core/delivery/ky-transport.js';
import type { Attempted, AttemptRequest, Transport } from '../../../src/core/delivery/transport.js';
import type { Limit } from '../../../src/core/platform/time.js';
import type { Fetch, FetchInit, FetchResponse } from '../../../src/core/platform/web-types.js';
import { certificateKey, expired, selfSigned } from '../../support/certificates.js';
import { holdClocks } from '../../support/fake-clock.js';

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * The transport for the requests of scripted tests. Undefined if they never leave the process (see
     * vitest.config.ts).
     */
    transport?: 'fetch' | 'nodeTransport';
  }
}

const BY = inject('transport');

/** The certificates for the codes with which a script may fail. */
const CERTIFICATES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: expired,
  DEPTH_ZERO_SELF_SIGNED_CERT: selfSigned,
};

/** A request that has started and has not reached the server yet. */
interface Asked {
  readonly script: Fetch;
  readonly url: URL;
  readonly init: FetchInit;
  /** The script waits from now on, and no request is running: virtual time may pass. */
  readonly release: () => void;
}

/**
 * A scripted `fetch`: the options with which a test's client uses it. In the project `unit` they are the script itself.
 * In the projects `wire: …` every report is sent by a real transport over a real socket. A server there passes each
 * request to the script: it writes the script's answer piece by piece, resets the connection if the script throws, and
 * is silent while the script is silent. `comesNext` returns the error that the script throws next, so that a failed
 * connection can be made: a closed port, a certificate that is refused.
 */
export const byTransport = (
  script: Fetch,
  comesNext: () => unknown = () => undefined,
): { fetch: Fetch } & Pick<ClientOptions, 'transport'> =>
  BY
    ? { fetch: script, transport: { send: (request, limit) => send(script, codeOf(comesNext()), request, limit) } }
    : { fetch: script };

const codeOf = (error: unknown): string =>
  error instanceof Error ? String((error.cause as { code?: unknown } | undefined)?.code ?? '') : '';

const asked = new Map<string, Asked>();
let last = 0;

async function send(script: Fetch, code: string, request: AttemptRequest, limit: Limit): Promise<Attempted> {
  const release = holdClocks();
  const gone = new AbortController();
  try {
    const { transport, playing, closed, secure } = await ready();
    last += 1;
    const { pathname, search } = new URL(request.url);
    const init: FetchInit = {
      method: 'POST',
      headers: { ...JSON_HEADERS, ...request.headers },
      body: request.body,
      signal: gone.signal,
      redirect: 'manual',
    };
    const certificate = secure[code];
    const origin = certificate ?? (code === 'ECONNREFUSED' ? closed : playing);
    // No request arrives without a connection, so the script is called here.
    if (origin !== playing) await Promise.resolve(script(request.url, init)).catch(() => undefined);
    asked.set(String(last), { script, url: new URL(request.url), init, release });
    const attempted = await transport.send({ ...request, url: `${origin}/${last}${pathname}${search}` }, limit);
    if (attempted.ended !== 'answered') gone.abort();
    return attempted;
  } finally {
    release();
  }
}

/** The script decides what happens to a request that arrived. */
async function play(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, id = '', path = ''] = /^\/(\d+)(\/.*)$/.exec(request.url ?? '') ?? [];
  const found = asked.get(id);
  const body = await readAll(request);
  if (!found) return void response.writeHead(599).end();
  const { script, url, init, release } = found;
  const headers = Object.fromEntries(Object.keys(init.headers).map((name) => [name, String(request.headers[name])]));
  try {
    const arrived = { ...init, method: String(request.method), headers, body };
    const answer = await orRelease(Promise.resolve(script(url.origin + path, arrived)), release);
    await write(answer, response, release);
  } catch {
    request.socket.resetAndDestroy();
  }
}

/** A wait of the script is not network work: virtual time may pass. */
function orRelease<T>(promise: Promise<T>, release: () => void): Promise<T> {
  let turns = 0;
  let settled = false;
  const look = () => {
    turns += 1;
    if (turns > 3 && !settled) release();
    else if (!settled) setImmediate(look);
  };
  setImmediate(look);
  return promise.finally(() => {
    settled = true;
  });
}

async function write(
  { status, headers, body, text }: FetchResponse,
  response: ServerResponse,
  release: () => void,
): Promise<void> {
  response.writeHead(status, headers instanceof Headers ? Object.fromEntries(headers) : {});
  response.flushHeaders();
  if (!(body instanceof ReadableStream))
    return void response.end(body === null ? '' : await orRelease(text(), release));
  const reader = body.getReader();
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  for (;;) {
    // One turn for the other end: it may have closed.
    await new Promise((resolve) => setImmediate(resolve));
    if (response.destroyed) return void reader.cancel().catch(() => undefined);
    const { done, value } = await orRelease(reader.read(), release);
    if (done) return void response.end();
    // Until the other end has read, the network is at work: no virtual time passes.
    if (!response.write(value)) await once(response, 'drain', { signal: gone.signal });
  }
}

async function readAll(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

async function listen(server: Server, name: string): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return `${name}:${(server.address() as AddressInfo).port}`;
}

/**
 * A port where connections are refused. It lies below those that a system assigns, so no server of another test takes
 * it later.
 */
async function refusingAddress(): Promise<string> {
  for (let port = 20_000 + (process.pid % 5_000); port < 30_000; port += 1) {
    const probe = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => probe.close(resolve));
    return `http://127.0.0.1:${port}`;
  }
  throw new Error('every port from 20000 to 29999 is in use');
}

/**
 * The servers of a test process, and its connection to them. Made with the first request, and kept until the process
 * ends.
 */
async function open() {
  const server = createServer((request, response) => void play(request, response).catch(() => response.destroy()));
  const playing = await listen(server, 'http://127.0.0.1');
  const closed = await refusingAddress();
  const secure: Record<string, string> = {};
  for (const [code, cert] of Object.entries(CERTIFICATES)) {
    secure[code] = await listen(createSecureServer({ key: certificateKey, cert }), 'https://localhost');
  }
  // Loaded here, since undici replaces parts of the built-in fetch once it is loaded.
  const fast =
    BY === 'nodeTransport'
      ? (await import('../../../src/http/node/transport/node-transport.js')).nodeTransport()
      : undefined;
  const transport: Transport = fast ?? moduleTransport(undefined, false);
  return { transport, playing, closed, secure };
}

let opened: ReturnType<typeof open> | undefined;
const ready = () => {
  opened ??= open();
  return opened;
};
