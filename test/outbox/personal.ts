import type { BetEvent, SettledBet, WithdrawalEvent } from '../../src/entries/index.js';
import { betEvent, settledBet, withdrawalEvent } from '../support/factories.js';

const user = {
  user_id: 'U-zebrafinch41',
  first_name: 'Zurikel',
  last_name: 'Golovante',
  resident_address: '77 Vornhill Road',
  resident_lga: 'Brimstead',
  resident_state: 'KESTRELIA',
  is_resident: true,
  nin: '90817263544',
  tax_id: 'TX-55512-QZ',
};

/** Personal values that occur in no other place. */
export const CANARIES = [
  ...Object.values(user).filter((value) => typeof value === 'string'),
  'velvet-otter',
  '6.123457',
  'Wobblington',
  'Plumefeather',
  '8306',
];

const location = { latitude: 6.123457, longitude: 3.765431, city: 'Wobblington', source: 'gps' };

export const personalBet = (bet_id: string): BetEvent => ({
  ...betEvent({ bet_id, user, metadata: { note: 'velvet-otter' } }),
  ...{ location },
});
export const personalSettlement = (bet_id: string): SettledBet => settledBet({ bet_id, user });
export const personalWithdrawal = (request_id: string): WithdrawalEvent => ({
  ...withdrawalEvent({
    request_id,
    userId: user.user_id,
    metadata: { method: 'bank', bank: 'Plumefeather', account_last4: '8306' },
    user: {
      ...withdrawalEvent().user,
      user_id: user.user_id,
      full_name: user.first_name,
      nin: user.nin,
      tax_id: user.tax_id,
    },
  }),
  ...{ location },
});

/** Many hashes contain these four digits. There they are part of a longer run of letters and digits. */
const isIn = (text: string, canary: string) =>
  canary.length > 4 ? text.includes(canary) : new RegExp(`(?<![\\w+/-])${canary}(?![\\w+/-])`).test(text);

/** The canaries in a text, also in JSON within JSON. */
export const leaksIn = (text: string): string[] => CANARIES.filter((canary) => isIn(text, canary));
