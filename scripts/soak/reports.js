// The reports of the soak, of different players.

const user = (/** @type {string} */ reference) => ({
  user_id: `U-${reference}`,
  first_name: 'Adaeze',
  last_name: 'Okonkwo',
  resident_address: '12 Ogui Road',
  resident_lga: 'Enugu North',
  resident_state: 'ENUGU',
  is_resident: true,
  nin: '99000000001',
  tax_id: '2034567000001',
});

export const bet = (/** @type {string} */ reference) => ({ bet_id: reference, amount: 1_500, timestamp: '1795161600', user: user(reference) });
export const settledBet = (/** @type {string} */ reference) => ({
  bet_id: reference,
  user: user(reference),
  win_amount: 2_175,
  payout_amount: 3_675.5,
  outcome: 'WIN',
  ggr: -2_175.25,
  ur: 0,
});

export const withdrawal = (/** @type {string} */ reference) => ({
  request_id: reference,
  amount: 25_000,
  user: {
    user_id: `U-${reference}`,
    full_name: 'Adaeze Okonkwo',
    residence_address: '12 Ogui Road',
    residence_state: 'ENUGU',
    residence_lga: 'Enugu North',
    tax_id: '2034567000001',
    nin: '99000000001',
    residency_status: 'resident',
  },
  metadata: { method: 'bank_transfer', bank: 'First Bank', account_last4: '1234' },
  withdrawalId: `W-${reference}`,
  userId: `U-${reference}`,
  timestamp: '1795161600',
});
export const settledWithdrawal = (/** @type {string} */ reference) => ({ ...withdrawal(reference), status: 'COMPLETED', timestamp: '1795161700' });
