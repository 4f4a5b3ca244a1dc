import type { ClientMode } from '../client/payloads.js';
import { ConfigurationError } from '../errors/errors.js';
import type { OperatorMethods } from './operator/parts.js';
import type { Proof } from './receipts/receipts.js';

const absent = (): never => {
  throw new ConfigurationError('Not in the script-tag file; import location-sdk/outbox.');
};

const rejected = async (): Promise<never> => absent();

/** The methods that only an operator's backend has. */
export const unavailableInPage = <Mode extends ClientMode = 'strict'>(): OperatorMethods<Mode> => ({
  reportAll: rejected,
  within: absent,
  prepare: rejected,
  drain: rejected,
  list: rejected,
  iterate: absent,
  retry: rejected,
  resolve: rejected,
  resume: rejected,
});

/** The receipt log, which only an operator's backend has. */
export const noReceiptLog = (): Proof => ({
  started() {},
  async stopped() {},
  methods: () => ({ exportReceipts: absent, receiptHead: rejected, reconcile: absent, prune: rejected }),
});
