import { model } from './model.js';

/** Numbers are never verified in a page, so a page needs no schemas for it. */
export const ninVerificationRequest = model({}, {});
export const ninVerification = undefined;
export const reportAnswer = undefined;
