import { Agent, type Dispatcher } from 'undici';
import { JSON_HEADERS } from '../../delivery/fetch-transport.js';
import { readBroken } from '../../delivery/network-failure.js';
import type { Answered, AttemptRequest, Transport } from '../../delivery/transport.js';
import { ConfigurationError } from '../../errors/errors.js';
import { createAborting } from '../../platform/aborting.js';
import { isLengthKnown, LONGEST_BODY, WITHOUT_BODY } from '../../platform/body.js';
import { withTimeout } from '../../platform/time.js';
import type { AbortSignalLike } from '../../platform/web-types.js';
import { type ConnectionAddress, createAddressReader } from './address.js';
import { collectBytes } from './answer-bytes.js';
import { type ConnectionQueue, createConnectionQueue } from './connection-queue.js';
import { environmentProxy } from './environment-proxy.js';
import { checkSetForAll, setForAll } from './global-dispatcher.js';
import { unpack } from './unpack.js';

/** What `nodeTransport` takes. */
export interface NodeTransportOptions {
  /**
   * How many connections one address may have; further requests wait for one, within the time limit of their attempt.
   * Default: 128.
   */
  connections?: number | undefined;
  /**
   * Your own dispatcher of `undici`, such as a `ProxyAgent`, an `EnvHttpProxyAgent` or an `Agent` with certificate
   * authorities of your own: it makes the connections, `connections` is not looked at, and `close` leaves it open.
   * Default: what `setGlobalDispatcher` set, as for the built-in `fetch`; else connections of its own, by no proxy.
   */
  dispatcher?: NodeDispatcher | undefined;
  /**
   * `'environment'`: by the proxy that the variables `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` name when the transport is made
   * (lower case counts first), whatever is set for the whole process. Not with `dispatcher`. Default: none.
   */
  proxy?: 'environment' | undefined;
}

/** What `nodeTransport` needs of a dispatcher; each of `undici` 7 fits. */
export interface NodeDispatcher {
  /** Sends one request, as undici's `Dispatcher` does. */
  dispatch(options: never, handler: never): boolean;
}

/** A transport for `createClient({ transport })` that keeps its connections. */
export interface NodeTransport extends Transport {
  /** Waits for all that was asked and closes the connections that are its own; what is asked from then on is not sent. Connections in rest keep no process running. */
  close(): Promise<void>;
}

const MOST_CONNECTIONS = 128;

const OF_A_PROXY = 407;
/** What undici says of a request that it did not even queue. */
const REFUSED_BY_UNDICI = /^UND_ERR_(?:INVALID_ARG|CLOSED|DESTROYED)$/;

/**
 * A faster way to the gateway for Node.js: it asks `undici`, the library that the built-in `fetch` is made of, without the
 * web's `Request` and `Response` around it. An outcome is that of the built-in `fetch`, or a more careful one: docs/background/performance.md
 * lists where they differ. Redirects are not followed. No proxy is used unless you say so, by `proxy`, `dispatcher` or
 * undici's `setGlobalDispatcher`. Needs `undici` 7.16 or newer, which you install beside this package; undici 8 needs Node.js 22.19.
 *
 * Throws a `ConfigurationError` where `connections` is no whole number from 1, where `dispatcher` is none, where a variable for
 * `proxy` holds no address, where undici is older than 7, and where another copy of undici has set a dispatcher for the whole process.
 *
 * @example
 * ```ts
 * import { nodeTransport } from 'location-sdk/transport/node';
 *
 * const client = createClient({ transport: nodeTransport() });
 * ```
 */
export function nodeTransport({ connections = MOST_CONNECTIONS, dispatcher, proxy }: NodeTransportOptions = {}): NodeTransport {
  if (!Number.isInteger(connections) || connections < 1) {
    throw new ConfigurationError('nodeTransport: connections: expected a whole number from 1', {});
  }
  if (dispatcher !== undefined && typeof (dispatcher as Partial<NodeDispatcher> | null)?.dispatch !== 'function') {
    throw new ConfigurationError('nodeTransport: dispatcher: expected a dispatcher of undici, such as new ProxyAgent(address)', {});
  }
  if (proxy !== undefined && proxy !== 'environment') {
    throw new ConfigurationError(
      "nodeTransport: proxy: expected 'environment'; for an address of your own pass a dispatcher, such as new ProxyAgent(address)",
      {},
    );
  }
  if (proxy && dispatcher) throw new ConfigurationError('nodeTransport: give proxy or dispatcher, not both', {});
  if (!dispatcher && !proxy) checkSetForAll();
  const agent = new Agent({ connections, pipelining: 1, allowH2: false });
  checkVersion(agent);
  const connecting: Dispatcher = proxy ? environmentProxy({ connections }) : agent;
  const own: Way = { dispatcher: connecting, queue: createConnectionQueue(connections), isOwn: true };
  // What others have made has its own limits.
  const lines = createConnectionQueue(Number.POSITIVE_INFINITY);
  const parse = createAddressReader();
  let closed: Promise<void> | undefined;
  const send: Transport['send'] = async (request, limit) => {
    if (closed !== undefined)
      return { ended: 'broken', failure: readBroken(Object.assign(new Error('the transport is closed'), { code: 'TRANSPORT_CLOSED' }), false) };
    const chosen = (dispatcher as Dispatcher | undefined) ?? (proxy ? undefined : setForAll());
    const way: Way = chosen ? { dispatcher: chosen, queue: lines, isOwn: false } : own;
    const aborting = createAborting();
    // Whether nothing of it had left when it ended.
    const tell = { unsent: true };
    const result = await withTimeout((signal) => sendBy(way, parse(request.url), request, signal, tell), limit, aborting);
    if (result.ended === 'done') return result.value;
    if (result.ended === 'failed') return { ended: 'broken', failure: readBroken(result.error, false, tell.unsent) };
    return { ended: result.ended, unsent: tell.unsent };
  };
  const close = () => {
    closed ??= Promise.all([own.queue.emptied(), lines.emptied()]).then(() => connecting.close());
    return closed;
  };
  return { send, close };
}

/** What makes the connections, and the lines before it. */
interface Way {
  readonly dispatcher: Dispatcher;
  readonly queue: ConnectionQueue;
  /** Whether it is one that this transport made: it speaks HTTP/1, writes nothing before it says that a request starts, and repeats none. */
  readonly isOwn: boolean;
}

/** An older undici takes no such handlers, and would say so of every request; asked for nothing, it says so before anything is sent. */
function checkVersion(agent: Agent): void {
  try {
    agent.dispatch(undefined as never, { onRequestStart() {}, onResponseError() {} });
  } catch {
    throw new ConfigurationError(
      'nodeTransport: the installed undici is too old; install undici 7.16 or newer: npm install undici@7 (undici 8 is for Node.js 22.19 and newer)',
      {},
    );
  }
}

/** Sends one request, once it is its turn, and reads its answer to the end. */
function sendBy(
  { dispatcher, queue: lines, isOwn }: Way,
  { origin, path }: ConnectionAddress,
  { headers, body }: AttemptRequest,
  signal: AbortSignalLike,
  tell: { unsent: boolean },
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    /** There from when the first byte may leave. */
    let controller: Dispatcher.DispatchController | undefined;
    const abort = () => {
      const error = new DOMException('This operation was aborted', 'AbortError');
      tell.unsent = !controller;
      lines.leave(origin, begin);
      reject(error);
      // Others' dispatchers may never tell of its end, and there is no end of places there.
      if (!isOwn) over();
      try {
        controller?.abort(error);
      } catch {
        // A handler between that cannot be told; thrown into an event it would end the process.
      }
    };

    let status = 0;
    let received: Received = {};
    let bytes = 0;
    const gathered = collectBytes();
    let isInLine = false;
    const over = () => {
      if (!isInLine) return;
      isInLine = false;
      signal.removeEventListener('abort', abort);
      lines.free(origin);
    };
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        // Nobody waits for it any more, and nothing of it leaves. Thrown, since handlers between may not pass an abort on.
        if (signal.aborted) throw new Error('aborted before it was sent');
        // What repeats a request says nothing of the first one's end; the client repeats by itself, and keeps count.
        if (controller) throw new Error('it was sent before');
        controller = started;
        tell.unsent = false;
      },
      onResponseStart(_, statusCode, answerHeaders) {
        status = statusCode;
        received = answerHeaders;
      },
      onResponseData(_, piece) {
        bytes += piece.byteLength;
        if (bytes <= LONGEST_BODY) return gathered.add(piece);
        resolve(answer(status, received, undefined));
        controller?.abort(new Error('the answer is too long'));
      },
      onResponseEnd() {
        over();
        // No answer for the built-in `fetch` either, which does not even say why.
        if (status === OF_A_PROXY) return reject(Object.assign(new Error('a proxy wants a password'), { code: 'PROXY_AUTHENTICATION_REQUIRED' }));
        try {
          resolve(answer(status, received, decode(status, gathered.whole(), received)));
        } catch (error) {
          reject(error);
        }
      },
      onResponseError(_, error) {
        over();
        const { code } = error as NodeJS.ErrnoException;
        tell.unsent = !controller && (isOwn || REFUSED_BY_UNDICI.test(String(code)));
        if (tell.unsent) return reject(error);
        // The length that a 304 tells is that of the body it does not send.
        if (status === 304) return resolve(answer(status, received, Buffer.alloc(0)));
        // What breaks after the request began is no failure to connect, whatever its code.
        reject(controller ? Object.assign(new Error('the request or its answer broke off'), { code, syscall: 'read' }) : error);
      },
    };
    const begin = () => {
      // The name is that of the built-in `fetch`.
      const named = { 'user-agent': 'node', ...JSON_HEADERS, ...headers };
      // The client's own limits end a request, as they end one of `fetch`.
      const request = { origin, path, method: 'POST' as const, headers: named, body, headersTimeout: 0, bodyTimeout: 0 };
      try {
        dispatcher.dispatch(request, handler);
      } catch (error) {
        handler.onResponseError?.(controller as Dispatcher.DispatchController, error as Error);
      }
    };
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort);
    isInLine = true;
    lines.enter(origin, begin);
  });
}

type Received = Readonly<Record<string, string | string[] | undefined>>;

/** The bytes of an answer, unpacked where they came packed; undefined where they are too many. */
function decode(status: number, whole: Buffer, { 'content-encoding': encoding }: Received): Buffer | undefined {
  if (WITHOUT_BODY.includes(status)) return Buffer.alloc(0);
  return encoding === undefined ? whole : unpack(whole, String(encoding));
}

/** As the built-in `fetch` decodes it: without the mark that a text may begin with. */
const decoder = new TextDecoder();

/** An answer; without a body where that was too long. */
function answer(status: number, received: Received, body: Buffer | undefined): Answered {
  const header = (name: string): string | null => {
    const value = received[name];
    return (Array.isArray(value) ? value.join(', ') : value) ?? null;
  };
  // It came over a network, where the end of the connection may be all that was seen.
  return { ended: 'answered', status, header, text: body && decoder.decode(body), measured: body !== undefined && isLengthKnown(status, header) };
}
