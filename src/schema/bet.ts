import type * as z from 'zod/mini';
import { always, amount, flag, freeForm, nin, personal, reference, text, timestamp } from './fields.js';
import { model } from './model.js';

/** `'WIN'` is the one value that the specification shows. */
type Outcome = 'WIN' | (string & {});

const betUser = model(
  {
    /** The player's identifier at the operator. */
    user_id: personal(always(text())),
    first_name: personal(text()),
    last_name: personal(text()),
    resident_address: personal(text()),
    /** Local government area. */
    resident_lga: personal(text()),
    resident_state: personal(text()),
    is_resident: flag(),
    /** National identification number: exactly 11 digits, as a string. */
    nin: personal(nin()),
    tax_id: personal(text()),
  },
  {},
);

/** The initiated bet event; its location is attached by the SDK (our decision: the specification lists no fields). */
export const betEvent = model(
  {
    /** The operator's identifier of the bet; the settled report repeats it. */
    bet_id: reference(always(text())),
    /** The stake. */
    amount: amount(),
    /** The player who bets. */
    user: betUser,
  },
  {
    /** When the bet was placed: Unix seconds as a string of at most 10 digits, or a `Date`. Default: now. */
    timestamp: timestamp(),
    /** Anything else worth keeping: strings, numbers and booleans by name. */
    metadata: personal(freeForm()),
  },
);

/** Specification, section 2.1. */
export const settledBet = model(
  {
    /** The identifier given with the initiated bet. */
    bet_id: reference(always(text())),
    /** The player who bet. */
    user: betUser,
    win_amount: amount(),
    payout_amount: amount(),
    /** `'WIN'`, or the operator's word for another outcome (the specification names no other). */
    outcome: text() as z.ZodMiniType<Outcome, Outcome>,
    /** Gross gaming revenue; may be negative. */
    ggr: amount(),
    ur: amount(),
  },
  {},
);

export type BetEvent = z.input<typeof betEvent.strict>;
export type SettledBet = z.input<typeof settledBet.strict>;
