import { always, amount, lastFourDigits, nin, personal, reference, text, timestamp } from './fields.js';
import { model } from './model.js';

/** The player who withdraws (specification, section 2.2). */
export interface WithdrawalUser {
  /** The player's identifier at the operator. */
  user_id: string;
  /** Given and family names. */
  full_name: string;
  /** Street and number of the home. */
  residence_address: string;
  /** State of residence. */
  residence_state: string;
  /** Local government area. */
  residence_lga: string;
  /** Tax identification number. */
  tax_id: string;
  /** National identification number: exactly 11 digits, as a string. */
  nin: string;
  /** The specification names no values. */
  residency_status: string;
}

/** The destination of the money (specification, section 2.2). */
export interface WithdrawalMetadata {
  /** The method of payment, for example `'bank_transfer'`. */
  method: string;
  /** Name of the bank. */
  bank: string;
  /** The last four digits of the account, never the whole number. */
  account_last4: string;
}

/**
 * An initiated withdrawal: the settled report without `status` (our decision). Its `location` is a parameter of the
 * call.
 */
export interface WithdrawalEvent {
  /** The operator's identifier of the withdrawal request; the settled report repeats it. */
  request_id: string;
  /** The amount of the withdrawal. */
  amount: number;
  /** The player who withdraws. */
  user: WithdrawalUser;
  /** How it is paid out. */
  metadata: WithdrawalMetadata;
  /** The operator's identifier of the withdrawal. */
  withdrawalId: string;
  /** The player's identifier at the operator again, as the specification has it. */
  userId: string;
  /** When it was requested: Unix seconds as a string of at most 10 digits, or a `Date`. Default: now. */
  timestamp?: string | Date | undefined;
}

/**
 * A settled withdrawal (specification, section 2.2). Its `location` is optional and left out here, since the SDK can
 * find it.
 */
export interface SettledWithdrawal extends Omit<WithdrawalEvent, 'timestamp'> {
  /** The result, in the operator's words (the specification names no values). */
  status: string;
  /** When it was settled: Unix seconds as a string of at most 10 digits, or a `Date`. */
  timestamp: string | Date;
}

const withdrawalUser = model(
  {
    user_id: personal(always(text())),
    full_name: personal(text()),
    residence_address: personal(text()),
    residence_state: personal(text()),
    residence_lga: personal(text()),
    tax_id: personal(text()),
    nin: personal(nin()),
    residency_status: text(),
  },
  {},
);

const withdrawalMetadata = model(
  {
    method: text(),
    bank: personal(text()),
    account_last4: personal(lastFourDigits()),
  },
  {},
);

const withdrawal = {
  request_id: reference(always(text())),
  amount: amount(),
  user: withdrawalUser,
  metadata: withdrawalMetadata,
  withdrawalId: reference(text()),
  userId: personal(text()),
};

export const withdrawalEvent = model(withdrawal, {
  timestamp: timestamp(),
});

/** Specification, section 2.2, without `location`, which is the same for every operation that accepts one. */
export const settledWithdrawal = model(
  {
    ...withdrawal,
    status: text(),
    timestamp: timestamp(),
  },
  {},
);
