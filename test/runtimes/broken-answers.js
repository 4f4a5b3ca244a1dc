// Answers that break off, over the runtime's own `fetch`, from a gateway of raw sockets on this machine. For Node.js,
// Deno and Bun; workerd cannot listen.
import { createServer } from 'node:net';
import { betUser } from './players.js';

const bet = { bet_id: 'BET-1', amount: 1500, user: betUser };
const location = { latitude: 6.4474, longitude: 7.5139, source: 'gps' };

const CHUNKED = 'transfer-encoding: chunked\r\nconnection: close\r\n\r\n';
const KEPT = 'transfer-encoding: chunked\r\n\r\n';
const CUT = '40\r\n{"message":"This data has already been reported\r\n';
const DATE = 'date: Sun, 22 Nov 2026 00:00:00 GMT\r\n\r\n';
const STATUSES = [200, 401, 404, 409, 422, 429];
/** The bytes after the status line of each, before the connection closes. */
const BROKEN = [
  CHUNKED,
  KEPT,
  CHUNKED + CUT,
  KEPT + CUT,
  DATE,
  `${DATE}<h1>No`,
  `content-length: 20\r\n${DATE}{"a":`,
  `content-encoding: gzip\r\n${CHUNKED}`,
];
/** Each is complete. @type {readonly (readonly [bytes: string, outcome: string])[]} */
const WHOLE = [
  [`200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`, 'recorded'],
  [`204 No Content\r\nconnection: close\r\n\r\n`, 'recorded'],
  [`200 OK\r\n${CHUNKED}2\r\n{}\r\n0\r\n\r\n`, 'recorded'],
  [`422 X\r\n${CHUNKED}2\r\n{}\r\n0\r\n\r\n`, 'rejected'],
  [`404 X\r\ncontent-length: 6\r\nconnection: close\r\n\r\n<h1>No`, 'rejected'],
];

/**
 * Returns the problems, in words; empty if there are none.
 * @param {Pick<import('./relay.js').Parts, 'createClient'>} parts
 * @returns {Promise<string[]>}
 */
export async function tryBrokenAnswers({ createClient }) {
  let bytes = '';
  let how = 'end';
  const server = createServer((socket) => {
    let read = '';
    socket.on('error', () => {});
    socket.on('data', (piece) => {
      read += piece.toString('latin1');
      // The request has arrived completely: its body is JSON.
      if (!read.endsWith('}')) return;
      read = '';
      if (how === 'end') socket.end(`HTTP/1.1 ${bytes}`);
      else socket.write(`HTTP/1.1 ${bytes}`, () => setTimeout(() => socket.resetAndDestroy(), 10));
    });
  });
  await /** @type {Promise<void>} */ (new Promise((resolve) => server.listen(0, '127.0.0.1', resolve)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const client = createClient({
    gateways: { staging: { baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key' } },
    retry: { limit: 0 },
    attemptTimeoutMs: 5_000,
    logger: {},
  });
  const outcomeOf = async (/** @type {string} */ given) => {
    bytes = given;
    /** @type {{ outcome: string }} */
    const end = await client.reportBetEvent(bet, { location }).catch((error) => error);
    return end.outcome;
  };
  const wrong = [];
  for (how of ['end', 'reset']) {
    for (const status of STATUSES) {
      for (const rest of BROKEN) {
        const given = `${status} X\r\n${rest}`;
        const outcome = await outcomeOf(given);
        if (outcome !== 'unknown') wrong.push(`${JSON.stringify(given)} and then ${how}: ${outcome}, not unknown`);
      }
    }
  }
  how = 'end';
  for (const [given, expected] of WHOLE) {
    const outcome = await outcomeOf(given);
    if (outcome !== expected) wrong.push(`${JSON.stringify(given)}: ${outcome}, not ${expected}`);
  }
  await new Promise((resolve) => server.close(resolve));
  return wrong;
}
