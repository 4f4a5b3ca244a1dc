import type { OperationName } from '../../core/protocol/operations.js';

/** A part of a document. */
export type JsonObject = { [name: string]: unknown };

/** Section numbers are those of the specification. */
interface OperationWords {
  readonly summary: string;
  readonly description: string;
  /** The name of its request body. */
  readonly schema: string;
  readonly body: string;
  readonly success: string;
}

export const OPERATION_WORDS: Readonly<Record<OperationName, OperationWords>> = {
  reportBetEvent: {
    summary: 'Report an initiated bet',
    description:
      'Step 1 (section 1). Assumption: the specification gives neither the path nor the fields of an initiated event.',
    schema: 'BetEvent',
    body: 'An initiated bet. Assumption: the bet user of section 2.1 and the location of section 2.2, with the stake.',
    success: 'The bet is recorded. Assumption: the answer is that of section 4.2.',
  },
  reportSettledBet: {
    summary: 'Report a settled bet',
    description:
      'Step 2 (sections 1 and 4.1). The bet must have been reported when it was placed; that this is checked is an assumption.',
    schema: 'SettledBet',
    body: 'Section 2.1. Assumption: every field is required.',
    success: 'The settled bet is recorded. Section 4.1 does not show the answer; assumption: that of section 4.2.',
  },
  reportWithdrawalEvent: {
    summary: 'Report an initiated withdrawal',
    description:
      'Step 3 (section 1). Assumption: the specification gives neither the path nor the fields of an initiated event.',
    schema: 'WithdrawalEvent',
    body: 'An initiated withdrawal. Assumption: section 2.2 without `status`.',
    success: 'The withdrawal is recorded. Assumption: the answer is that of section 4.2.',
  },
  reportSettledWithdrawal: {
    summary: 'Report a settled withdrawal',
    description:
      'Step 4 (sections 1 and 4.2). The withdrawal must have been reported when it was requested; that this is checked is an assumption.',
    schema: 'SettledWithdrawal',
    body: 'Section 2.2. Assumption: every field is required except the details of the location.',
    success: 'The settled withdrawal is recorded (section 4.2).',
  },
  verifyNin: {
    summary: 'Verify a national identification number',
    description:
      'Section 4.3. The status is 200 for a verified and for a not-verified number; `success` says which. In staging, numbers that start with 99 are verified.',
    schema: 'NinVerificationRequest',
    body: 'Section 2.3.',
    success: 'The number was looked up; `success` says whether it is verified (sections 2.4 and 4.3).',
  },
};

export const FIELD_WORDS: Readonly<Record<string, string>> = {
  bet_id: "The operator's identifier of the bet; the settled report repeats it.",
  request_id: "The operator's identifier of the withdrawal request; the settled report repeats it.",
  withdrawalId: "The operator's identifier of the withdrawal.",
  amount: 'A finite number; the specification gives no bounds.',
  win_amount: 'A finite number; the specification gives no bounds.',
  payout_amount: 'A finite number; the specification gives no bounds.',
  ggr: 'Gross gaming revenue; may be negative.',
  ur: 'A finite number; the specification does not say what it means.',
  outcome: "`WIN`, or the operator's word for another outcome (the specification names no other).",
  status: "The result, in the operator's words (the specification names no values).",
  timestamp: 'Unix time in seconds, as a string of digits (section 2.2).',
  user: 'The player.',
  user_id: "The player's identifier at the operator.",
  userId: "The player's identifier at the operator.",
  first_name: 'First name.',
  last_name: 'Last name.',
  full_name: 'Full name.',
  resident_address: 'Address.',
  resident_lga: 'Local government area.',
  resident_state: 'State.',
  residence_address: 'Address.',
  residence_lga: 'Local government area.',
  residence_state: 'State.',
  is_resident: 'Whether the player is a resident.',
  residency_status: "In the operator's words (the specification names no values).",
  nin: 'National identification number: exactly 11 digits, as a string (section 8).',
  tax_id: 'Tax identification number.',
  metadata: 'More data about the bet or the payment.',
  method: 'The method of payment, for example `bank_transfer` (the specification names no values).',
  bank: 'The bank.',
  account_last4: 'The last four digits of the account, never the whole number.',
  location: "The player's location (sections 1 and 2.2).",
  latitude: 'Degrees.',
  longitude: 'Degrees.',
  city: 'City.',
  region: 'Region.',
  country: 'Country.',
  accuracy: 'Metres; left out if the source does not give it.',
  source: 'The source of the location, for example `gps`, `ip` or `client_ip` (the specification names no values).',
};

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
  reportSettledBet: {
    bet_id: 'NG-2026-000017',
    user: betUser,
    win_amount: 2175,
    payout_amount: 3675,
    outcome: 'WIN',
    ggr: -2175,
    ur: 0,
  },
  reportWithdrawalEvent: { ...withdrawal, timestamp: '1795161900' },
  reportSettledWithdrawal: { ...withdrawal, timestamp: '1795162000', status: 'SUCCESS' },
  verifyNin: { nin: '99012345678' },
};
