// Parts that only the demonstration needs: invented players, matches and addresses, and the choice of a fault.
import { players } from './reports.js';

players.set('lion27', {
  ...{
    id: 'U-88412',
    nickname: 'lion27',
    first: 'Adaeze',
    last: 'Okonkwo',
    address: '4 Ogui Road',
    lga: 'Enugu North',
    state: 'ENUGU',
  },
  ...{ nin: '99012345678', tax_id: '2034567890123', bank: 'Example Bank', account: '3310920042', balance: 50_000 },
});
// The mock gateway verifies only numbers that begin with 99.
players.set('palm8', {
  ...{
    id: 'U-70031',
    nickname: 'palm8',
    first: 'Tunde',
    last: 'Balogun',
    address: '19 Marina Close',
    lga: 'Eti-Osa',
    state: 'LAGOS',
  },
  ...{ nin: '11087654321', tax_id: '2098765432109', bank: 'Example Bank', account: '3310927715', balance: 5_000 },
});

export const conditions = [
  { name: 'fine', title: 'Everything works', hint: 'The gateway answers at once.' },
  {
    name: 'lost',
    title: 'One answer is lost',
    hint: 'The report is recorded, then the connection breaks. The backend sends the same bytes again.',
  },
  { name: 'down', title: 'The gateway is down', hint: 'Connections break. Reports are in doubt until it works again.' },
  { name: 'busy', title: 'The gateway is busy', hint: 'It answers 429 and asks to wait for a minute.' },
  { name: 'taken', title: 'The next bet number is in use', hint: 'The gateway has another bet with this number.' },
  {
    name: 'nowhere',
    title: 'The IP address cannot be located',
    hint: 'No lookup finds it. Deny your location too, and no location is left.',
  },
];

/** @param {import('location-sdk/node').MockServer<'strict'>} mock */
export function createDemonstration({ gateway, clientOptions }) {
  let condition = 'fine';

  /** Replaces a lookup service, so that no request leaves this machine. @type {import('location-sdk').IpProvider} */
  const lookup = {
    name: 'made-up',
    lookup: async () =>
      condition === 'nowhere'
        ? undefined
        : { latitude: 6.4541, longitude: 3.3947, city: 'Lagos', region: 'Lagos', country: 'NG' },
  };
  const { location: _fixed, ...toGateway } = clientOptions();

  return {
    picks: [
      { name: 'home', about: 'Stars win', odds: 2.45 },
      { name: 'draw', about: 'Draw', odds: 3.1 },
      { name: 'away', about: 'United win', odds: 2.8 },
    ],
    playerAddress: '102.89.23.47',
    // Short waits, for people who watch the demonstration.
    clientOptions: {
      ...toGateway,
      retry: { limit: 1, baseMs: 150 },
      location: { ip: { providers: [lookup], cacheMs: 0, restMs: 1 } },
    },
    chosen: () => condition,

    /** @param {unknown} name */
    choose(name) {
      if (!conditions.some((known) => known.name === name)) return false;
      condition = String(name);
      gateway.faults.clear();
      if (name === 'lost') gateway.faults.add({ kind: 'connection-reset', when: 'after' });
      if (name === 'down') gateway.faults.add({ kind: 'connection-reset', times: null });
      if (name === 'busy') gateway.faults.add({ kind: 'status', status: 429, retryAfter: 60, times: null });
      return true;
    },

    /** @param {string} bet_id */
    placed(bet_id) {
      if (condition !== 'taken') return;
      const user = {
        user_id: 'U-1',
        first_name: 'A',
        last_name: 'B',
        resident_address: 'C',
        resident_lga: 'D',
        resident_state: 'E',
        is_resident: true,
      };
      const body = {
        bet_id,
        amount: 1,
        timestamp: '1700000000',
        user: { ...user, nin: '99000000000', tax_id: 'T' },
        location: { latitude: 6, longitude: 3, source: 'gps' },
      };
      gateway.seed([{ operation: 'reportBetEvent', body }]);
      this.choose('fine');
    },
  };
}
