// An operator's backend that reports the four steps, and its page that finds the location: `node examples/backend.js`.
//
// Without settings it starts a mock gateway, places, settles and pays out once, and ends. With --serve it keeps
// running, so that you can open the page. With LOCATION_SDK_STAGING_BASE_URL and LOCATION_SDK_STAGING_API_KEY (or
// LOCATION_SDK_MOCK) it reports there, and serves until it is stopped.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createClient, isReportingError, pageLocation } from 'location-sdk';
import { serve } from 'location-sdk/node';

const isSetUp = Boolean(process.env.LOCATION_SDK_STAGING_BASE_URL || process.env.LOCATION_SDK_MOCK);
const mock = isSetUp ? undefined : await serve();
const isBehindProxy = mock !== undefined || process.env.BEHIND_PROXY === '1';
// Short waits between attempts, so that the run against the mock gateway ends soon.
const client = createClient(mock ? { ...mock.clientOptions(), retry: { baseMs: 20 } } : {});

/** The player: a real backend reads it from the session. Never from the page's data, which a visitor can forge. */
const userId = 'U-88412';

/** The data that a real backend keeps in its database. */
const players = new Map([
  [
    'U-88412',
    {
      first_name: 'Adaeze',
      last_name: 'Okonkwo',
      address: '4 Ogui Road',
      lga: 'Enugu North',
      state: 'ENUGU',
      nin: '99012345678',
      tax_id: '2034567890123',
    },
  ],
]);
/** @type {Map<string, { stake: number, userId: string, isPlaced: boolean }>} */
const bets = new Map();
/** @type {Map<string, { event: import('location-sdk').WithdrawalEvent, location: import('location-sdk').Location | undefined }>} */
const withdrawals = new Map();

/** The ids of bets and withdrawals, by player and key. @type {Map<string, string>} */
const ids = new Map();

/** The same key of the same player is the same bet or withdrawal. @param {'BET' | 'WR'} kind @param {unknown} key */
function idOf(kind, key) {
  if (typeof key !== 'string' || !/^[\w-]{1,60}$/.test(key)) throw new HttpError(400, 'The request has no key.');
  const name = `${kind} ${userId} ${key}`;
  const id = ids.get(name) ?? `${kind}-${randomUUID()}`;
  ids.set(name, id);
  return id;
}

/** @param {string} userId */
function findPlayer(userId) {
  const player = players.get(userId);
  if (!player) throw new HttpError(404, 'There is no such player.');
  return player;
}

/**
 * The bet user object. The gateway names some fields differently for withdrawals, so there are two.
 * @param {string} userId
 */
function betUser(userId) {
  const { first_name, last_name, address, lga, state, nin, tax_id } = findPlayer(userId);
  return {
    user_id: userId,
    first_name,
    last_name,
    resident_address: address,
    resident_lga: lga,
    resident_state: state,
    is_resident: true,
    nin,
    tax_id,
  };
}

/** @param {string} userId */
function withdrawalUser(userId) {
  const { first_name, last_name, address, lga, state, nin, tax_id } = findPlayer(userId);
  const names = { user_id: userId, full_name: `${first_name} ${last_name}` };
  return {
    ...names,
    residence_address: address,
    residence_lga: lga,
    residence_state: state,
    residency_status: 'RESIDENT',
    nin,
    tax_id,
  };
}

/**
 * Reports. If no answer says whether the report arrived, it sends the same bytes once more. If that gives no answer
 * either, the error goes to the caller: keep it and resend it later, or have a person check it.
 *
 * @param {Promise<import('location-sdk').Receipt>} reporting
 */
async function untilCertain(reporting) {
  try {
    return await reporting;
  } catch (error) {
    if (!isReportingError(error) || error.outcome !== 'unknown') throw error;
    console.warn(`  in doubt: ${error.message}`);
    return client.resend(error);
  }
}

/** The reports, of which a real backend keeps the outcome in its database. @type {Map<string, Promise<import('location-sdk').Receipt>>} */
const reports = new Map();

/**
 * Reports a bet or withdrawal once, however often its page asks for it. After a failure it reports again: with the same
 * bytes, if the first report may have arrived.
 *
 * @param {string} id @param {() => Promise<import('location-sdk').Receipt>} report
 */
function reportOnce(id, report) {
  const again = (/** @type {unknown} */ error) =>
    isReportingError(error) && error.outcome === 'unknown' ? client.resend(error) : report();
  const reporting = reports.get(id)?.catch(again) ?? untilCertain(report());
  reports.set(id, reporting);
  return reporting;
}

/** @typedef {{ body: any, clientIP: string }} Call The page's data is not trusted: the SDK checks everything that is reported. */

const files = new Map([
  ['/', { path: './bet.html', type: 'text/html; charset=utf-8' }],
  [
    '/location-sdk.locate.global.js',
    { path: '../dist/location-sdk.locate.global.js', type: 'text/javascript; charset=utf-8' },
  ],
]);

/** @type {Record<string, (call: Call, id: string) => Promise<unknown>>} */
const routes = {
  async 'POST /bets'({ body, clientIP }) {
    const { key, stake } = body;
    if (!(stake > 0)) throw new HttpError(422, 'Correct the stake.');
    const bet_id = idOf('BET', key);
    const bet = bets.get(bet_id) ?? { stake, userId, isPlaced: false };
    if (bet.stake !== stake) throw new HttpError(409, 'This key is that of another bet.');
    bets.set(bet_id, bet);
    // The page's location if it found one; otherwise the player's address is looked up.
    const options = { location: pageLocation(body.location), clientIP };
    await reportOnce(bet_id, () => client.reportBetEvent({ bet_id, amount: stake, user: betUser(userId) }, options));
    const words = bet.isPlaced ? 'was placed before' : 'is placed';
    bet.isPlaced = true;
    return { bet_id, message: `Your bet of ${stake} ${words}.` };
  },

  async 'POST /bets/:id/settle'({ body }, id) {
    const { stake, userId } = found(bets.get(id));
    const payout = body.won ? body.payout : 0;
    const result = {
      outcome: payout > stake ? 'WIN' : 'LOSS',
      win_amount: Math.max(0, payout - stake),
      payout_amount: payout,
    };
    return shown(
      await untilCertain(
        client.reportSettledBet({ bet_id: id, user: betUser(userId), ...result, ggr: stake - payout, ur: 0 }),
      ),
    );
  },

  async 'POST /withdrawals'({ body, clientIP }) {
    const { key, amount, bank, account_last4 } = body;
    const request_id = idOf('WR', key);
    // Operators must verify the number. The result for a number that is not verified is an answer, not an error.
    const { success } = await client.verifyNin({ nin: findPlayer(userId).nin });
    if (!success) throw new HttpError(403, 'The national identification number could not be verified.');
    const metadata = { method: 'bank_transfer', bank, account_last4 };
    const event = {
      request_id,
      amount,
      user: withdrawalUser(userId),
      metadata,
      withdrawalId: `W-${request_id}`,
      userId,
    };
    const options = { location: pageLocation(body.location), clientIP };
    const receipt = await reportOnce(request_id, () => client.reportWithdrawalEvent(event, options));
    withdrawals.set(request_id, { event, location: receipt.location });
    return shown(receipt);
  },

  async 'POST /withdrawals/:id/settle'(_call, id) {
    const { event, location } = found(withdrawals.get(id));
    return shown(
      await untilCertain(
        client.reportSettledWithdrawal({ ...event, status: 'SUCCESS', timestamp: new Date(), location }),
      ),
    );
  },
};

/**
 * The location is personal data: the player's browser does not need it.
 * @param {import('location-sdk').Receipt} receipt
 */
const shown = ({ operation, reference, outcome, attempts }) => ({ operation, reference, outcome, attempts });

class HttpError extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** @template T @param {T | undefined} value @returns {T} */
function found(value) {
  if (value === undefined) throw new HttpError(404, 'There is no such record.');
  return value;
}

/**
 * The answer to the player's browser. The error's own message is for the log: it contains no personal data.
 * @param {unknown} error
 */
function answerFor(error) {
  if (error instanceof HttpError) return { status: error.status, body: { message: error.message } };
  console.error(error instanceof Error ? `  ${error.message}` : error);
  if (!isReportingError(error)) return { status: 500, body: { message: 'Something went wrong.' } };
  if (error.code === 'location') return { status: 422, body: { message: 'We could not tell where you are.' } };
  if (error.code === 'validation')
    return { status: 422, body: { message: 'Some details are wrong.', fields: error.issues.map(({ path }) => path) } };
  return { status: 503, body: { message: 'Please try again later.', code: error.code } };
}

/**
 * The player's address. X-Forwarded-For counts only behind your own proxy, and only the last entry, which that proxy
 * wrote: players can write the rest.
 *
 * @param {import('node:http').IncomingMessage} request
 */
function playerAddress(request) {
  const forwarded = String(request.headers['x-forwarded-for'] ?? '').split(',');
  return (isBehindProxy && forwarded.at(-1)?.trim()) || request.socket.remoteAddress || '';
}

/** @param {import('node:http').IncomingMessage} request */
async function readJson(request) {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > 100_000) throw new HttpError(413, 'The request is too large.');
  }
  try {
    return JSON.parse(text || '{}');
  } catch {
    throw new HttpError(400, 'The request is not JSON.');
  }
}

/** @param {import('node:http').IncomingMessage} request */
async function handle(request) {
  const [, collection, id = '', action] = (request.url ?? '').split('/');
  const route = routes[`${request.method} /${[collection, id && ':id', action].filter(Boolean).join('/')}`];
  if (!route) throw new HttpError(404, 'There is no such path.');
  return route({ body: await readJson(request), clientIP: playerAddress(request) }, decodeURIComponent(id));
}

const server = createServer(async (request, response) => {
  const file = request.method === 'GET' && files.get(request.url ?? '');
  if (file) {
    const content = await readFile(new URL(file.path, import.meta.url));
    response.writeHead(200, { 'content-type': file.type, 'cache-control': 'no-store' }).end(content);
    return;
  }
  const { status, body } = await handle(request).then((body) => ({ status: 200, body }), answerFor);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});
await new Promise((resolve) => server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => resolve(undefined)));
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
const address = `http://127.0.0.1:${port}`;
console.log(`The backend listens on ${address}`);

if (mock) console.log(`and reports to a mock gateway on ${mock.url}\n`);
if (mock && !process.argv.includes('--serve')) await exerciseOnce(mock);

/** Does what a player's browser would do. @param {import('location-sdk/node').MockServer} mock */
async function exerciseOnce({ gateway, close }) {
  /** @param {string} path @param {object} body @param {number} expected */
  const post = async (path, body, expected = 200) => {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.7' };
    const response = await fetch(address + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    console.log(`POST ${path} → ${response.status} ${text}`);
    if (response.status !== expected) throw new Error(`expected ${expected}`);
    const { bet_id, reference } = JSON.parse(text);
    return bet_id ?? reference;
  };

  const bet = await post('/bets', {
    key: randomUUID(),
    stake: 1500,
    location: { latitude: 6.4474, longitude: 7.5139, accuracy: 20, source: 'gps' },
  });
  await post(`/bets/${bet}/settle`, { won: true, payout: 3675 });
  // The gateway records the withdrawal, but all three attempts lose the answer: the report is in doubt, and resent.
  gateway.faults.add({ operation: 'reportWithdrawalEvent', kind: 'connection-reset', when: 'after', times: 3 });
  const withdrawal = await post('/withdrawals', {
    key: randomUUID(),
    amount: 3000,
    bank: 'Example Bank',
    account_last4: '0042',
  });
  await post(`/withdrawals/${withdrawal}/settle`, {});
  await post('/bets', { key: randomUUID(), stake: '1500' }, 422);

  console.log(`\nThe gateway has ${gateway.reports().length} reports:`);
  for (const { operation, reference } of gateway.reports()) console.log(`  ${operation} ${reference}`);
  server.close();
  server.closeAllConnections();
  await close();
}
