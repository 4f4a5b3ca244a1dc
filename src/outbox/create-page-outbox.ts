import { outboxOf } from './outbox.js';
import { noReceiptLog, unavailableInPage } from './page-stubs.js';
import { makePlainSeal } from './seal/plain-seal.js';

/** Makes the outbox of a page: lists, decisions and the log of receipts are the operator's, and a page sends what it has at once. */
export const createOutbox = outboxOf({ seal: makePlainSeal, operatorMethods: unavailableInPage, createProof: noReceiptLog });
