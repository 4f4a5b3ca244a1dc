// The relay that all of these examples mount: `POST …/report-bet-event` and `POST …/report-withdrawal-event`.
//
// The client reads where to report from LOCATION_SDK_STAGING_BASE_URL and LOCATION_SDK_STAGING_API_KEY, or LOCATION_SDK_MOCK.
import { createClient } from 'location-sdk';
import { createRelay } from 'location-sdk/relay';

/** What a real backend keeps in its sessions and its database. */
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

export const relay = createRelay({
  client: createClient(),

  // Who plays: from the session, never from what the page sends.
  authorize(request, { operation }) {
    const session = /(?:^|; )session=([\w-]+)/.exec(request.headers.get('cookie') ?? '')?.[1];
    const player = players.get(session ?? '');
    if (!player) return null;
    const { id: user_id, first, last, address, lga, state, nin, tax_id } = player;
    const user =
      operation === 'reportBetEvent'
        ? { user_id, first_name: first, last_name: last, resident_address: address, resident_lga: lga, resident_state: state, is_resident: true, nin, tax_id }
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
    return { user };
  },

  // A withdrawal's location is needed again when it is settled.
  onReceipt: ({ operation, reference, outcome }) => console.log(`${operation} ${reference}: ${outcome}`),
});
