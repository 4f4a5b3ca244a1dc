import { model } from './model.js';

/** Nothing is settled in a page, so a page needs no schemas for it. */
export const settledBet = model({}, {});
export const settledWithdrawal = model({}, {});
