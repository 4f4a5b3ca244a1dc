import type * as z from 'zod/mini';
import { always, amount, lastFourDigits, nin, personal, reference, text, timestamp } from './fields.js';
import { model } from './model.js';

const withdrawalUser = model(
  {
    /** The player's identifier at the operator. */
    user_id: personal(always(text())),
    full_name: personal(text()),
    residence_address: personal(text()),
    residence_state: personal(text()),
    /** Local government area. */
    residence_lga: personal(text()),
    tax_id: personal(text()),
    /** National identification number: exactly 11 digits, as a string. */
    nin: personal(nin()),
    residency_status: text(),
  },
  {},
);

const withdrawalMetadata = model(
  {
    /** How the money is paid out, for example `'bank_transfer'`. */
    method: text(),
    bank: personal(text()),
    /** The last four digits of the account, never the whole number. */
    account_last4: personal(lastFourDigits()),
  },
  {},
);

const withdrawal = {
  /** The operator's identifier of the withdrawal request; the settled report repeats it. */
  request_id: reference(always(text())),
  amount: amount(),
  /** The player who withdraws. */
  user: withdrawalUser,
  metadata: withdrawalMetadata,
  withdrawalId: reference(text()),
  userId: personal(text()),
};

/** The settled withdrawal report without `status`; its location is attached by the SDK (our decision). */
export const withdrawalEvent = model(withdrawal, {
  /** When it was requested: Unix seconds as a string of at most 10 digits, or a `Date`. Default: now. */
  timestamp: timestamp(),
});

/** Specification, section 2.2, without `location`, which every operation that takes one shares. */
export const settledWithdrawal = model(
  {
    ...withdrawal,
    /** How it ended, in the operator's words (the specification names no values). */
    status: text(),
    /** When it was settled: Unix seconds as a string of at most 10 digits, or a `Date`. */
    timestamp: timestamp(),
  },
  {},
);

export type WithdrawalEvent = z.input<typeof withdrawalEvent.strict>;
export type SettledWithdrawal = z.input<typeof settledWithdrawal.strict>;
