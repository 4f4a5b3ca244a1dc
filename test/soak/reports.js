// The reports of the soak, of different players. Each names its account, so that a gateway sees the licence.
import { createHash } from 'node:crypto';

export const hashOf = (/** @type {string | Buffer} */ bytes) => createHash('sha256').update(bytes).digest('hex');

/** The prefix of an account's players. @param {string} account */
export const markOf = (account) => `U-${account}-`;

const AMOUNT = 1_500;
/** From this amount on, the gateway takes a bet about which a person has second thoughts. */
const RIGHT_AMOUNT = AMOUNT + 3;

/**
 * Whether a person has second thoughts about a report: one bet in five, and its settlement.
 * @param {{ operation: string, reference: string }} report
 */
export const isDoubtful = ({ operation, reference }) => /Bet/.test(operation) && /^[1-3]/.test(hashOf(reference));

/**
 * Whether the gateway refuses a report: one settlement of a bet in sixteen, and bets with a wrong amount.
 * @param {{ operation: string, reference: string, amount: number }} report
 */
export const isRefused = ({ operation, reference, amount }) =>
  operation === 'reportSettledBet'
    ? hashOf(reference).startsWith('0')
    : isDoubtful({ operation, reference }) && amount < RIGHT_AMOUNT;

/** @param {string} account @param {string} reference */
const user = (account, reference) => ({
  user_id: `${markOf(account)}${reference}`,
  first_name: 'Adaeze',
  last_name: 'Okonkwo',
  resident_address: '12 Ogui Road',
  resident_lga: 'Enugu North',
  resident_state: 'ENUGU',
  is_resident: true,
  nin: '99000000001',
  tax_id: '2034567000001',
});

/** @param {string} account @param {string} reference @param {number} [version] The number of its replacements. */
export const bet = (account, reference, version = 0) => ({
  bet_id: reference,
  amount: AMOUNT + version,
  timestamp: '1795161600',
  user: user(account, reference),
});
/** @param {string} account @param {string} reference */
export const settledBet = (account, reference) => ({
  bet_id: reference,
  user: user(account, reference),
  win_amount: 2_175,
  payout_amount: 3_675.5,
  outcome: 'WIN',
  ggr: -2_175.25,
  ur: 0,
});

/** @param {string} account @param {string} reference */
export const withdrawal = (account, reference) => ({
  request_id: reference,
  amount: 25_000,
  user: {
    user_id: `${markOf(account)}${reference}`,
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
  userId: `${markOf(account)}${reference}`,
  timestamp: '1795161600',
});
/** @param {string} account @param {string} reference */
export const settledWithdrawal = (account, reference) => ({
  ...withdrawal(account, reference),
  status: 'COMPLETED',
  timestamp: '1795161700',
});
