// The backend: it serves the built page, places bets and reports them. Sessions and records are your part:
// in this example every request is Adaeze's, and bets and reports are lost with the process.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { json } from 'node:stream/consumers';
import { type BetEvent, clientIpFrom, createClient, isReportingError, pageLocation, playerMessage } from 'location-sdk';
import { createOutbox, memoryStore } from 'location-sdk/outbox';

/** The body that `postOnce` sends. A visitor can send any other. */
interface Sent {
  readonly key?: unknown;
  readonly stake?: unknown;
  readonly location?: unknown;
}

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
/** The bets by player and key. */
const bets = new Map<string, Promise<BetEvent>>();

// In production: a store in your database, so that bet and report are one transaction.
const outbox = createOutbox({ client: createClient(), store: memoryStore() });
outbox.start();

async function place(stake: number, location: unknown, clientIP: string | undefined): Promise<BetEvent> {
  const bet = { bet_id: `BET-${randomUUID()}`, amount: stake, user };
  await outbox.reportBetEvent(bet, { location: pageLocation(location), clientIP });
  return bet;
}

/** The same key of the same player is the same bet. */
async function placeOnce({ key, stake, location }: Sent, clientIP: string | undefined) {
  if (typeof key !== 'string' || typeof stake !== 'number' || !(stake > 0)) throw new TypeError('no bet');
  const name = `${user.user_id} ${key}`;
  const before = bets.get(name);
  const placed = before ?? place(stake, location, clientIP);
  bets.set(name, placed);
  placed.catch(() => bets.delete(name)); // it was not placed
  const { bet_id, amount } = await placed;
  return { bet_id, message: `Your bet of ${amount} ${before ? 'was placed before' : 'is placed'}.` };
}

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

createServer(async (request, response) => {
  const [pathname = '/'] = (request.url ?? '/').split('?');
  if (pathname === '/bets') {
    const answer = await json(request)
      .then((body) => placeOnce(body as Sent, clientIpFrom(request)))
      // Your database may have committed the bet, although it gave an error.
      .catch((error) => ({ message: playerMessage(isReportingError(error) ? error : 'in-doubt').text }));
    response.writeHead('bet_id' in answer ? 200 : 503, { 'content-type': 'application/json' });
    return void response.end(JSON.stringify(answer));
  }
  const name = pathname === '/' ? 'index.html' : pathname.slice(1);
  const file = join(import.meta.dirname, 'page', normalize(`/${name}`));
  const content = await readFile(file).catch(() => undefined);
  response.writeHead(content ? 200 : 404, { 'content-type': TYPES[extname(file)] ?? 'text/plain' }).end(content);
}).listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () =>
  console.log(`http://localhost:${process.env.PORT ?? 3000}/`),
);
