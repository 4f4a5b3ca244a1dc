// The outbox, and the bets that it reports. Sessions and records are your part: in this example every request is
// Adaeze's, and bets are lost with the process.
import { randomUUID } from 'node:crypto';
import { createClient, pageLocation } from 'location-sdk';
import { createOutbox } from 'location-sdk/outbox';
import { sqliteStore } from 'location-sdk/outbox/sqlite';

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

/** Opened when the first request needs it, not while Next.js builds. */
async function open() {
  const store = await sqliteStore({ file: process.env.OUTBOX_FILE ?? 'outbox.db' });
  const outbox = createOutbox({ client: createClient(), store });
  /** The bets by player and key. @type {Map<string, Promise<{ bet_id: string, amount: number }>>} */
  const bets = new Map();
  outbox.start();

  async function place({ stake, location }, clientIP) {
    const bet = { bet_id: `BET-${randomUUID()}`, amount: stake, user };
    await outbox.reportBetEvent(bet, { location: pageLocation(location), clientIP });
    return bet;
  }

  /** The same key of the same player is the same bet. */
  async function placeOnce(body, clientIP) {
    const { key, stake } = body;
    if (typeof key !== 'string' || !(stake > 0)) throw new TypeError('no bet');
    const name = `${user.user_id} ${key}`;
    const before = bets.get(name);
    const placed = before ?? place(body, clientIP);
    bets.set(name, placed);
    placed.catch(() => bets.delete(name)); // it was not placed
    const { bet_id, amount } = await placed;
    return { bet_id, message: `Your bet of ${amount} ${before ? 'was placed before' : 'is placed'}.` };
  }
  return { placeOnce };
}

// Next.js bundles each route separately, so a variable of this module would exist several times.
const KEPT = Symbol.for('example.reports');

/** @returns {ReturnType<typeof open>} */
export function openReports() {
  globalThis[KEPT] ??= open();
  return globalThis[KEPT];
}
