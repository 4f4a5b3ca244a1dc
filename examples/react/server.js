// The backend: it serves the output of `vite build`, places bets and mounts the relay. Sessions and records are your
// part: in this example every request is Adaeze's, and bets are lost with the process.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { createClient } from 'location-sdk';
import { toNodeHandler } from 'location-sdk/node';
import { createRelay } from 'location-sdk/relay';

const home = {
  resident_address: '4 Ogui Road',
  resident_lga: 'Enugu North',
  resident_state: 'ENUGU',
  is_resident: true,
};
const user = {
  user_id: 'U-88412',
  first_name: 'Adaeze',
  last_name: 'Okonkwo',
  ...home,
  nin: '99012345678',
  tax_id: '2034567890123',
};
const bets = new Map();

const handleRelay = toNodeHandler(
  createRelay({
    client: createClient(),
    // The logged-in player: from the session's cookie, never from the page's data. For null the relay answers 401.
    authorize: () => ({ user }),
    // The report comes from your records, and only the bet's own player may report it. For null the relay answers 403.
    complete: ({ bet_id }, { player }) =>
      bets.get(bet_id)?.owner === player.user.user_id ? bets.get(bet_id).fields : null,
  }),
);

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

createServer(async (request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost');
  if (pathname.startsWith('/relay/')) return handleRelay(request, response);
  if (pathname === '/bets') {
    const key = request.headers['idempotency-key'];
    if (!key) return response.writeHead(400).end();
    const bet_id = `BET-${key}`; // the same key is the same bet
    const fields = { amount: 1500, timestamp: String(Math.floor(Date.now() / 1000)) };
    if (!bets.has(bet_id)) bets.set(bet_id, { owner: user.user_id, fields });
    return response.end(JSON.stringify({ bet_id }));
  }
  const file = new URL(`./dist${pathname === '/' ? '/index.html' : pathname}`, import.meta.url);
  const content = await readFile(file).catch(() => undefined);
  response
    .writeHead(content ? 200 : 404, { 'content-type': TYPES[extname(file.pathname)] ?? 'text/plain' })
    .end(content);
}).listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () =>
  console.log(`http://localhost:${process.env.PORT ?? 3000}/`),
);
