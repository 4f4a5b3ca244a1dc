import type * as z from 'zod/mini';
import { betUser, type Outcome } from './bet.js';
import { always, amount, reference, text, timestamp } from './fields.js';
import { model } from './model.js';
import { withdrawal } from './withdrawal.js';

/** Specification, section 2.1. */
export const settledBet = model(
  {
    bet_id: reference(always(text())),
    user: betUser,
    win_amount: amount(),
    payout_amount: amount(),
    outcome: text() as z.ZodMiniType<Outcome, Outcome>,
    ggr: amount(),
    ur: amount(),
  },
  {},
);

/** Specification, section 2.2, without `location`, which is the same for every operation that accepts one. */
export const settledWithdrawal = model(
  {
    ...withdrawal,
    status: text(),
    timestamp: timestamp(),
  },
  {},
);
