// The outbox, and the bets that it reports. Sessions and records are your part: in this example every request is
// Adaeze's, and bets are lost with the process.
import { randomUUID } from 'node:crypto';
import { type BetEvent, createClient, pageLocation } from 'location-sdk';
import { createOutbox } from 'location-sdk/outbox';
import { sqliteStore } from 'location-sdk/outbox/sqlite';

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

/** Opened when the first request needs it, not while Next.js builds. */
async function open() {
  const store = await sqliteStore({ file: process.env.OUTBOX_FILE ?? 'outbox.db' });
  const outbox = createOutbox({ client: createClient(), store });
  /** The bets by player and key. */
  const bets = new Map<string, Promise<BetEvent>>();
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
  return { placeOnce };
}

// Next.js bundles each route separately, so a variable of this module would exist several times.
const KEPT = Symbol.for('example.reports');

const kept = globalThis as { [KEPT]?: ReturnType<typeof open> };

export function openReports(): ReturnType<typeof open> {
  kept[KEPT] ??= open();
  return kept[KEPT];
}
