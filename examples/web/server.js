// A small operator's site: `npm run example:web`. It has a page for players, a back office beside it, and a mock
// gateway as the receiver, all on loopback. To see how the SDK is used, read reports.js (the backend) and page.js (the
// page). This file has the parts of any site: sessions, routes and headers.
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { isReportingError } from 'location-sdk';
import { serve, toNodeHandler } from 'location-sdk/node';
import { conditions, createDemonstration } from './demonstration.js';
import { addBet, addWithdrawal, availableTo, createReports, entries, players } from './reports.js';

const HEADERS = {
  // No inline script, no inline style, no foreign files: the page uses three files of this site.
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; " +
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'permissions-policy': 'geolocation=(self)',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
};

const files = new Map([
  ['/', { path: './page.html', type: 'text/html' }],
  ['/page.js', { path: './page.js', type: 'text/javascript' }],
  ['/allow-location.js', { path: './allow-location.js', type: 'text/javascript' }],
  ['/view.js', { path: './view.js', type: 'text/javascript' }],
  ['/style.css', { path: './style.css', type: 'text/css' }],
  ['/location-sdk.relay.global.js', { path: '../../dist/location-sdk.relay.global.js', type: 'text/javascript' }],
]);

class HttpError extends Error {
  /** @param {number} status @param {string} message for the player */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** The player of each session cookie. @type {Map<string, import('./reports.js').Player>} */
const sessions = new Map();
const sessionOf = (/** @type {string | null | undefined} */ cookie) =>
  /(?:^|; )session=([\w-]{43})(?:;|$)/.exec(cookie ?? '')?.[1] ?? '';

/**
 * HttpOnly: no script reads it. SameSite: no other site's page sends it. On https add Secure, and name it
 * __Host-session.
 */
const cookieFor = (/** @type {string} */ session, seconds = 28_800) =>
  `session=${session}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${seconds}`;

const mock = await serve();
const demonstration = createDemonstration(mock);
const { relay, settle, isVerified } = createReports(demonstration.clientOptions, (cookie) =>
  sessions.get(sessionOf(cookie)),
);
// On this machine every address is a loopback one, which cannot be located: the demonstration uses a public one. A site
// behind its own proxy sets `trustedProxies` instead.
const handleRelay = toNodeHandler((request, connection) =>
  relay(request, { ...connection, remoteAddress: demonstration.playerAddress }),
);

/** @typedef {{ body: any, id: string, player: import('./reports.js').Player }} Call */

/** For logged-in players. @type {Record<string, (call: Call) => Promise<unknown> | unknown>} */
const routes = {
  'GET /state': ({ player }) => stateFor(player),

  // The bet exists once the backend has stored it. It counts once it is reported, which the page does next.
  'POST /bets': (call) =>
    once(call, ({ body, player }) => {
      const pick = demonstration.picks.find(({ name }) => name === (body.pick ?? 'home'));
      if (!pick) throw new HttpError(422, 'There is no such pick.');
      const entry = addBet(player, amountOf(body.stake, player), pick);
      demonstration.placed(entry.id);
      return { bet_id: entry.id };
    }),

  'POST /withdrawals': (call) => once(call, withdraw),

  // A real back office is a separate site with its own login.
  async 'POST /back-office/:id'({ body, id }) {
    const entry = entries.get(id);
    if (entry?.state !== 'reported') throw new HttpError(404, 'There is nothing to settle.');
    if (!(await settle(entry, body.won === true))) throw new HttpError(409, 'This is already being settled.');
    return {};
  },

  'POST /demonstration'({ body }) {
    if (!demonstration.choose(body.condition)) throw new HttpError(422, 'There is no such condition.');
    return {};
  },
};

/** @param {Call} call */
async function withdraw({ body, player }) {
  const amount = amountOf(body.amount, player);
  const verified = await isVerified(player).catch((error) => {
    // No withdrawal exists yet, so nothing is in doubt, for any outcome of the verification.
    console.warn(error instanceof Error ? error.message : 'a value that is not an error was thrown');
    throw new HttpError(
      503,
      'We cannot verify your identity at the moment. No withdrawal was made; please try again later.',
    );
  });
  if (!verified)
    throw new HttpError(403, 'We could not verify your identity, so we cannot pay out. Please contact us.');
  return { request_id: addWithdrawal(player, amountOf(amount, player)).id }; // the balance may have changed meanwhile
}

/** The answers of what is placed, by player and key. @type {Map<string, Promise<unknown>>} */
const placed = new Map();

/**
 * The same key of the same player is the same bet, or the same withdrawal.
 * @param {Call} call
 * @param {(call: Call) => unknown} place
 */
function once(call, place) {
  const { body, player } = call;
  if (!/^[\w-]{10,60}$/.test(body.key)) throw new HttpError(400, 'The request has no key.');
  const name = `${player.id} ${body.key}`;
  const answer = placed.get(name) ?? Promise.resolve(call).then(place);
  placed.set(name, answer);
  answer.catch(() => placed.delete(name)); // it was not placed
  return answer;
}

/** @param {unknown} value @param {import('./reports.js').Player} player */
function amountOf(value, player) {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 100)
    throw new HttpError(422, 'The least amount is ₦100.');
  if (value > availableTo(player)) throw new HttpError(422, 'That is more than you can spend at the moment.');
  return value;
}

/**
 * The data that the page shows. It does not need the player's name, number and address.
 * @param {import('./reports.js').Player} player
 */
function stateFor(player) {
  const newest = [...entries.values()].reverse();
  const of = (
    /** @type {import('./reports.js').Entry} */ { kind, id, event, state, about, odds, payout, location, unsettled },
  ) => ({
    ...{
      kind,
      id,
      amount: event.amount,
      time: Number(event.timestamp) * 1000,
      state,
      about,
      odds,
      payout,
      inDoubt: unsettled !== undefined,
    },
    source: location?.source,
    place: location?.city,
    accuracy: location?.accuracy,
  });
  return {
    nickname: player.nickname,
    balance: player.balance,
    entries: newest.filter((entry) => entry.player === player).map(of),
    backOffice: newest.filter(({ state }) => state === 'reported').map(of),
    condition: demonstration.chosen(),
    conditions,
    gateway: mock.url,
  };
}

/** @param {import('node:http').IncomingMessage} request */
async function readJson(request) {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > 10_000) throw new HttpError(413, 'The request is too large.');
  }
  try {
    const body = JSON.parse(text || '{}');
    if (typeof body === 'object' && body !== null) return body;
  } catch {}
  throw new HttpError(400, 'The request is not valid.');
}

/** @param {import('node:http').IncomingMessage} request @returns {Promise<{ status?: number, body: unknown, headers?: Record<string, string> }>} */
async function answer(request) {
  const { method, url = '/', headers } = request;
  // No other site's page may act in a player's name.
  if (method !== 'GET' && headers.origin !== `http://${headers.host}`)
    throw new HttpError(403, 'This is not accepted.');
  const body = method === 'GET' ? {} : await readJson(request);

  const session = sessionOf(headers.cookie);
  if (method === 'POST' && url === '/login') {
    const player = body.password === 'demo' ? players.get(String(body.nickname).trim().toLowerCase()) : undefined;
    if (!player) throw new HttpError(401, 'Nickname and password do not match.');
    const token = randomBytes(32).toString('base64url');
    sessions.set(token, player);
    return { body: {}, headers: { 'set-cookie': cookieFor(token) } };
  }
  if (method === 'POST' && url === '/logout') {
    sessions.delete(session);
    return { body: {}, headers: { 'set-cookie': cookieFor('', 0) } };
  }

  const [, collection, id = ''] = url.split('/');
  const route = routes[`${method} /${collection}${id && '/:id'}`];
  if (!route) throw new HttpError(404, 'This path does not exist.');
  const player = sessions.get(session);
  if (!player && url === '/state') return { body: {} };
  if (!player) throw new HttpError(401, 'Please log in.');
  return { body: await route({ body, id, player }) };
}

/**
 * The answer to a browser: the message of an error is for the operator's log, its code and outcome are harmless.
 * @param {unknown} error
 */
function refusal(error) {
  if (error instanceof HttpError) return { status: error.status, body: { message: error.message } };
  console.warn(error instanceof Error ? error.message : 'a value that is not an error was thrown');
  if (!isReportingError(error)) return { status: 500, body: { message: 'Something went wrong.' } };
  const { code, outcome, retryAfterMs } = /** @type {import('location-sdk').RateLimitError} */ (error);
  return { status: 502, body: { message: 'The gateway did not accept it.', code, outcome, retryAfterMs } };
}

const server = createServer(async (request, response) => {
  if (request.url?.startsWith('/relay/')) return handleRelay(request, response);
  const file = request.method === 'GET' && files.get(request.url ?? '');
  if (file) {
    const content = await readFile(new URL(file.path, import.meta.url));
    response.writeHead(200, { ...HEADERS, 'content-type': `${file.type}; charset=utf-8` }).end(content);
    return;
  }
  const {
    status = 200,
    body,
    headers = {},
  } = await answer(request).catch((error) => ({ ...refusal(error), headers: {} }));
  response.writeHead(status, { ...HEADERS, ...headers, 'content-type': 'application/json' }).end(JSON.stringify(body));
});

server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`The site       http://127.0.0.1:${port}/   (nickname lion27, password demo)`);
  console.log(`The gateway    ${mock.url}/   (its reports)`);
  console.log('Ctrl+C stops both.');
});

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    server.close();
    server.closeAllConnections();
    await mock.close();
  });
}
