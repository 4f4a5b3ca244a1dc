/** A faster way to the gateway for Node.js: `location-sdk/transport/node`. @module */
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { Agent, type Dispatcher } from 'undici';
import { LONGEST_BODY } from '../body.js';
import { markDirect } from '../direct-fetch.js';
import { ConfigurationError } from '../errors.js';
import type { Fetch, FetchInit, FetchResponse } from '../web-types.js';

/** What `nodeTransport` takes. */
export interface NodeTransportOptions {
  /**
   * How many connections one address may have; further requests wait for one, within the time limit of their attempt.
   * Default: 128.
   */
  connections?: number | undefined;
}

/** A `fetch` for `createClient({ fetch })` that keeps its connections. */
export interface NodeTransport extends Fetch {
  /** Waits for the requests on their way and closes the connections. Connections in rest keep no process running. */
  close(): Promise<void>;
}

const MOST_CONNECTIONS = 128;

const DECODERS: Readonly<Record<string, typeof gunzipSync>> = { gzip: gunzipSync, 'x-gzip': gunzipSync, deflate: inflateSync, br: brotliDecompressSync };

/** An answer beyond what anybody reads of one: `readBody` gives up at its first piece. */
const TOO_LONG = {
  getReader: () => ({ read: async () => ({ done: false, value: new Uint8Array(LONGEST_BODY + 1) }), cancel: async () => undefined }),
};

/**
 * A faster way to the gateway for Node.js: it asks `undici`, the library that the built-in `fetch` is made of, without the
 * web's `Request` and `Response` around it. Outcomes, time limits and errors are those of the built-in `fetch`; redirects are
 * not followed, and no proxy is used. Needs `undici` 7 or newer, which you install beside this package.
 *
 * Throws a `ConfigurationError` where `connections` is no whole number from 1.
 *
 * @example
 * ```ts
 * import { nodeTransport } from 'location-sdk/transport/node';
 *
 * const client = createClient({ fetch: nodeTransport() });
 * ```
 */
export function nodeTransport({ connections = MOST_CONNECTIONS }: NodeTransportOptions = {}): NodeTransport {
  if (!Number.isInteger(connections) || connections < 1) {
    throw new ConfigurationError('nodeTransport: connections: expected a whole number from 1', {});
  }
  // The client's own limits end a request, as they end one of `fetch`.
  const agent = new Agent({ connections, pipelining: 1, allowH2: false, headersTimeout: 0, bodyTimeout: 0 });
  const parse = createAddressReader();
  return Object.assign(
    markDirect((url, init) => send(agent, parse, url, init)),
    { close: () => agent.close() },
  );
}

interface Address {
  readonly origin: string;
  readonly path: string;
}

/** Reads addresses; the last one is remembered, since a client asks few. */
function createAddressReader() {
  let last: { url: string; address: Address } | undefined;
  return (url: string): Address => {
    if (last?.url !== url) {
      const { origin, pathname, search } = new URL(url);
      last = { url, address: { origin, path: pathname + search } };
    }
    return last.address;
  };
}

/** Sends one request and reads its answer to the end. */
function send(agent: Agent, parse: (url: string) => Address, url: string, { method, headers, body, signal }: FetchInit): Promise<FetchResponse> {
  return new Promise((resolve, reject) => {
    const { origin, path } = parse(url);
    let controller: Dispatcher.DispatchController | undefined;
    const abort = () => {
      const error = new DOMException('This operation was aborted', 'AbortError');
      reject(error);
      controller?.abort(error);
    };
    if (signal.aborted) return abort();
    const over = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort);

    let status = 0;
    let received: Received = {};
    let bytes = 0;
    const pieces: Buffer[] = [];
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started;
        // It waited for a connection, and nobody waits for it any more.
        if (signal.aborted) abort();
      },
      onResponseStart(_, statusCode, answerHeaders) {
        status = statusCode;
        received = answerHeaders;
      },
      onResponseData(_, piece) {
        bytes += piece.byteLength;
        if (bytes <= LONGEST_BODY) return void pieces.push(piece);
        over();
        resolve(answer(status, received, undefined));
        controller?.abort(new Error('the answer is too long'));
      },
      onResponseEnd() {
        over();
        try {
          resolve(answer(status, received, decode(pieces, received)));
        } catch (error) {
          reject(error);
        }
      },
      onResponseError(_, error) {
        over();
        // What breaks after the answer began is no failure to connect, whatever its code.
        const { code } = error as NodeJS.ErrnoException;
        reject(status > 0 ? Object.assign(new Error('the answer broke off'), { code, syscall: 'read' }) : error);
      },
    };
    // The name is that of the built-in `fetch`.
    const named = { 'user-agent': 'node', ...headers };
    agent.dispatch({ origin, path, method: method as Dispatcher.HttpMethod, headers: named, body: body ?? null }, handler);
  });
}

type Received = Readonly<Record<string, string | string[] | undefined>>;

/** The bytes of an answer, unpacked where they came packed; undefined where they are too many. */
function decode(pieces: readonly Buffer[], { 'content-encoding': encoding }: Received): Buffer | undefined {
  const [first] = pieces;
  const whole = first && pieces.length === 1 ? first : Buffer.concat(pieces);
  const unpack = typeof encoding === 'string' ? DECODERS[encoding.trim().toLowerCase()] : undefined;
  if (!unpack || whole.byteLength === 0) return whole;
  try {
    return unpack(whole, { maxOutputLength: LONGEST_BODY });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw error;
  }
}

const BYTE_ORDER_MARK = 0xfeff;

function answer(status: number, received: Received, body: Buffer | undefined): FetchResponse {
  const headers = {
    get(name: string): string | null {
      const value = received[name.toLowerCase()];
      return (Array.isArray(value) ? value.join(', ') : value) ?? null;
    },
  };
  if (!body) return { status, headers, body: TOO_LONG, text: () => Promise.reject(new TypeError('the answer is too long')) };
  const text = body.toString('utf8');
  return { status, headers, text: async () => (text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text) };
}
