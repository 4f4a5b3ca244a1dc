import type { BetEvent, SettledBet, WithdrawalEvent } from '../../src/entries/index.js';

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

export const betEvent = (changes: Partial<BetEvent> = {}): BetEvent => ({
  bet_id: 'BET-1',
  amount: 1500,
  user,
  ...changes,
});

export const settledBet = (): SettledBet => ({
  bet_id: 'BET-1',
  user,
  win_amount: 0,
  payout_amount: 0,
  outcome: 'LOSS',
  ggr: 1500,
  ur: 0,
});

export const withdrawalEvent = (): WithdrawalEvent => ({
  request_id: 'WR-1',
  amount: 3000,
  user: {
    user_id: 'U-88412',
    full_name: 'Adaeze Okonkwo',
    residence_address: '4 Ogui Road',
    residence_state: 'ENUGU',
    residence_lga: 'Enugu North',
    tax_id: '2034567890123',
    nin: '99012345678',
    residency_status: 'RESIDENT',
  },
  metadata: { method: 'bank_transfer', bank: 'Example Bank', account_last4: '0042' },
  withdrawalId: 'W-1',
  userId: 'U-88412',
});
