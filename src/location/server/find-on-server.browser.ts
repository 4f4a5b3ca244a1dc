import { NOBODY_TO_ASK } from '../nobody-to-ask.js';

/** Never called: a page is not a server. */
export const createServerFinder = () => async () => NOBODY_TO_ASK;
