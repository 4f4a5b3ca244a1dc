import { Agent, type Dispatcher } from 'undici';
import { JSON_HEADERS } from '../../../core/delivery/fetch-transport.js';
import { readBroken } from '../../../core/delivery/network-failure.js';
import type { Answered, AttemptRequest, Transport } from '../../../core/delivery/transport.js';
import { ConfigurationError, requireOptions } from '../../../core/errors/errors.js';
import { collectBytes, LONGEST_BODY } from '../../../core/platform/body.js';
import { withTimeout } from '../../../core/platform/time.js';
import { issue } from '../../../core/schema/issue.js';
import { hasMethods, must, option, optional, wholeNumber } from '../../../core/schema/option-rules.js';
import { type ReceivedHeaders, readAnswer } from './answer.js';
import { environmentProxy, globalDispatcher, isProxySwitchedOn, refuseForeignGlobalDispatcher } from './dispatchers.js';

/** The options of `nodeTransport`. */
export interface NodeTransportOptions {
  /**
   * The most connections to one address. Further requests wait for one, within the time limit of their attempt.
   * Default: 128.
   */
  connections?: number | undefined;
  /**
   * Your own dispatcher of `undici`, for example a `ProxyAgent`, an `EnvHttpProxyAgent` or an `Agent` with your own
   * certificate authorities. It makes the connections, `connections` is ignored, and `close` leaves it open. An
   * interceptor in it must pass `onRequestStart` on: else a request that was sent may end as `'not-sent'`. Default: the
   * one that `setGlobalDispatcher` set, as for the built-in `fetch`; else its own connections, without a proxy.
   */
  dispatcher?: NodeDispatcher | undefined;
  /**
   * `'environment'`: uses the proxy that the variables `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` name when the
   * transport is made (lower case takes precedence), even if a dispatcher is set for the whole process. Not together
   * with `dispatcher`. Default: none, or this proxy if Node.js was told to use it (`NODE_USE_ENV_PROXY=1`).
   */
  proxy?: 'environment' | undefined;
}

/** The part of a dispatcher that `nodeTransport` needs. Each dispatcher of `undici` 7 fits. */
export interface NodeDispatcher {
  /** Sends one request, like undici's `Dispatcher`. */
  dispatch(options: never, handler: never): boolean;
}

/** A transport for `createClient({ transport })` that keeps its connections. */
export interface NodeTransport extends Transport {
  /**
   * Closes the transport's own connections after the requests that run on them. Later requests are not sent. Idle
   * connections do not keep the process running.
   */
  close(): Promise<void>;
}

const optionTable = {
  connections: option(wholeNumber(1), 128),
  dispatcher: optional<Dispatcher>(
    must('a dispatcher of undici, such as new ProxyAgent(address)', (value) => hasMethods(value, ['dispatch'])),
  ),
  proxy: optional<'environment'>(
    must(
      "'environment'; for your own address pass a dispatcher, such as new ProxyAgent(address)",
      (value) => value === 'environment',
    ),
  ),
};

const PROXY_AUTHENTICATION = 407;
/** Undici's codes for a request that it refused, if no request has started. */
const REFUSED_BY_UNDICI = /^UND_ERR_(?:INVALID_ARG|CLOSED|DESTROYED)$/;

/**
 * A faster transport for Node.js: it uses `undici`, on which the built-in `fetch` is based, without the web's `Request`
 * and `Response`. An outcome is that of the built-in `fetch`, or a more careful one: docs/how-to/deploy.md
 * lists the differences. Redirects are not followed. No proxy is used unless you set `proxy`, `dispatcher` or undici's
 * `setGlobalDispatcher`. Needs `undici` 7.16 or newer, which you install beside this package; undici 8 needs Node.js
 * 22.19.
 *
 * Throws a `ConfigurationError` if `connections` is not a whole number from 1, if `dispatcher` is invalid, if a
 * variable for `proxy` contains no address, if undici is older than 7, and if another copy of undici has set a
 * dispatcher for the whole process.
 *
 * @example
 * ```ts
 * import { nodeTransport } from 'location-sdk/transport/node';
 *
 * const client = createClient({ transport: nodeTransport() });
 * ```
 */
export function nodeTransport(options: NodeTransportOptions = {}): NodeTransport {
  const { complete } = requireOptions('nodeTransport', optionTable, options, ({ dispatcher, proxy }) =>
    dispatcher && proxy ? [issue(['proxy'], 'conflict', 'pass proxy or dispatcher, not both')] : [],
  );
  const { connections, dispatcher, proxy } = complete;
  const proxied = proxy !== undefined || isProxySwitchedOn();
  if (!dispatcher && !proxied) refuseForeignGlobalDispatcher();
  const agent = new Agent({ connections, pipelining: 1, allowH2: false });
  checkVersion(agent);
  const own: Dispatcher = proxied ? environmentProxy({ connections }) : agent;
  // The last address is kept: a client uses few, and parsing takes a tenth of a request.
  let last = { url: '', origin: '', path: '' };
  const parse = (url: string): ConnectionAddress => {
    if (last.url === url) return last;
    const { origin, pathname, search } = new URL(url);
    last = { url, origin, path: pathname + search };
    return last;
  };
  let closed: Promise<void> | undefined;
  const send: Transport['send'] = async (request, limit) => {
    if (closed !== undefined)
      return {
        ended: 'broken',
        failure: readBroken(Object.assign(new Error('the transport is closed'), { code: 'TRANSPORT_CLOSED' }), false),
      };
    const chosen = dispatcher ?? (proxy ? undefined : globalDispatcher());
    const exchange = createExchange({ dispatcher: chosen ?? own, isOwn: !chosen }, request);
    const result = await withTimeout(() => exchange.send(parse(request.url)), limit, exchange);
    if (result.ended === 'done') return result.value;
    const unsent = exchange.isUnsent();
    if (result.ended === 'failed') return { ended: 'broken', failure: readBroken(result.error, false, unsent) };
    return { ended: result.ended, unsent };
  };
  return { send, close: () => (closed ??= own.close()) };
}

interface ConnectionAddress {
  readonly origin: string;
  readonly path: string;
}

interface Way {
  readonly dispatcher: Dispatcher;
  /**
   * Whether this transport made it: then it speaks HTTP/1, writes nothing before it reports that a request starts, and
   * repeats none.
   */
  readonly isOwn: boolean;
}

/**
 * An older undici refuses these handlers and would fail every request. This empty call finds that before anything is
 * sent.
 */
function checkVersion(agent: Agent): void {
  try {
    agent.dispatch(undefined as never, { onRequestStart() {}, onResponseError() {} });
  } catch {
    throw new ConfigurationError(
      'nodeTransport: the installed undici is too old; install undici 7.16 or newer: npm install undici@7 (undici 8 is for Node.js 22.19 and newer)',
    );
  }
}

/** One request: `send` sends it when a connection is free, and reads its answer to the end; `abort` ends it. */
function createExchange({ dispatcher, isOwn }: Way, { headers, body }: AttemptRequest) {
  /** Set when the first byte may be sent. */
  let controller: Dispatcher.DispatchController | undefined;
  let isUnsent = true;
  let isAborted = false;

  const abort = () => {
    isAborted = true;
    try {
      controller?.abort(new DOMException('This operation was aborted', 'AbortError'));
    } catch {
      // A handler between that throws cannot be informed. Thrown inside an event, the error would end the process.
    }
  };

  const send = (address: ConnectionAddress) =>
    new Promise<Answered>((resolve, reject) => {
      let status = 0;
      let received: ReceivedHeaders = {};
      let bytes = 0;
      const gathered = collectBytes();
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart(started) {
          // No caller waits for it any more. Thrown, since handlers between may not pass an abort on.
          if (isAborted) throw new Error('cancelled before it was sent');
          // A handler that repeats a request hides the end of the first one. The client itself retries, and counts the
          // attempts.
          if (controller) throw new Error('it was sent before');
          controller = started;
          isUnsent = false;
        },
        onResponseStart(_, statusCode, answerHeaders) {
          status = statusCode;
          received = answerHeaders;
        },
        onResponseData(_, piece) {
          bytes += piece.byteLength;
          if (bytes <= LONGEST_BODY) return gathered.add(piece);
          resolve(readAnswer(status, received, undefined));
          controller?.abort(new Error('the answer is too long'));
        },
        onResponseEnd() {
          // The built-in `fetch` fails here too, and does not even say why.
          if (status === PROXY_AUTHENTICATION)
            return reject(
              Object.assign(new Error('a proxy wants a password'), { code: 'PROXY_AUTHENTICATION_REQUIRED' }),
            );
          try {
            resolve(readAnswer(status, received, gathered.whole()));
          } catch (error) {
            reject(error);
          }
        },
        onResponseError(_, error) {
          const { code } = error as NodeJS.ErrnoException;
          isUnsent = !controller && (isOwn || REFUSED_BY_UNDICI.test(String(code)));
          if (isUnsent) return reject(error);
          // The length in a 304 is that of the body which it does not send.
          if (status === 304) return resolve(readAnswer(status, received, new Uint8Array()));
          // A failure after the request began is not a failure to connect, even with the code of one.
          reject(
            controller
              ? Object.assign(new Error('the request or its answer broke off'), { code, syscall: 'read' })
              : error,
          );
        },
      };
      const request: Dispatcher.DispatchOptions = {
        // Members are written out, since undici reads an object made by spreading slowly: it costs a fifth of a request.
        origin: address.origin,
        path: address.path,
        method: 'POST',
        headers: {
          // The name that the built-in `fetch` uses.
          'user-agent': 'node',
          'content-type': JSON_HEADERS['content-type'],
          accept: JSON_HEADERS.accept,
          ...headers,
        },
        body,
        // The client's own limits end a request, as they end one of `fetch`.
        headersTimeout: 0,
        bodyTimeout: 0,
      };
      try {
        dispatcher.dispatch(request, handler);
      } catch (error) {
        handler.onResponseError?.(controller as Dispatcher.DispatchController, error as Error);
      }
    });
  return { send, abort, isUnsent: () => isUnsent };
}
