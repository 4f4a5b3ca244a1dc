// server.mjs
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { createClient } from 'location-sdk';
import { toNodeHandler } from 'location-sdk/node';
import { createRelay } from 'location-sdk/relay';

// Replace these with your sessions and records. Here every visitor is
// Adaeze, and the process forgets bets when it ends.
const user = {
  user_id: 'U-88412',
  first_name: 'Adaeze',
  last_name: 'Okonkwo',
  nin: '99012345678',
  tax_id: '2034567890123',
  resident_address: '4 Ogui Road',
  resident_lga: 'Enugu North',
  resident_state: 'ENUGU',
  is_resident: true,
};
const bets = new Map(); // by bet_id
const placed = new Map(); // the bet_id of each player and key

/** The same key of the same player is the same bet. */
function placeOnce(body) {
  const { key, stake } = body;
  if (!/^[\w-]{10,60}$/.test(key) || !(stake > 0)) return undefined;
  const name = `${user.user_id} ${key}`;
  const bet_id = placed.get(name) ?? `BET-${randomUUID()}`;
  const timestamp = `${Math.floor(Date.now() / 1000)}`;
  const bet = { owner: user.user_id, fields: { amount: stake, timestamp } };
  if (!bets.has(bet_id)) bets.set(bet_id, bet);
  placed.set(name, bet_id);
  return bet_id;
}

const relay = createRelay({
  client: createClient(),
  // The player of the session, never a name that the page sends.
  authorize: () => ({ user }),
  // Your records decide the amount, the time and the owner of a bet.
  complete({ bet_id }, { player }) {
    const bet = bets.get(bet_id);
    if (bet?.owner !== player.user.user_id) return null; // refuses it
    return bet.fields;
  },
});
const handleRelay = toNodeHandler(relay);
const script = '/location-sdk.relay.global.js';
const files = {
  '/': ['page.html', 'text/html; charset=utf-8'],
  [script]: [`node_modules/location-sdk/dist${script}`, 'text/javascript'],
};

const server = createServer(async (request, response) => {
  const { url = '' } = request;
  if (url.startsWith('/relay/')) return handleRelay(request, response);
  if (url === '/bets') {
    const bet_id = await json(request)
      .then(placeOnce)
      .catch(() => undefined);
    const answer = bet_id ? { bet_id } : { message: 'Correct the stake.' };
    response.statusCode = bet_id ? 200 : 400;
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify(answer));
  }
  const [file, type] = files[url] ?? [];
  if (!file) return response.writeHead(404).end();
  response.setHeader('content-type', type);
  response.end(await readFile(file));
});
server.listen(3000, '127.0.0.1', () => console.log('http://127.0.0.1:3000/'));
