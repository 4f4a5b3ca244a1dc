import type { ClientMode } from '../core/client/payloads.js';
import { ConfigurationError } from '../core/errors/errors.js';
import type { BackendMethods } from './backend-methods.js';
import { createOutboxWith } from './outbox.js';
import type { ReceiptMethods } from './receipts/receipt-methods.js';
import { makePlainSeal } from './seal/seal.js';

const absent = (): never => {
  throw new ConfigurationError('Not in the script-tag file; import location-sdk/outbox.');
};

export const rejected = async (): Promise<never> => absent();

const unavailableInPage = <Mode extends ClientMode = 'strict'>(): BackendMethods<Mode> => ({
  reportAll: rejected,
  within: absent,
  prepare: rejected,
  drain: rejected,
  list: rejected,
  iterate: absent,
  receipt: rejected,
  retry: rejected,
  resolve: rejected,
  replace: rejected,
  replaceAll: rejected,
  reopen: rejected,
  resume: rejected,
});

const noReceiptLog = (): ReceiptMethods => ({
  started() {},
  async stopped() {},
  methods: () => ({ exportReceipts: absent, receiptHead: rejected, reconcile: absent, prune: rejected }),
});

/**
 * Makes the outbox of a page. It has no lists, decisions or receipt log, since those belong to the operator's backend.
 */
export const createOutbox = createOutboxWith({
  seal: makePlainSeal,
  backendMethods: unavailableInPage,
  createReceiptMethods: noReceiptLog,
});
