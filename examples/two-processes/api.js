// The process that takes bets: DATABASE_URL=postgres://… node examples/two-processes/api.js
// It enqueues reports and sends none. The console of the reports is at /ops/outbox/, for colleagues alone.
import { createServer } from 'node:http';
import { clientIpFrom, isReportingError, playerMessage } from 'location-sdk';
import { stopOnSignals, toNodeHandler } from 'location-sdk/node';
import { createBackOffice } from './back-office.js';
import { createBets } from './bets.js';
import { createTables, pool } from './database.js';
import { openOutbox } from './reporting.js';

const LONGEST_BODY = 10_000;

await createTables();
const { outbox, store } = await openOutbox({ isWorker: false });
const bets = createBets(outbox);
const operatorConsole = toNodeHandler(createBackOffice(outbox));

/** Stands for the session of a player. */
const PLAYER = 'U-88412';

/** @param {import('node:http').IncomingMessage} request */
async function bodyOf(request) {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) {
    text += piece;
    if (text.length > LONGEST_BODY) throw new SyntaxError('The body is too long.');
  }
  return JSON.parse(text);
}

/** The body of `postOnce`, for a bet or a withdrawal. @param {import('node:http').IncomingMessage} request */
async function sentIn(request) {
  const sent = await bodyOf(request);
  if (typeof sent?.key !== 'string') throw new SyntaxError('The body has no key.');
  return sent;
}

/** @type {readonly [RegExp, (request: import('node:http').IncomingMessage, id: string) => Promise<unknown>][]} */
const ROUTES = [
  [/^POST \/bets$/, async (request) => bets.place(PLAYER, await sentIn(request), ipOf(request))],
  [/^POST \/bets\/([\w-]+)\/settlement$/, async (request, id) => bets.settle(id, (await bodyOf(request)).payout)],
  [/^POST \/withdrawals$/, async (request) => bets.withdraw(PLAYER, await sentIn(request), ipOf(request))],
  [
    /^POST \/withdrawals\/([\w-]+)\/settlement$/,
    async (request, id) => bets.payOut(id, (await bodyOf(request)).status),
  ],
  [/^GET \/health$/, async () => (await outbox.stats()).states],
];

/** Name the proxies before this process, whose headers are trusted. @param {import('node:http').IncomingMessage} request */
const ipOf = (request) => clientIpFrom(request, { trustedProxies: [] });

/**
 * An invalid request is 400, a player without a location 409, and any other error is the server's: 503. The page shows
 * `message`.
 * @param {unknown} error
 * @returns {{ status: number, error: string, message: string }}
 */
function failureOf(error) {
  if (error instanceof SyntaxError) return { status: 400, error: 'validation', message: playerMessage('entries').text };
  if (!isReportingError(error)) return { status: 503, error: 'failed', message: playerMessage('in-doubt').text };
  const status = { validation: 400, location: 409 }[String(error.code)] ?? 503;
  return { status, error: error.code, message: playerMessage(error).text };
}

const server = createServer(async (request, response) => {
  const { method, url = '' } = request;
  if (/^\/ops\/outbox(\/|$)/.test(url)) return operatorConsole(request, response);
  const answer = (/** @type {number} */ status, /** @type {unknown} */ body) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  try {
    for (const [route, handle] of ROUTES) {
      const found = route.exec(`${method} ${url}`);
      if (!found) continue;
      const result = await handle(request, found[1] ?? '');
      return typeof result === 'boolean' ? answer(result ? 200 : 404, { settled: result }) : answer(200, result);
    }
    answer(404, { error: 'not found' });
  } catch (error) {
    console.error(error instanceof Error ? error.message : 'A request failed.');
    const { status, ...body } = failureOf(error);
    answer(status, body);
  }
});
const host = process.env.HOST ?? '127.0.0.1';
server.listen(Number(process.env.PORT ?? 3000), host, () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`The API listens on http://${host}:${port}`);
});

stopOnSignals(outbox, {
  beforeStop: () => new Promise((resolve) => server.close(resolve)),
  afterStop: async () => {
    await store.close?.();
    await pool.end();
    console.log('The API has stopped.');
  },
});
