import type { Location } from '../../schema/location.js';

/** Staging verifies the first number, since it starts with 99, and does not verify the second (specification, section 4.3). */
export const VERIFIED_NIN = '99000000001';
export const UNVERIFIED_NIN = '10000000000';

/** A key that no gateway issues. */
export const WRONG_KEY = 'location-sdk-check-wrong-key';

const who = { user_id: 'CHECK-PLAYER', nin: VERIFIED_NIN, tax_id: 'CHECK-TIN' };

const betUser = {
  ...who,
  first_name: 'Test',
  last_name: 'Player',
  resident_address: '1 Test Street',
  resident_lga: 'Test Area',
  resident_state: 'LAGOS',
  is_resident: true,
};

const withdrawalUser = {
  ...who,
  full_name: 'Test Player',
  residence_address: '1 Test Street',
  residence_lga: 'Test Area',
  residence_state: 'LAGOS',
  residency_status: 'RESIDENT',
};

/** A location from a browser has no place names. */
const OF_BROWSER: Location = { latitude: 6.4541, longitude: 3.3947, accuracy: 25, source: 'gps' };
/** A location from an IP lookup has no accuracy. */
const OF_LOOKUP: Location = { latitude: 6.4541, longitude: 3.3947, city: 'Lagos', country: 'NG', source: 'client_ip' };

const LETTERS = 'bcdfghjkmnpqrstvwxz';

/** Only letters, since long numbers are masked in the texts of a gateway. */
export const newReference = (random: () => number): string =>
  `SDK-CHECK-${Array.from({ length: 10 }, () => LETTERS[Math.floor(random() * LETTERS.length)]).join('')}`;

/** The data of the four steps: complete, valid and about no person. Another `amount` makes other data. */
export function madeUp(reference: string, now: number) {
  const timestamp = `${Math.floor(now / 1_000)}`;
  const withdrawal = {
    request_id: reference,
    timestamp,
    user: withdrawalUser,
    metadata: { method: 'bank_transfer', bank: 'Test Bank', account_last4: '0000' },
    withdrawalId: `${reference}-W`,
    userId: who.user_id,
  };
  return {
    bet: (amount: number) => ({ bet_id: reference, amount, timestamp, user: betUser, metadata: { made_up: true } }),
    settledBet: (payout_amount: number) => ({ bet_id: reference, user: betUser, win_amount: 0, payout_amount, outcome: 'LOSS', ggr: -1, ur: 0 }),
    withdrawal: (amount: number) => ({ ...withdrawal, amount }),
    settledWithdrawal: (amount: number) => ({ ...withdrawal, amount, status: 'SUCCESS', location: OF_LOOKUP }),
    locationOfBet: OF_BROWSER,
    locationOfWithdrawal: OF_LOOKUP,
  };
}
