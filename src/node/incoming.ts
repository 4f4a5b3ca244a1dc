import type { IncomingMessage } from 'node:http';
import { LONGEST_BODY } from '../mock/read-body.js';

const PLAIN_HOST = /^[\w.:[\]-]+$/;

/** The address of a request. Undefined if it is invalid. `hostless` is the host if the request names none. */
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

/** Methods that `Request` refuses. */
const NO_REQUEST = /^(?:CONNECT|TRACE|TRACK)$/;

/** The request as a web `Request`. */
export function toRequest(incoming: IncomingMessage, url: URL, init: { body?: BodyInit | null; signal?: AbortSignal } = {}): Request {
  const { method = 'GET', headers } = incoming;
  const pairs: [string, string][] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string') pairs.push([name, value]);
    else for (const one of value ?? []) pairs.push([name, one]);
  }
  const refused = NO_REQUEST.test(method);
  const request = new Request(url, { method: refused ? 'GET' : method, headers: pairs, ...(!refused && init), duplex: 'half' } as RequestInit);
  return refused ? Object.defineProperty(request, 'method', { value: method }) : request;
}

/** Longer than the gateway accepts: it replaces a body that is too long. */
const TOO_LONG = new Uint8Array(LONGEST_BODY + 1);

/** The whole body. A body that is too long is replaced by another that is too long. */
export function toWebBody(incoming: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    if (Number(incoming.headers['content-length'] ?? 0) > LONGEST_BODY) return resolve(TOO_LONG);
    if (incoming.destroyed) return reject(new Error('The request broke off'));
    const pieces: Buffer[] = [];
    let bytes = 0;
    const end = (settle: () => void) => {
      incoming.off('data', take).off('end', finish).off('error', fail).off('close', fail);
      settle();
    };
    const take = (piece: Buffer) => {
      bytes += piece.byteLength;
      if (bytes <= LONGEST_BODY) return void pieces.push(piece);
      incoming.pause();
      end(() => resolve(TOO_LONG));
    };
    const finish = () => end(() => resolve(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)));
    const fail = () => end(() => reject(new Error('The request broke off')));
    incoming.on('data', take).on('end', finish).on('error', fail).on('close', fail);
  });
}

/** The body as a stream. A reader that stops keeps the connection open for the answer. */
export const streamBody = (incoming: IncomingMessage): ReadableStream =>
  (ReadableStream as unknown as { from(source: AsyncIterable<Uint8Array>): ReadableStream }).from(incoming.iterator({ destroyOnReturn: false }));
