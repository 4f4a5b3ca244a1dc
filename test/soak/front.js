// A proxy in front of a mock gateway. At times it refuses all requests. It refuses some reports because of their
// content, and it breaks off chunked answers: the `fetch` of some Node.js versions takes one that closes its connection
// for a complete one.
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { createRandom } from './random.js';
import { isDoubtful, isRefused } from './reports.js';

const CHANCE = 0.04;
/** Until all required faults have occurred. */
const FIRST_CHANCE = 0.25;
/** By then the client has read the bytes that were written before the reset. */
const RESET_AFTER_MS = 30;
const HEADERS = 'content-type: application/json\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n';
/** The beginnings of answers that break off, in turns. None is complete JSON, and none is the gateway's. */
const BROKEN = [
  { name: '200 in chunks, ended before any chunk', bytes: `200 OK\r\n${HEADERS}`, isReset: false },
  { name: '200 in chunks, reset before any chunk', bytes: `200 OK\r\n${HEADERS}`, isReset: true },
  { name: '409 in chunks, ended before any chunk', bytes: `409 Conflict\r\n${HEADERS}`, isReset: false },
  { name: '422 in chunks, ended before any chunk', bytes: `422 Unprocessable Entity\r\n${HEADERS}`, isReset: false },
  { name: '404 in chunks, ended before any chunk', bytes: `404 Not Found\r\n${HEADERS}`, isReset: false },
  { name: '200 ended within a chunk', bytes: `200 OK\r\n${HEADERS}40\r\n{"message":"Bet event`, isReset: false },
  {
    name: '409 reset within a chunk',
    bytes: `409 Conflict\r\n${HEADERS}40\r\n{"message":"This data has already been reported`,
    isReset: true,
  },
];
/** Without these a soak has tested nothing. */
export const NEEDED_BREAKS = BROKEN.slice(0, 2).map(({ name }) => name);
/** The answer to a refused report. */
export const REFUSAL = {
  status: 422,
  text: JSON.stringify({ message: 'ggr is not acceptable', error: 'Unprocessable Entity', statusCode: 422 }),
};

/**
 * An answer to every request.
 * @typedef {{ name: string, status: number, headers?: Readonly<Record<string, string>>, text: string }} TurnedAway
 */

/**
 * Reads the states of reports in the outbox; none while it cannot be read.
 * @typedef {(ids: readonly string[]) => Promise<readonly (string | undefined)[]>} StatesOf
 */

/** The whole body. Undefined if it breaks off. @param {import('node:http').IncomingMessage} incoming */
async function read(incoming) {
  const pieces = [];
  try {
    for await (const piece of incoming) pieces.push(piece);
  } catch {
    return undefined;
  }
  return Buffer.concat(pieces);
}

/**
 * The gateway's whole answer. Undefined if it breaks off.
 * @param {string} to
 * @param {import('node:http').IncomingMessage} incoming
 * @param {Buffer} body
 */
async function pass(to, { method, url = '/', headers }, body) {
  const outgoing = request(new URL(url, to), { method, headers, agent: false }).end(body);
  const answer = await once(outgoing, 'response').then(
    ([one]) => /** @type {import('node:http').IncomingMessage} */ (one),
    () => undefined,
  );
  const bytes = answer && (await read(answer));
  return answer && bytes && { status: answer.statusCode ?? 502, headers: answer.headers, bytes };
}

/** An answer of this proxy itself, with its length. @param {Omit<TurnedAway, 'name'>} answer */
function answerOf({ status, headers, text }) {
  const bytes = Buffer.from(text);
  return {
    status,
    headers: { 'content-type': 'application/json', 'content-length': String(bytes.length), ...headers },
    bytes,
  };
}

/**
 * @param {object} options
 * @param {string} options.url Of the mock gateway.
 * @param {number} options.seed
 * @param {import('./licences.js').Licence} options.licence The gateway's licence.
 * @param {import('./journal.js').Journal} options.journal
 * @param {StatesOf} options.statesOf
 */
export async function startFront({ url, seed, licence, journal, statesOf }) {
  const { random } = createRandom(seed);
  let broken = 0;
  /** Those of them whose request had reached the gateway. */
  let lost = 0;
  /** @type {TurnedAway | undefined} */
  let turnedAway;

  /**
   * The answer to a report. Undefined if the connection breaks.
   * @param {import('node:http').IncomingMessage} incoming
   * @param {Buffer} body
   */
  async function answerTo(incoming, body) {
    const report = journal.arrived(licence, incoming, body);
    if (report.operation === 'reportSettledBet' && isDoubtful(report)) {
      const [settlement, initiated] = await statesOf([report.id, report.id.replace('SettledBet', 'BetEvent')]);
      // If it is no longer in flight, its request is an old one.
      if (settlement === 'in-flight' && initiated !== 'recorded' && initiated !== 'dismissed')
        journal.wrong.add(`${report.id} came while its bet was ${initiated}`);
    }
    if (turnedAway) {
      journal.strike(turnedAway.name);
      return answerOf(turnedAway);
    }
    const isEnough = NEEDED_BREAKS.every((name) => journal.struck.has(name));
    const breaks = random() < (isEnough ? CHANCE : FIRST_CHANCE) ? BROKEN[broken++ % BROKEN.length] : undefined;
    const isLost = breaks !== undefined && random() < 0.5;
    if (breaks) journal.strike(breaks.name);
    if (isRefused(report)) {
      if (breaks) return breaks;
      if (!isDoubtful(report)) journal.refused.add(report.id);
      return answerOf(REFUSAL);
    }
    if (breaks && !isLost) return breaks;
    const passed = await pass(url, incoming, body);
    if (isLost) lost += 1;
    return breaks ?? passed;
  }

  const server = createServer(async (incoming, outgoing) => {
    const { socket } = incoming;
    const body = await read(incoming);
    const answer = body && (await answerTo(incoming, body));
    if (!answer) socket.destroy();
    else if ('status' in answer) outgoing.writeHead(answer.status, answer.headers).end(answer.bytes);
    else if (answer.isReset)
      socket.write(`HTTP/1.1 ${answer.bytes}`, () => setTimeout(() => socket.resetAndDestroy(), RESET_AFTER_MS));
    else socket.end(`HTTP/1.1 ${answer.bytes}`);
  });
  await /** @type {Promise<void>} */ (new Promise((resolve) => server.listen(0, '127.0.0.1', resolve)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    /** How many answers were broken off after the report was recorded. */
    lost: () => lost,
    /** Gives this answer to every request, until the returned function is called. @param {TurnedAway} answer */
    turnAway(answer) {
      turnedAway = answer;
      return () => {
        turnedAway = undefined;
      };
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
