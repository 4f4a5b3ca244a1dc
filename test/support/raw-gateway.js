// A gateway of plain sockets for tests and for plain scripts, which shares no code with the package and its mock gateway.
import { createServer } from 'node:net';

const HEAD_END = '\r\n\r\n';

/**
 * A request, as the socket received it.
 * @typedef {{ readonly path: string, readonly headers: Readonly<Record<string, string>>, readonly body: string, readonly at: number }} RawRequest
 */

/**
 * Returns the bytes of the answer. Undefined if it writes them to the socket itself, or there are none. If it rejects, the connection breaks.
 * @typedef {(request: RawRequest, index: number, socket: import('node:net').Socket) => string | undefined | void | Promise<string | undefined>} RawAnswer
 */

/**
 * A complete HTTP answer as text.
 * @param {string} status @param {string} [body] @param {readonly string[]} [headers]
 */
export const http = (status, body = '', headers = ['content-type: application/json']) =>
  [`HTTP/1.1 ${status}`, ...headers, `content-length: ${Buffer.byteLength(body)}`, '', body].join('\r\n');

/** @param {Buffer} head @returns {Omit<RawRequest, 'body'>} */
function readHead(head) {
  const [first = '', ...lines] = head.toString('latin1').split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { path: first.split(' ')[1] ?? '', headers: Object.fromEntries(headers), at: Date.now() };
}

/**
 * Reads each request to its end, and answers it.
 * @param {RawAnswer} answer
 */
export async function rawGateway(answer) {
  /** @type {RawRequest[]} */
  const requests = [];
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();

  /** @param {import('node:net').Socket} socket @param {RawRequest} request */
  async function respond(socket, request) {
    try {
      const bytes = await answer(request, requests.length - 1, socket);
      if (bytes !== undefined) socket.write(bytes);
    } catch {
      socket.destroy();
    }
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    let received = Buffer.alloc(0);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (piece) => {
      received = Buffer.concat([received, piece]);
      for (;;) {
        const end = received.indexOf(HEAD_END);
        if (end < 0) return;
        const head = readHead(received.subarray(0, end));
        const start = end + HEAD_END.length;
        const next = start + Number(head.headers['content-length'] ?? 0);
        if (received.length < next) return;
        const request = { ...head, body: received.toString('utf8', start, next) };
        received = received.subarray(next);
        requests.push(request);
        void respond(socket, request);
      }
    });
  });
  await /** @type {Promise<void>} */ (new Promise((resolve) => server.listen(0, '127.0.0.1', resolve)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    requests,
    /** @param {RawAnswer} next */
    answerWith(next) {
      answer = next;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
