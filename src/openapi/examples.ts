import type { OperationName } from '../protocol/operations.js';
import type { JsonObject } from './json-schema.js';

const betUser = {
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

const withdrawal = {
  request_id: 'WR-2211',
  amount: 25000.75,
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
  location: { latitude: 6.4541, longitude: 3.3947, city: 'Lagos', country: 'NG', accuracy: 50, source: 'gps' },
  metadata: { method: 'bank_transfer', bank: 'Example Bank', account_last4: '0042' },
  withdrawalId: 'W-2211',
  userId: 'U-88412',
};

/** An invented body for each operation. Together they are the four steps. */
export const EXAMPLES: Readonly<Record<OperationName, JsonObject>> = {
  reportBetEvent: {
    bet_id: 'NG-2026-000017',
    amount: 1500,
    timestamp: '1795161600',
    user: betUser,
    location: withdrawal.location,
    metadata: { game: 'football', odds: 2.45, live: false },
  },
  reportSettledBet: { bet_id: 'NG-2026-000017', user: betUser, win_amount: 2175, payout_amount: 3675, outcome: 'WIN', ggr: -2175, ur: 0 },
  reportWithdrawalEvent: { ...withdrawal, timestamp: '1795161900' },
  reportSettledWithdrawal: { ...withdrawal, timestamp: '1795162000', status: 'SUCCESS' },
  verifyNin: { nin: '99012345678' },
};
