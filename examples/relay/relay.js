// The relay that all of these examples mount: `POST …/report-bet-event` and `POST …/report-withdrawal-event`.
//
// The client reads the gateway's address and key from LOCATION_SDK_STAGING_BASE_URL and LOCATION_SDK_STAGING_API_KEY,
// or LOCATION_SDK_MOCK.
import { createClient } from 'location-sdk';
import { createRelay } from 'location-sdk/relay';

/** The data that a real backend keeps in its sessions and its database. */
const players = new Map([
  [
    'ada-1815',
    {
      id: 'U-88412',
      first: 'Adaeze',
      last: 'Okonkwo',
      address: '4 Ogui Road',
      lga: 'Enugu North',
      state: 'ENUGU',
      nin: '99012345678',
      tax_id: '2034567890123',
    },
  ],
]);

/** Their bets and withdrawals, by `bet_id` and `request_id`. The code that accepts a bet stores it here. */
const timestamp = String(Math.floor(Date.now() / 1000));
const bank = { method: 'bank_transfer', bank: 'Example Bank', account_last4: '0042' };
const bets = new Map([
  ['BET-1', { owner: 'U-88412', fields: { amount: 1500, timestamp } }],
  ['BET-2', { owner: 'U-70031', fields: { amount: 900, timestamp } }],
]);
const withdrawals = new Map([
  [
    'WR-1',
    { owner: 'U-88412', fields: { amount: 3000, timestamp, metadata: bank, withdrawalId: 'W-1', userId: 'U-88412' } },
  ],
]);

/** Requests of each player in this minute. With several processes, count in a place that all of them share. */
const MOST_PER_MINUTE = 60;
let minute = 0;
/** @type {Map<string, number>} */
const asked = new Map();

export const relay = createRelay({
  client: createClient(),

  // Your site as players see it, such as https://play.example.com: Next.js needs it, since its requests say localhost.
  allowedOrigins: process.env.PUBLIC_ORIGIN ? [process.env.PUBLIC_ORIGIN] : [],

  // The player: from the session, never from the page's data.
  authorize(request, { operation }) {
    const session = /(?:^|; )session=([\w-]+)/.exec(request.headers.get('cookie') ?? '')?.[1];
    const player = players.get(session ?? '');
    if (!player) return null;
    const { id: user_id, first, last, address, lga, state, nin, tax_id } = player;
    const user =
      operation === 'reportBetEvent'
        ? {
            user_id,
            first_name: first,
            last_name: last,
            resident_address: address,
            resident_lga: lga,
            resident_state: state,
            is_resident: true,
            nin,
            tax_id,
          }
        : {
            user_id,
            full_name: `${first} ${last}`,
            residence_address: address,
            residence_lga: lga,
            residence_state: state,
            residency_status: 'RESIDENT',
            nin,
            tax_id,
          };
    return { id: user_id, user };
  },

  limit({ id }) {
    const current = Math.floor(Date.now() / 60_000);
    if (current !== minute) asked.clear();
    minute = current;
    const count = (asked.get(id) ?? 0) + 1;
    asked.set(id, count);
    return count > MOST_PER_MINUTE && { retryAfterMs: 60_000 };
  },

  // The report comes from the records, and only its own player may send it. For null the relay answers 403.
  complete(event, { player, operation }) {
    const entry =
      operation === 'reportBetEvent' ? bets.get(String(event.bet_id)) : withdrawals.get(String(event.request_id));
    return entry?.owner === player.id ? entry.fields : null;
  },

  // A withdrawal's location is needed again when it is settled.
  onReceipt: ({ operation, reference, outcome }) => console.log(`${operation} ${reference}: ${outcome}`),
});
