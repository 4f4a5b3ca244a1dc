/** The reports of a sample, whose players are invented. */

const user = {
  user_id: 'U-88412',
  first_name: 'Adaeze',
  last_name: 'Okonkwo',
  resident_address: '4 Ogui Road',
  resident_lga: 'Enugu North',
  resident_state: 'ENUGU',
  is_resident: true,
  nin: '99012345678',
  tax_id: '2034567890123',
};

/** The name that the SQL of a sample has in place of a schema. */
export const SCHEMA = 'sample_of_tables';
/** The key of the sealed reports: it seals nothing else. */
export const ENCRYPTION = {
  keys: { 'of-samples': 'c2FtcGxlc2FtcGxlc2FtcGxlc2FtcGxlc2FtcGxlISE=' },
  current: 'of-samples',
};
export const LOCATION = { latitude: 6.45, longitude: 3.39, source: 'sample' };

/** @param {string} bet_id */
export const bet = (bet_id) => ({ bet_id, amount: 1500, user });

/** @param {string} bet_id */
export const settlement = (bet_id) => ({
  ...{ bet_id, user, win_amount: 0, payout_amount: 0 },
  ...{ outcome: 'LOSS', ggr: 1500, ur: 0 },
});

/** @param {string} request_id */
export const withdrawal = (request_id) => ({
  request_id,
  amount: 25_000,
  user: {
    user_id: user.user_id,
    full_name: 'Adaeze Okonkwo',
    residence_address: user.resident_address,
    residence_state: user.resident_state,
    residence_lga: user.resident_lga,
    tax_id: user.tax_id,
    nin: user.nin,
    residency_status: 'RESIDENT',
  },
  metadata: { method: 'bank_transfer', bank: 'Example Bank', account_last4: '0042' },
  withdrawalId: request_id,
  userId: user.user_id,
});
