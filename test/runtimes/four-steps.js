// The four steps against a mock gateway in the same process: web standards only, as in `relay.js`.

import { betUser, withdrawalUser } from './players.js';

const withdrawal = {
  request_id: 'WR-1',
  amount: 3000,
  user: withdrawalUser,
  metadata: { method: 'bank_transfer', bank: 'Example Bank', account_last4: '0042' },
  withdrawalId: 'W-1',
  userId: 'U-1',
};
const location = { latitude: 6.4474, longitude: 7.5139, city: 'Enugu', country: 'NG', source: 'gps' };

/**
 * Reports a bet and a withdrawal from beginning to end. Returns the problems, in words; empty if there are none.
 * @param {Pick<import('./relay.js').Parts, 'createClient' | 'createMockGateway'>} parts
 * @returns {Promise<string[]>}
 */
export async function tryFourSteps({ createClient, createMockGateway }) {
  const gateway = createMockGateway();
  const client = createClient({ ...gateway.clientOptions(), logger: {} });
  const receipts = [
    await client.reportBetEvent({ bet_id: 'BET-1', amount: 1500, user: betUser }, { location }),
    await client.reportSettledBet({
      bet_id: 'BET-1',
      user: betUser,
      win_amount: 2175,
      payout_amount: 3675,
      outcome: 'WIN',
      ggr: -2175,
      ur: 0,
    }),
    await client.reportWithdrawalEvent(withdrawal, { location }),
    await client.reportSettledWithdrawal({ ...withdrawal, status: 'SUCCESS', timestamp: new Date(), location }),
  ];
  const wrong = receipts
    .filter(({ outcome }) => outcome !== 'recorded')
    .map(({ operation, outcome }) => `${operation} was ${outcome}, not recorded`);
  const { length } = gateway.requests();
  if (length !== 4) wrong.push(`${length} requests reached the gateway, not 4`);
  return wrong;
}
