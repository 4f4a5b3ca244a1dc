// The outbox, and the relay in front of it. Sessions and records are your part: in this example every request is
// Adaeze's, and bets are lost with the process.
import { createClient } from 'location-sdk';
import { createOutbox } from 'location-sdk/outbox';
import { sqliteStore } from 'location-sdk/outbox/sqlite';
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

/** Opened when the first request needs it, not while Next.js builds. */
async function open() {
  const store = await sqliteStore({ file: process.env.OUTBOX_FILE ?? 'outbox.db' });
  const outbox = createOutbox({ client: createClient(), store });
  const bets = new Map();
  const relay = createRelay({
    client: outbox,
    // Your site as players see it: here the address of a request says localhost, for any address in the browser.
    allowedOrigins: [process.env.PUBLIC_ORIGIN ?? 'http://localhost:3000'],
    // The logged-in player: from the session's cookie, never from the page's data. For null the relay answers 401.
    authorize: () => ({ user }),
    // The report comes from your records, and only the bet's own player may report it. For null the relay answers 403.
    complete: ({ bet_id }, { player }) =>
      bets.get(bet_id)?.owner === player.user.user_id ? bets.get(bet_id).fields : null,
    onReceipt: ({ reference, outcome }) => console.log(`${reference}: ${outcome}`),
    onError: ({ reference, code, outcome }) => console.error(`${reference}: ${code}, ${outcome}`),
  });
  outbox.start();

  /** A key that the page makes: the same key is the same bet. @param {string} key @param {number} amount */
  function placeBet(key, amount) {
    const bet_id = `BET-${key}`;
    const fields = { amount, timestamp: String(Math.floor(Date.now() / 1000)) };
    if (!bets.has(bet_id)) bets.set(bet_id, { owner: user.user_id, fields });
    return bet_id;
  }
  return { relay, placeBet };
}

// Next.js bundles each route separately, so a variable of this module would exist several times.
const KEPT = Symbol.for('example.reports');

/** @returns {ReturnType<typeof open>} */
export function openReports() {
  globalThis[KEPT] ??= open();
  return globalThis[KEPT];
}
