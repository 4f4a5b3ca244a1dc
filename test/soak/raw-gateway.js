// A gateway on a raw socket, which shares no code with this package and its mock gateway. It answers 403 to every
// request until it is repaired.
import { createServer } from 'node:net';

const FORBIDDEN = ['403 Forbidden', '{"message":"Forbidden"}'];
const RECORDED = ['200 OK', '{"message":"Bet event reported"}'];
const HEAD_END = '\r\n\r\n';

/** @param {readonly string[]} answer */
const bytesOf = ([status = '', body = '']) =>
  `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}${HEAD_END}${body}`;

export async function startRawGateway() {
  let answer = FORBIDDEN;
  /** The times of the refused requests. @type {number[]} */
  const refused = [];
  /** The number of times that each body was recorded. @type {Map<string, number>} */
  const recorded = new Map();

  /** @param {string} body */
  function reply(body) {
    if (answer === FORBIDDEN) refused.push(performance.now());
    else recorded.set(body, (recorded.get(body) ?? 0) + 1);
    return bytesOf(answer);
  }

  const server = createServer((socket) => {
    let received = Buffer.alloc(0);
    socket.on('error', () => socket.destroy());
    socket.on('data', (piece) => {
      received = Buffer.concat([received, piece]);
      for (;;) {
        const head = received.indexOf(HEAD_END);
        if (head < 0) return;
        const length = Number(/^content-length: *(\d+)/im.exec(received.toString('latin1', 0, head))?.[1] ?? 0);
        const end = head + HEAD_END.length + length;
        if (received.length < end) return;
        socket.write(reply(received.toString('utf8', end - length, end)));
        received = received.subarray(end);
      }
    });
  });
  await /** @type {Promise<void>} */ (new Promise((resolve) => server.listen(0, '127.0.0.1', resolve)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    refused,
    recorded,
    /** From now on it records reports. */
    mend() {
      answer = RECORDED;
    },
    close: () => void server.close(),
  };
}
