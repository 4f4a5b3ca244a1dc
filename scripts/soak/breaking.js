// Stands before the mock gateway and breaks off answers in chunks: the `fetch` of some versions of Node.js takes one that closes its
// connection for a whole one. Of two broken answers one is to a report that never reached the gateway.
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { createRandom } from './random.js';

const CHANCE = 0.06;
const HEADERS = 'content-type: application/json\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n';
/** What comes before an answer breaks off. None is whole JSON, and the gateway said none of it. */
const BROKEN = [
  `200 OK\r\n${HEADERS}`,
  `409 Conflict\r\n${HEADERS}`,
  `422 Unprocessable Entity\r\n${HEADERS}`,
  `404 Not Found\r\n${HEADERS}`,
  `200 OK\r\n${HEADERS}40\r\n{"message":"Bet event`,
  `409 Conflict\r\n${HEADERS}40\r\n{"message":"This data has already been reported`,
];

/** @param {import('node:http').IncomingMessage} incoming */
async function read(incoming) {
  const pieces = [];
  for await (const piece of incoming) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The gateway's whole answer. @param {URL} to @param {import('node:http').IncomingMessage} incoming @param {Buffer} body */
async function pass(to, { method, url = '/', headers }, body) {
  const outgoing = request(new URL(url, to), { method, headers, agent: false }).end(body);
  const [answer] = /** @type {[import('node:http').IncomingMessage]} */ (await once(outgoing, 'response'));
  return { answer, bytes: await read(answer) };
}

/** @param {string} url of the gateway @param {number} seed */
export async function startBreaking(url, seed) {
  const { random } = createRandom(seed);
  /** Of them, those whose request had reached the gateway. */
  let lost = 0;
  const server = createServer(async (incoming, outgoing) => {
    try {
      const body = await read(incoming);
      const bytes = random() < CHANCE && BROKEN[Math.floor(random() * BROKEN.length)];
      const isPassed = !bytes || random() < 0.5;
      const passed = isPassed && (await pass(new URL(url), incoming, body));
      if (bytes) {
        if (isPassed) lost += 1;
        incoming.socket.end(`HTTP/1.1 ${bytes}`);
      } else if (passed) outgoing.writeHead(passed.answer.statusCode ?? 502, passed.answer.headers).end(passed.bytes);
    } catch {
      // The gateway broke off, and so does this.
      incoming.socket.destroy();
    }
  });
  await /** @type {Promise<void>} */ (new Promise((resolve) => server.listen(0, '127.0.0.1', resolve)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    lost: () => lost,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
