import { always, amount, type Field, flag, freeForm, nin, personal, reference, text, timestamp } from './fields.js';
import { model } from './model.js';

/** The player who bets (specification, section 2.1). */
export interface BetUser {
  /** The player's identifier at the operator. */
  user_id: string;
  /** Given name. */
  first_name: string;
  /** Family name. */
  last_name: string;
  /** Street and number of the home. */
  resident_address: string;
  /** Local government area. */
  resident_lga: string;
  /** State of residence. */
  resident_state: string;
  /** Whether the player is a tax resident. */
  is_resident: boolean;
  /** National identification number: exactly 11 digits, as a string. */
  nin: string;
  /** Tax identification number. */
  tax_id: string;
}

/** An initiated bet (our decision: the specification lists no fields). Its `location` is a parameter of the call. */
export interface BetEvent {
  /** The operator's identifier of the bet; the settled report repeats it. */
  bet_id: string;
  /** The stake. */
  amount: number;
  /** The player who bets. */
  user: BetUser;
  /** When the bet was placed: Unix seconds as a string of at most 10 digits, or a `Date`. Default: now. */
  timestamp?: string | Date | undefined;
  /** More data about the bet: strings, numbers and booleans by name. */
  metadata?: Record<string, string | number | boolean> | undefined;
}

/** `'WIN'` is the one value that the specification shows. */
type Outcome = 'WIN' | (string & {});

/** A settled bet (specification, section 2.1). */
export interface SettledBet {
  /** The identifier given with the initiated bet. */
  bet_id: string;
  /** The player who bets. */
  user: BetUser;
  /** The player's winnings. */
  win_amount: number;
  /** The amount that is paid out. */
  payout_amount: number;
  /** `'WIN'`, or the operator's word for another outcome (the specification names no other). */
  outcome: Outcome;
  /** Gross gaming revenue; may be negative. */
  ggr: number;
  /** The specification does not say what it means. */
  ur: number;
}

export const betUser = model(
  {
    user_id: personal(always(text())),
    first_name: personal(text()),
    last_name: personal(text()),
    resident_address: personal(text()),
    resident_lga: personal(text()),
    resident_state: personal(text()),
    is_resident: flag(),
    nin: personal(nin()),
    tax_id: personal(text()),
  },
  {},
);

export const betEvent = model(
  {
    bet_id: reference(always(text())),
    amount: amount(),
    user: betUser,
  },
  {
    timestamp: timestamp(),
    metadata: personal(freeForm()),
  },
);

export const settledBet = model(
  {
    bet_id: reference(always(text())),
    user: betUser,
    win_amount: amount(),
    payout_amount: amount(),
    outcome: text() as Field<Outcome>,
    ggr: amount(),
    ur: amount(),
  },
  {},
);
