import { outboxOf } from './outbox.js';
import { noReceiptLog, unavailableInPage } from './page-stubs.js';
import { makePlainSeal } from './seal/plain-seal.js';

/** Makes the outbox of a page. It has no lists, decisions or receipt log, since those belong to the operator's backend. */
export const createOutbox = outboxOf({ seal: makePlainSeal, operatorMethods: unavailableInPage, createProof: noReceiptLog });
